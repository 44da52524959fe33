// Checks planned storage: two buffers that are live at the same time share no bytes of the workspace.
#include <algorithm>
#include <map>

#include "ir/analysis/symbol_ranges.h"
#include "ir/simplify/inequality.h"
#include "ir/traversal/rewrite.h"
#include "ir/verify/checks.h"
#include "nestwright/program.h"

namespace nestwright::ir {
namespace {

/// A buffer with a place in the workspace, and its live range, from the first to the last statement by number. The live
/// range contains the whole of each loop inside the allocation that accesses the buffer, since one iteration may read
/// what another one wrote.
struct Placed {
  const Allocate* allocation = nullptr;
  int first = -1, last = -1;
  Expr start, end;  ///< in bytes
};

Expr bytes_of(const Buffer& buffer) {
  Expr elements = 1;
  for (int d = 0; d < buffer->rank(); ++d) {
    const Expr& extent = buffer->shape[static_cast<std::size_t>(d)];
    elements = buffer->strides.empty() ? elements * extent : elements + (extent - 1) * buffer->stride(d);
  }
  return elements * Expr(buffer->element.bytes());
}

/// The buffers that have a place in the workspace, in program order; their live ranges are not set yet.
std::vector<Placed> placed_buffers(const Program& program) {
  std::vector<Placed> result;
  const auto collect = [&](const Stmt& s) {
    if (!s.defined()) return;
    for_each_stmt(s, [&](const Stmt& inner) {
      const auto* allocation = inner.as<Allocate>();
      if (!allocation || allocation->buffer->scope != Scope::kGlobal || allocation->offset < 0) return;
      const Expr& symbolic = allocation->symbolic_offset;
      const Expr start = symbolic.defined() ? Expr(allocation->offset) + symbolic : Expr(allocation->offset);
      result.push_back({allocation, -1, -1, start, start + bytes_of(allocation->buffer)});
    });
  };
  collect(program.preparation);
  collect(program.host);
  for (const Kernel& kernel : program.kernels) collect(kernel.body);
  return result;
}

void find_lifetimes(std::vector<Placed>& placed, const std::vector<Access>& accesses) {
  std::vector<int> number;
  std::map<const For*, std::pair<int, int>> loops;  // the first and last statement of each
  for (const Access& access : accesses) {
    const bool same = !number.empty() && accesses[number.size() - 1].statement == access.statement;
    number.push_back(number.empty() ? 0 : number.back() + (same ? 0 : 1));
    for (const Access::Enclosing& loop : access.loops) {
      const auto [it, is_new] = loops.try_emplace(loop.loop, number.back(), number.back());
      it->second.second = number.back();
    }
  }
  std::map<Buffer, Placed*> by_buffer;
  for (Placed& buffer : placed) by_buffer[buffer.allocation->buffer] = &buffer;
  for (std::size_t n = 0; n < accesses.size(); ++n) {
    const auto it = by_buffer.find(accesses[n].buffer);
    if (it == by_buffer.end()) continue;
    std::pair<int, int> used{number[n], number[n]};
    if (accesses[n].loops.size() > accesses[n].private_loops)
      used = loops.at(accesses[n].loops[accesses[n].private_loops].loop);
    Placed& buffer = *it->second;
    buffer.first = buffer.first < 0 ? used.first : std::min(buffer.first, used.first);
    buffer.last = std::max(buffer.last, used.second);
  }
}

std::string describe(const Placed& buffer) {
  const Expr &start = buffer.start, &end = buffer.end;
  return "bytes " + to_string(start) + " to " + to_string(end);
}

}  // namespace

std::vector<std::string> check_storage(const Program& program, const std::vector<Access>& accesses) {
  std::vector<std::string> violations;
  std::vector<Placed> placed = placed_buffers(program);
  if (placed.size() < 2) return violations;
  find_lifetimes(placed, accesses);
  const Ranges symbols = ranges_of_symbols(program);
  for (std::size_t j = 1; j < placed.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const Placed &a = placed[i], &b = placed[j];
      if (a.allocation->per_thread != b.allocation->per_thread) continue;
      if (a.first < 0 || b.first < 0 || a.last < b.first || b.last < a.first) continue;
      if (non_negative(b.start - a.end, symbols) || non_negative(a.start - b.end, symbols)) continue;
      violations.push_back("buffer " + b.allocation->buffer->name + " lies at " + describe(b) +
                           " of the workspace, where " + a.allocation->buffer->name + ", at " + describe(a) +
                           ", is still in use");
    }
  }
  return violations;
}

}  // namespace nestwright::ir
