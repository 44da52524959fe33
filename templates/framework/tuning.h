// What a template sees while it runs: every define_* call returns a concrete value, the first candidate during
// discovery and the configuration's value when one is applied. A choice that changes which primitives run is a
// `choose`. Thread rule: one Tuning belongs to one run of one template.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "space/config_space.h"

namespace nestwright {

/// Candidates of a split of an extent into `parts` nested loops.
struct SplitOptions {
  int parts = 2;
  enum class Policy : std::uint8_t {
    kFactors,  ///< inner extents divide the extent
    kPowerOfTwo,
    kAll,  ///< any inner extent up to max_factor; the split gets a tail
  } policy = Policy::kFactors;
  std::int64_t max_factor = 1 << 30;                          ///< of the innermost part
  std::function<bool(std::span<const std::int64_t>)> filter;  ///< over the parts, outermost first
};

class Tuning {
 public:
  virtual ~Tuning() = default;
  /// Extents, outermost first; the first one covers what the others leave (rounded up).
  virtual std::vector<std::int64_t> define_split(const std::string& name, std::int64_t extent,
                                                 const SplitOptions& options) = 0;
  /// One of the given permutations of 0 .. n-1.
  virtual std::vector<int> define_reorder(const std::string& name, const std::vector<std::vector<int>>& candidates) = 0;
  virtual std::string define_annotate(const std::string& name, const std::vector<std::string>& candidates) = 0;
  virtual std::int64_t define_knob(const std::string& name, const std::vector<std::int64_t>& candidates) = 0;
  /// A choice of what is applied; knobs defined afterwards may depend on it.
  virtual std::string choose(const std::string& name, const std::vector<std::string>& options) = 0;
  /// Refuses points by formula, before anything is lowered. May name choices too (their value is the option's index).
  virtual void constrain(std::vector<std::string> knobs, std::function<bool(std::span<const KnobValue>)> holds,
                         std::string reason) = 0;
};

}  // namespace nestwright
