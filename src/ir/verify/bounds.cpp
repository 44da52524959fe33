#include "ir/simplify/inequality.h"
#include "ir/traversal/quote.h"
#include "ir/verify/checks.h"

namespace nestwright::ir {

std::vector<std::string> check_bounds(const std::vector<Access>& accesses) {
  std::vector<std::string> violations;
  for (const Access& access : accesses) {
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const Expr index = access.indices[d].type() == kIndex ? access.indices[d] : cast(kIndex, access.indices[d]);
      const bool above = non_negative(index, *access.known);
      if (above && non_negative(access.shape[d] - index - 1, *access.known)) continue;
      violations.push_back(std::string(access.stores ? "the store to " : "the load from ") + access.buffer->name +
                           " in " + quote(*access.statement) + " is not proved to be within bounds: index " +
                           std::to_string(d) + " is " + to_string(index) + ", which may be " +
                           (above ? "at or above " + to_string(access.shape[d]) : "negative"));
    }
  }
  return violations;
}

}  // namespace nestwright::ir
