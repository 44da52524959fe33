// Spaces for several tests.
#pragma once

#include <string>
#include <vector>

#include "nestwright/config_space.h"

namespace nestwright::testing_spaces {

inline Knob numbers(std::string name, std::int64_t first, std::int64_t last) {
  Knob knob{std::move(name), KnobKind::kKnob, {}, {}};
  for (std::int64_t value = first; value <= last; ++value) knob.candidates.push_back({value});
  return knob;
}

inline Knob option(std::string name, std::int64_t index, std::string label) {
  return {std::move(name), KnobKind::kChoice, {{index}}, {std::move(label)}};
}

/// Two branches: pack=no has rows, columns and unroll; pack=yes also has a panel. rows*columns <= 28, panel >= columns.
inline ConfigSpace packing() {
  const Constraint registers{{"rows", "columns"},
                             [](std::span<const KnobValue> v) { return v[0][0] * v[1][0] <= 28; },
                             "the register tile is larger than the register file"};
  const Constraint panel{{"columns", "panel"},
                         [](std::span<const KnobValue> v) { return v[1][0] >= v[0][0]; },
                         "the panel is narrower than the register tile"};
  const Knob unroll{"unroll", KnobKind::kKnob, {{1}, {2}, {4}}, {}};
  return ConfigSpace(
      {{{option("pack", 0, "no"), numbers("rows", 1, 14), numbers("columns", 1, 6), unroll}, {registers}},
       {{option("pack", 1, "yes"), numbers("rows", 1, 14), numbers("columns", 1, 6), unroll, numbers("panel", 1, 8)},
        {registers, panel}}});
}

}  // namespace nestwright::testing_spaces
