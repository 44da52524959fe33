#include "nestwright/knobs.h"

#include <algorithm>
#include <limits>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr int kMaxDepth = 16;

/// The divisor, if there is a quotient.
std::int64_t divisor(std::int64_t dividend, std::int64_t by) {
  const bool has_quotient = by != 0 && !(by == -1 && dividend == std::numeric_limits<std::int64_t>::min());
  if (has_quotient) return by;
  throw UsageError("a template divides a knob by 0: leave 0 out of its candidates, or guard the division by && or ||");
}

}  // namespace

KnobExpr::KnobExpr(std::int64_t constant) : code_{{Op::kConstant, 0, constant}} {}

KnobExpr::KnobExpr(std::shared_ptr<const KnobInRun> knob, std::size_t part)
    : knobs_{std::move(knob)}, code_{{Op::kPart, 0, static_cast<std::int64_t>(part)}} {
  check(part < knobs_[0]->value.size(), "a knob's value has fewer parts than are read");
}

KnobExpr KnobExpr::binary(Op op, const KnobExpr& a, const KnobExpr& b) {
  KnobExpr result = a;
  if (op == Op::kSkipIfFalse || op == Op::kSkipIfTrue) {
    result.code_.push_back({op, static_cast<std::uint32_t>(b.code_.size() + 1)});
    result.append(b);
    result.code_.push_back({Op::kIsTrue});
  } else {
    result.append(b);
    result.code_.push_back({op});
  }
  result.depth_ = std::max(a.depth_, b.depth_ + 1);
  check(result.depth_ <= kMaxDepth, "an expression of knobs is nested too deeply");
  return result;
}

KnobExpr KnobExpr::select(const KnobExpr& condition, const KnobExpr& a, const KnobExpr& b) {
  KnobExpr result = condition;
  result.append(a);
  result.append(b);
  result.code_.push_back({Op::kSelect});
  result.depth_ = std::max({condition.depth_, a.depth_ + 1, b.depth_ + 2});
  check(result.depth_ <= kMaxDepth, "an expression of knobs is nested too deeply");
  return result;
}

KnobExpr KnobExpr::operator!() const {
  KnobExpr result = *this;
  result.code_.push_back({Op::kNot});
  return result;
}

/// Appends the code of `other`; both parts read from the union of the knobs.
void KnobExpr::append(const KnobExpr& other) {
  for (const auto& knob : other.knobs_) {
    if (std::find(knobs_.begin(), knobs_.end(), knob) == knobs_.end()) knobs_.push_back(knob);
  }
  const KnobExpr moved = other.over(knobs_);
  code_.insert(code_.end(), moved.code_.begin(), moved.code_.end());
}

KnobExpr KnobExpr::over(const std::vector<std::shared_ptr<const KnobInRun>>& knobs) const {
  KnobExpr result = *this;
  result.knobs_ = knobs;
  for (Instruction& instruction : result.code_) {
    if (instruction.op != Op::kPart) continue;
    const auto at = std::find(knobs.begin(), knobs.end(), knobs_[instruction.operand]);
    check(at != knobs.end(), "an expression reads a knob that is not among those given");
    instruction.operand = static_cast<std::uint32_t>(at - knobs.begin());
  }
  return result;
}

template <class ValueAt>
std::int64_t KnobExpr::run(const ValueAt& value_at) const {
  std::int64_t stack[kMaxDepth + 1];
  std::int64_t* top = stack;  // below the first operand; after --top, two operands are top[0] and top[1]
  for (const Instruction *at = code_.data(), *const end = at + code_.size(); at < end; ++at) {
    switch (at->op) {
      case Op::kConstant:
        *++top = at->constant;
        break;
      case Op::kPart:
        *++top = value_at(at->operand)[static_cast<std::size_t>(at->constant)];
        break;
      case Op::kSelect:
        top -= 2;
        *top = *top != 0 ? top[1] : top[2];
        break;
      case Op::kNot:
        *top = *top == 0 ? 1 : 0;
        break;
      case Op::kIsTrue:
        *top = *top != 0 ? 1 : 0;
        break;
      case Op::kSkipIfFalse:
      case Op::kSkipIfTrue:
        if ((*top != 0) == (at->op == Op::kSkipIfTrue)) {
          *top = *top != 0 ? 1 : 0;
          at += at->operand;
        } else {
          --top;
        }
        break;
      case Op::kAdd:
        --top;
        *top = *top + top[1];
        break;
      case Op::kSubtract:
        --top;
        *top = *top - top[1];
        break;
      case Op::kMultiply:
        --top;
        *top = *top * top[1];
        break;
      case Op::kDivide:
        --top;
        *top = *top / divisor(*top, top[1]);
        break;
      case Op::kModulo:
        --top;
        *top = *top % divisor(*top, top[1]);
        break;
      case Op::kCeilDivide:
        --top;
        *top = *top / divisor(*top, top[1]) + (*top % top[1] != 0 ? 1 : 0);
        break;
      case Op::kMin:
        --top;
        *top = std::min(top[0], top[1]);
        break;
      case Op::kMax:
        --top;
        *top = std::max(top[0], top[1]);
        break;
      case Op::kEqual:
        --top;
        *top = *top == top[1] ? 1 : 0;
        break;
      case Op::kNotEqual:
        --top;
        *top = *top != top[1] ? 1 : 0;
        break;
      case Op::kLess:
        --top;
        *top = *top < top[1] ? 1 : 0;
        break;
      case Op::kLessOrEqual:
        --top;
        *top = *top <= top[1] ? 1 : 0;
        break;
    }
  }
  return *top;
}

KnobExpr::operator std::int64_t() const {
  return run([&](std::uint32_t knob) -> const KnobValue& { return knobs_[knob]->value; });
}

std::int64_t KnobExpr::evaluate(std::span<const KnobValue> values) const {
  return run([&](std::uint32_t knob) -> const KnobValue& { return values[knob]; });
}

PartsKnob::PartsKnob(std::string name, KnobValue value)
    : knob_(std::make_shared<const KnobInRun>(KnobInRun{std::move(name), std::move(value)})) {}

OptionKnob::OptionKnob(std::string name, std::vector<std::string> options, std::size_t taken)
    : knob_(std::make_shared<const KnobInRun>(KnobInRun{std::move(name), {static_cast<std::int64_t>(taken)}})),
      options_(std::move(options)) {
  check(taken < options_.size(), "a knob takes an option that it does not have");
}

KnobExpr OptionKnob::operator==(std::string_view label) const {
  const auto found = std::find(options_.begin(), options_.end(), label);
  const std::int64_t position = found == options_.end() ? -1 : found - options_.begin();
  return KnobExpr(knob_, 0) == position;
}

OptionKnob::operator std::string() const { return options_[static_cast<std::size_t>(knob_->value[0])]; }

}  // namespace nestwright
