#include "ir/verify/verify.h"

#include <algorithm>

#include "ir/verify/checks.h"
#include "ir/verify/fragments.h"

namespace nestwright::ir {
namespace {

void append(std::vector<std::string>& to, std::vector<std::string> from) {
  // A body with a barrier is visited twice, and so may report the same violation twice.
  for (std::string& violation : from)
    if (std::find(to.begin(), to.end(), violation) == to.end()) to.push_back(std::move(violation));
}

}  // namespace

Violations find_violations(const Program& program, Form form) {
  Violations found;
  append(found.broken, check_structure(program, form));
  if (!found.broken.empty()) return found;  // the other checks rely on variables and types
  append(found.broken, check_shuffles(program, form));
  const std::vector<Access> accesses = collect_accesses(program);
  append(found.unproved, check_bounds(accesses));
  append(found.broken, check_definitions(program, accesses));
  append(found.unproved, check_races(accesses));
  append(found.broken, check_storage(program, accesses));
  append(found.broken, check_fragments(program));
  append(found.broken, check_copies(program));
  append(found.broken, check_instructions(program, form));
  return found;
}

std::vector<std::string> verify(const Program& program, Form form) {
  Violations found = find_violations(program, form);
  append(found.broken, std::move(found.unproved));
  return std::move(found.broken);
}

}  // namespace nestwright::ir
