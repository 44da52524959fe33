// Checks for uses before definition: allocations and outputs are uninitialised at the start.
#include <algorithm>
#include <map>

#include "ir/analysis/bounds.h"
#include "ir/analysis/interval.h"
#include "ir/traversal/quote.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {
namespace {

/// True only where the two accesses never touch a common element.
bool are_disjoint(const Access& first, const Access& second) {
  for (std::size_t d = 0; d < first.indices.size(); ++d) {
    const Interval a = bounds(first.indices[d], *first.known), b = bounds(second.indices[d], *second.known);
    if (a.hi < b.lo || b.hi < a.lo) return true;
  }
  return false;
}

/// Whether `store`, which is later in the program than `load`, may be executed before it, in an earlier iteration of a
/// loop around both. True only if the load is proved not to be in the first iteration of such a loop.
bool runs_earlier(const Access& load, const Access& store) {
  for (std::size_t l = load.private_loops; l < std::min(load.loops.size(), store.loops.size()); ++l) {
    if (load.loops[l].loop != store.loops[l].loop) return false;
    const std::int64_t* min = as_const_int(load.loops[l].loop->min);
    if (prove(Expr(load.loops[l].var) > (min ? *min : 0), *load.known)) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> check_definitions(const Program& program, const std::vector<Access>& accesses) {
  std::map<Buffer, std::vector<const Access*>> stores;  // of each buffer
  for (const Access& access : accesses)
    if (access.stores) stores[access.buffer].push_back(&access);
  std::vector<Buffer> excluded;  // inputs, and buffers that are reported already
  for (const Parameter& parameter : program.parameters)
    if (parameter.role == Role::kInput) excluded.push_back(parameter.buffer);
  std::vector<std::string> violations;
  for (const Access& load : accesses) {
    if (load.stores || std::find(excluded.begin(), excluded.end(), load.buffer) != excluded.end()) continue;
    const std::vector<const Access*>& of_buffer = stores[load.buffer];
    const bool may_be_written = std::any_of(of_buffer.begin(), of_buffer.end(), [&](const Access* store) {
      return !are_disjoint(*store, load) && (store < &load || runs_earlier(load, *store));
    });
    if (may_be_written) continue;
    excluded.push_back(load.buffer);
    violations.push_back("what " + load.buffer->name + " is read for in " + quote(*load.statement) +
                         " was not written before: no statement ahead of it stores to that element");
  }
  return violations;
}

}  // namespace nestwright::ir
