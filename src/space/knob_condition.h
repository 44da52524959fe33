// A condition over knobs, as users write it for `tune --only`:
//
//   register_rows * register_vectors <= 24 and (pack_b == whole or tile[1] >= 64)
//
// Operands are integers, knobs (those of a stage with a dot, as C.rows), and knob[i] for part i of a knob of
// several parts, combined by + - * / % and parentheses and compared by < <= > >= == !=. / and % round towards minus
// infinity; a comparison of an operand that is divided by 0 does not hold. A knob with options is compared by
// == or != with one of them. Where some branches have options and others numbers, a condition fits those for which it
// has a meaning. `and` binds more tightly than `or`. Thread rule: values.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "space/config_space.h"

namespace nestwright {

class KnobCondition {
 public:
  /// Throws UsageError that names the character where `text` is malformed and what was expected there.
  static KnobCondition parse(std::string_view text);
  const std::string& text() const { return text_; }
  /// Throws UsageError, with the character, where a name is neither a knob of any of the branches nor an option beside
  /// its knob, or a knob lacks its part or is used as a number although it has options in every branch that has it.
  void check(std::span<const Branch* const> branches) const;
  /// The condition as a constraint on `branch`. nullopt where it has no meaning there: the branch lacks one of its
  /// knobs or parts, has options where the condition compares numbers, or numbers where it names an option. A knob with
  /// options is unequal to an option that it does not have in this branch.
  std::optional<Constraint> over(const Branch& branch) const;

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

}  // namespace nestwright
