// Chooses what is expected of a result that is too large, or takes too long, for expected values of all elements: which
// elements are compared with values in double, and which lines have sums. Private to search/.
// Thread rule: values; pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/check/large_data.h"
#include "nestwright/template.h"

namespace nestwright {

class LargeReference {
 public:
  /// Absent if the operator has no large checks, or if a whole reference takes at most `seconds` and the tensors have
  /// at most 2^22 elements.
  static std::optional<LargeReference> make(const Workload& workload, const Definition& definition, double seconds);

  /// The data for inputs that are made by `uniform` where they lie in [-1, 1], or in the operator's ranges.
  LargeData data(InputSources uniform) const;

 private:
  LargeReference(const Workload& workload, const Definition& definition, double seconds);

  Workload workload_;
  std::vector<ir::Type> types_;        ///< of the inputs
  std::vector<std::size_t> elements_;  ///< likewise
  std::vector<std::int64_t> places_;
  std::optional<ir::ElementLines> lines_;
  bool sums_elements_ = false;  ///< lines are those of the elements' reference, not of the operator's own sums
};

}  // namespace nestwright
