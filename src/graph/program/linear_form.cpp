#include "graph/program/linear_form.h"

#include <utility>

namespace nestwright {
namespace {

using ir::BinaryOp;
using text::Term;

bool reads_tensor(const Term& term, const std::string& tensor) {
  bool reads = false;
  text::for_each_access(
      term, [&](const text::Access& access, const Term&, bool) { reads = reads || access.tensor == tensor; });
  return reads;
}

Term negated(Term term) { return Term{.value = text::Negation{{std::move(term)}}}; }

std::optional<Term> times(const std::optional<Term>& a, const std::optional<Term>& b) {
  if (!a || !b) return a ? a : b;
  return binary_term(BinaryOp::kMul, *a, *b);
}

LinearForm scaled(const LinearForm& form, BinaryOp op, const Term& factor) {
  const auto one = Term{.value = text::Real{1}};
  LinearForm result{binary_term(op, form.scale.value_or(one), factor), std::nullopt};
  if (op == BinaryOp::kMul && !form.scale) result.scale = factor;
  if (form.offset) result.offset = binary_term(op, *form.offset, factor);
  return result;
}

LinearForm moved(LinearForm form, BinaryOp op, const Term& by) {
  if (form.offset) {
    form.offset = binary_term(op, *form.offset, by);
  } else {
    form.offset = op == BinaryOp::kSub ? negated(by) : by;
  }
  return form;
}

LinearForm negated_form(const LinearForm& form) {
  LinearForm result{negated(form.scale.value_or(Term{.value = text::Real{1}})), std::nullopt};
  if (form.offset) result.offset = negated(*form.offset);
  return result;
}

std::optional<LinearForm> of_binary(const text::BinaryTerm& binary, const std::string& tensor) {
  const Term &a = binary.operands[0], &b = binary.operands[1];
  if (reads_tensor(a, tensor) && reads_tensor(b, tensor)) return std::nullopt;
  const bool is_left = reads_tensor(a, tensor);
  const std::optional<LinearForm> form = linear_form(is_left ? a : b, tensor);
  const Term& other = is_left ? b : a;
  if (!form) return std::nullopt;
  if (binary.op == BinaryOp::kAdd) return moved(*form, BinaryOp::kAdd, other);
  if (binary.op == BinaryOp::kMul) return scaled(*form, BinaryOp::kMul, other);
  if (binary.op == BinaryOp::kSub) {
    return is_left ? moved(*form, BinaryOp::kSub, other) : moved(negated_form(*form), BinaryOp::kAdd, other);
  }
  if (binary.op == BinaryOp::kDiv && is_left) return scaled(*form, BinaryOp::kDiv, other);
  return std::nullopt;
}

}  // namespace

Term binary_term(BinaryOp op, Term a, Term b) {
  return Term{.value = text::BinaryTerm{op, {std::move(a), std::move(b)}}};
}

std::optional<LinearForm> linear_form(const Term& term, const std::string& tensor) {
  if (const auto* access = std::get_if<text::Access>(&term.value)) {
    if (access->tensor == tensor && !access->padding) return LinearForm{};
  }
  if (const auto* negation = std::get_if<text::Negation>(&term.value)) {
    const std::optional<LinearForm> form = linear_form(negation->operand[0], tensor);
    return form ? std::optional(negated_form(*form)) : std::nullopt;
  }
  if (const auto* binary = std::get_if<text::BinaryTerm>(&term.value)) return of_binary(*binary, tensor);
  return std::nullopt;
}

LinearForm composed(const LinearForm& outer, const LinearForm& inner) {
  LinearForm result{times(outer.scale, inner.scale), outer.offset};
  if (!inner.offset) return result;
  const Term offset = *times(outer.scale, inner.offset);
  result.offset = outer.offset ? binary_term(BinaryOp::kAdd, offset, *outer.offset) : offset;
  return result;
}

}  // namespace nestwright
