// The syntax tree of a KnobCondition and its parser. Internal to space/.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/config_space.h"

namespace nestwright {

struct KnobCondition::Node {
  enum class Kind : std::uint8_t {
    kNumber,
    kWord,
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMod,
    kLt,
    kLe,
    kGt,
    kGe,
    kEq,
    kNe,
    kAnd,
    kOr
  };
  Kind kind = Kind::kNumber;
  std::size_t at = 0;               ///< offset of its first character; for an operation, that of its operator
  std::int64_t number = 0;          ///< kNumber
  std::string word;                 ///< kWord: a knob or an option
  std::optional<std::size_t> part;  ///< kWord: the index in brackets
  std::vector<Node> operands;       ///< none or two

  bool is_comparison() const { return kind >= Kind::kLt && kind <= Kind::kNe; }
  bool is_condition() const { return kind >= Kind::kLt; }
  bool is_equality() const { return kind == Kind::kEq || kind == Kind::kNe; }
};

/// Throws UsageError as KnobCondition::parse does.
KnobCondition::Node parse_condition(std::string_view text);

/// Throws UsageError that quotes the condition, names the character at offset `at` (counted from 1) and says `what` is
/// wrong there.
[[noreturn]] void refuse_condition(std::string_view text, std::size_t at, const std::string& what);

}  // namespace nestwright
