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

std::vector<std::string> verify(const Program& program, Form form) {
  std::vector<std::string> violations;
  append(violations, check_structure(program, form));
  if (!violations.empty()) return violations;  // the other checks rely on variables and types
  append(violations, check_shuffles(program, form));
  const std::vector<Access> accesses = collect_accesses(program);
  append(violations, check_bounds(accesses));
  append(violations, check_definitions(program, accesses));
  append(violations, check_races(accesses));
  append(violations, check_storage(program, accesses));
  append(violations, check_fragments(program));
  append(violations, check_copies(program));
  append(violations, check_instructions(program, form));
  return violations;
}

}  // namespace nestwright::ir
