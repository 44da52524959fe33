// Tables of the rules that make a generated space. Thread rule: pure functions of a sketch.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "templates/sketch/sketch.h"

namespace nestwright {

/// A rule that rewrites the expression before it has a schedule.
struct ExpressionRule {
  const char* name;
  void (*apply)(NestDraft& draft);
};

/// A rule that is applied once, to the whole sketch.
template <class Sketch>
struct WholeRule {
  const char* name;
  void (*apply)(Sketch& sketch);
};

/// A rule that schedules one stage.
template <class Sketch>
struct StageRule {
  const char* name;
  bool (*applies)(Sketch& sketch, int stage);
  void (*apply)(Sketch& sketch, int stage);
};

/// All rules for a kind of device, in the order in which they are applied.
template <class Sketch>
struct RuleTable {
  std::span<const ExpressionRule> expression;
  std::span<const WholeRule<Sketch>> before_stages;
  std::span<const StageRule<Sketch>> stages;  ///< the first that applies schedules a stage; the last applies to all
  std::span<const WholeRule<Sketch>> after_stages;

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    const auto add = [&](const auto& rules) {
      for (const auto& rule : rules) all.emplace_back(rule.name);
    };
    add(expression);
    add(before_stages);
    add(stages);
    add(after_stages);
    return all;
  }
};

template <class Sketch>
void rewrite_expression(NestDraft& draft, const RuleTable<Sketch>& table) {
  for (const ExpressionRule& rule : table.expression) rule.apply(draft);
}

/// Schedules each stage that is not finished, consumers before producers, between the rules for the whole sketch.
template <class Sketch>
void apply_rules(Sketch& sketch, const RuleTable<Sketch>& table) {
  for (const WholeRule<Sketch>& rule : table.before_stages) rule.apply(sketch);
  for (int stage = static_cast<int>(sketch.stages.size()) - 1; stage >= 0; --stage) {
    if (sketch.is_finished(stage)) continue;
    for (const StageRule<Sketch>& rule : table.stages) {
      if (!rule.applies(sketch, stage)) continue;
      rule.apply(sketch, stage);
      break;
    }
  }
  for (const WholeRule<Sketch>& rule : table.after_stages) rule.apply(sketch);
}

}  // namespace nestwright
