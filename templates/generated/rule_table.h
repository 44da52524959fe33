// Tables of rules that schedule the stages of a sketch. Thread rule: pure functions of a sketch.
#pragma once

#include <span>

namespace nestwright {

template <class Sketch>
struct RuleOf {
  const char* name;
  bool (*applies)(Sketch& sketch, int stage);
  void (*apply)(Sketch& sketch, int stage);
};

/// Schedules each stage that is not finished, consumers before producers, by the first rule that applies to it.
template <class Sketch>
void apply_rules(Sketch& sketch, std::span<const RuleOf<Sketch>> rules) {
  for (int stage = static_cast<int>(sketch.stages.size()) - 1; stage >= 0; --stage) {
    if (sketch.is_finished(stage)) continue;
    for (const RuleOf<Sketch>& rule : rules) {
      if (!rule.applies(sketch, stage)) continue;
      rule.apply(sketch, stage);
      break;
    }
  }
}

}  // namespace nestwright
