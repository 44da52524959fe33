#include "nestwright/knobs.h"

#include <algorithm>

namespace nestwright {

void Tuning::require(const KnobExpr& condition, std::string reason) {
  add({names_of(condition.knobs()),
       [condition](std::span<const KnobValue> values) { return condition.evaluate(values) != 0; }, std::move(reason)});
}

void Tuning::collect(const KnobExpr& expr, Knobs& knobs) {
  for (const auto& knob : expr.knobs()) {
    if (std::find(knobs.begin(), knobs.end(), knob) == knobs.end()) knobs.push_back(knob);
  }
}

void Tuning::collect(const PartsKnob& parts, Knobs& knobs) { collect(parts[0], knobs); }

std::size_t Tuning::position_of(const PartsKnob& parts, const Knobs& knobs) {
  return static_cast<std::size_t>(std::find(knobs.begin(), knobs.end(), parts.knob()) - knobs.begin());
}

std::vector<std::string> Tuning::names_of(const Knobs& knobs) {
  std::vector<std::string> names;
  for (const auto& knob : knobs) names.push_back(knob->name);
  return names;
}

}  // namespace nestwright
