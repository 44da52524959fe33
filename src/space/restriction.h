// The part of a space that a search stays within: fixed values of knobs, and conditions over knobs.
// Thread rule: values and pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "space/config.h"
#include "space/config_space.h"
#include "space/knob_condition.h"

namespace nestwright {

struct Restriction {
  Config fixed;                     ///< knobs with the values that they keep; options by their labels
  std::vector<KnobCondition> only;  ///< all of them hold

  bool empty() const { return fixed.entries().empty() && only.empty(); }
  /// As on the command line: --fix unroll_k=4 --only "tile_m <= 64".
  std::string str() const;
};

/// Throws UsageError, which lists the legal names or values, for a knob that no space has, a value that is a candidate
/// of none of its knobs, and a condition that KnobCondition::check refuses.
void check_restriction(const Restriction& restriction, std::span<const ConfigSpace* const> spaces);

/// The points of `space` that keep the fixed values and fulfil the conditions. A branch that lacks one of the knobs has
/// no such points; the result may have no branches. Labels of fixed values need not be resolved; an index without its
/// label denotes no option.
ConfigSpace restrict_space(const ConfigSpace& space, const Restriction& restriction);

}  // namespace nestwright
