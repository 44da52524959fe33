// Binds conditions to branches: words become knobs and options.
#include "nestwright/config_space.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "nestwright/error.h"
#include "space/branch_points.h"
#include "space/condition_parser.h"
#include "space/nearest_name.h"

namespace nestwright {
namespace {

using Node = KnobCondition::Node;
using Kind = Node::Kind;
using Branches = std::span<const Branch* const>;
using Values = std::span<const KnobValue>;
using Number = std::function<double(Values)>;

/// The operands of an equality of a knob that has options in the branch, and of one of these, in this order; {nullptr,
/// nullptr} for other nodes.
std::pair<const Node*, const Node*> option_equality(const Node& node, const Branch& branch) {
  if (!node.is_equality()) return {};
  const auto has_options = [&](const Node& n) {
    if (n.kind != Kind::kWord || n.part) return false;
    const Knob* knob = find_knob(branch, n.word);
    return knob != nullptr && !knob->labels.empty();
  };
  const Node &a = node.operands[0], &b = node.operands[1];
  const auto is_option = [](const Node& n) { return n.operands.empty() && !n.part; };
  if (has_options(a) && is_option(b)) return {&a, &b};
  if (has_options(b) && is_option(a)) return {&b, &a};
  return {};
}

/// Whether some options of the knob are numbers. A choice has only one of its options in a branch: it may have others.
bool may_have_numbers(const Knob& knob) {
  return knob.kind == KnobKind::kChoice ||
         std::any_of(knob.labels.begin(), knob.labels.end(), [](const std::string& label) {
           return label.find_first_not_of("0123456789") == std::string::npos;
         });
}

std::string option_text(const Node& node) { return node.kind == Kind::kWord ? node.word : std::to_string(node.number); }

bool has_word(const Node& node) {
  return node.kind == Kind::kWord || std::any_of(node.operands.begin(), node.operands.end(), has_word);
}

/// Makes functions of the values of the knobs that it collects. Conditions are numbers: 0 is false.
class Binder {
 public:
  explicit Binder(const Branch& branch) : branch_(branch) {}

  /// Returns an empty function if the condition has no meaning in the branch: it lacks a knob or a part of one, or has
  /// options where numbers are compared.
  Number bind(const Node& node) {
    const auto [knob, option] = option_equality(node, branch_);
    if (knob != nullptr) return bind_option(*knob, *option, node.kind == Kind::kEq);
    if (node.kind == Kind::kNumber) return [value = static_cast<double>(node.number)](Values) { return value; };
    if (node.kind == Kind::kWord) return bind_knob(node);
    const Number a = bind(node.operands[0]), b = bind(node.operands[1]);
    if (!a || !b) return {};
    return [a, b, kind = node.kind](Values values) { return apply(kind, a(values), b(values)); };
  }

  std::vector<std::string> names() const { return names_; }

 private:
  static double apply(Kind kind, double a, double b) {
    switch (kind) {
      case Kind::kAdd:
        return a + b;
      case Kind::kSub:
        return a - b;
      case Kind::kMul:
        return a * b;
      case Kind::kDiv:
        return std::floor(quotient(a, b));
      case Kind::kMod:
        return a - b * std::floor(quotient(a, b));
      case Kind::kLt:
        return a < b ? 1 : 0;
      case Kind::kLe:
        return a <= b ? 1 : 0;
      case Kind::kGt:
        return a > b ? 1 : 0;
      case Kind::kGe:
        return a >= b ? 1 : 0;
      case Kind::kEq:
        return a == b ? 1 : 0;
      case Kind::kNe:
        return a < b || a > b ? 1 : 0;
      case Kind::kAnd:
        return a != 0 && b != 0 ? 1 : 0;
      case Kind::kOr:
        return a != 0 || b != 0 ? 1 : 0;
      case Kind::kNumber:
      case Kind::kWord:
        break;
    }
    throw InternalError("internal error: an operand of a condition was taken for an operator");
  }

  /// No number where the divisor is 0: comparisons of such operands do not hold.
  static double quotient(double a, double b) { return b == 0 ? std::numeric_limits<double>::quiet_NaN() : a / b; }

  std::size_t position(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    const auto at = static_cast<std::size_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(name);
    return at;
  }

  Number bind_knob(const Node& node) {
    const Knob* knob = find_knob(branch_, node.word);
    if (knob == nullptr || !knob->labels.empty()) return {};
    const std::size_t parts = knob->candidates.front().size(), part = node.part.value_or(0);
    if (part >= parts || (!node.part && parts != 1)) return {};
    return [at = position(node.word), part](Values values) { return static_cast<double>(values[at][part]); };
  }

  Number bind_option(const Node& knob, const Node& option, bool is_equal) {
    const Knob& of_branch = *find_knob(branch_, knob.word);
    if (option.kind == Kind::kNumber && !may_have_numbers(of_branch)) return {};
    const auto label = std::find(of_branch.labels.begin(), of_branch.labels.end(), option_text(option));
    std::optional<KnobValue> value;
    if (label != of_branch.labels.end()) {
      value = of_branch.candidates[static_cast<std::size_t>(label - of_branch.labels.begin())];
    }
    return [at = position(knob.word), value, is_equal](Values values) {
      return (value && values[at] == *value) == is_equal ? 1.0 : 0.0;
    };
  }

  const Branch& branch_;
  std::vector<std::string> names_;
};

/// Refuses what no branch can bind. What only some can bind is no error: over() leaves the others out.
class Checker {
 public:
  Checker(std::string_view text, Branches branches) : text_(text), branches_(branches) {}

  void check(const Node& node) const {
    if (node.is_equality()) {
      for (const Branch* branch : branches_) {
        const auto [knob, option] = option_equality(node, *branch);
        if (knob != nullptr) return check_options(node, *knob, *option);
      }
    }
    if (node.kind == Kind::kWord && !is_bound(node)) refuse_word(node);
    for (const Node& operand : node.operands) check(operand);
  }

 private:
  /// Whether there is a branch in which the node is a number, or an equality of a knob and an option that it has there.
  bool is_bound(const Node& node) const {
    return std::any_of(branches_.begin(), branches_.end(), [&](const Branch* branch) {
      const auto [knob, option] = option_equality(node, *branch);
      if (knob == nullptr) return static_cast<bool>(Binder(*branch).bind(node));
      const std::vector<std::string>& labels = find_knob(*branch, knob->word)->labels;
      return std::find(labels.begin(), labels.end(), option_text(*option)) != labels.end();
    });
  }

  void check_options(const Node& equality, const Node& knob, const Node& option) const {
    if (is_bound(equality)) return;
    const KnobForms forms = forms_of(knob.word);
    refuse(option, "'" + option_text(option) + "' is no option of the knob '" + knob.word + "'; its options are " +
                       join_names(forms.options) +
                       (forms.parts.empty() ? "" : ", and in other branches it is a number"));
  }

  [[noreturn]] void refuse_word(const Node& node) const {
    const KnobForms forms = forms_of(node.word);
    if (forms.parts.empty() && forms.options.empty()) refuse(node, unknown_knob_text(node.word, branches_));
    if (forms.parts.empty()) {
      refuse(node, "the knob '" + node.word + "' has options, not numbers: compare it by == or != with one of " +
                       join_names(forms.options));
    }
    std::string counts;
    for (const std::size_t count : forms.parts) counts += (counts.empty() ? "" : " or ") + std::to_string(count);
    const std::size_t most = *forms.parts.rbegin();
    const std::string what = "the knob '" + node.word + "' has " + counts + (most == 1 ? " part" : " parts");
    if (node.part) refuse(node, what + (most == 1 ? ", number 0" : ", numbered from 0"));
    refuse(node, what + ": write " + node.word + "[0] to " + node.word + "[" + std::to_string(most - 1) + "]");
  }

  /// What a knob is in the branches that have it: one of options, or a number of parts that are numbers.
  struct KnobForms {
    std::vector<std::string> options;
    std::set<std::size_t> parts;  ///< how many it has where it has no options
  };

  KnobForms forms_of(const std::string& name) const {
    KnobForms forms;
    for (const Branch* branch : branches_) {
      const Knob* knob = find_knob(*branch, name);
      if (knob == nullptr) continue;
      add_missing(forms.options, knob->labels);
      if (knob->labels.empty()) forms.parts.insert(knob->candidates.front().size());
    }
    return forms;
  }

  [[noreturn]] void refuse(const Node& node, const std::string& what) const { refuse_condition(text_, node.at, what); }

  std::string_view text_;
  Branches branches_;
};

}  // namespace

KnobCondition KnobCondition::parse(std::string_view text) {
  KnobCondition condition;
  condition.text_ = std::string(text);
  condition.root_ = std::make_shared<const Node>(parse_condition(text));
  return condition;
}

void KnobCondition::check(Branches branches) const {
  Checker(text_, branches).check(*root_);
  if (!has_word(*root_)) refuse_condition(text_, 0, "it names no knob");
}

std::optional<Constraint> KnobCondition::over(const Branch& branch) const {
  Binder binder(branch);
  Number holds = binder.bind(*root_);
  if (!holds) return std::nullopt;
  return Constraint{binder.names(), [holds](Values values) { return holds(values) != 0; },
                    "the condition '" + text_ + "' does not hold"};
}

}  // namespace nestwright
