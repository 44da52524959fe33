// A checked expression text: every tensor has a type and a shape, every index an extent.
// Thread rule: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/syntax/syntax.h"

namespace nestwright::text {

struct Axis {
  std::string name;
  std::int64_t extent = 0;
  /// Of a reduce axis: it is all of a dimension of one tensor and a part of one of another, and its size is given.
  bool is_part = false;
};

struct TensorInfo {
  std::string name;
  ir::Type type = kFloat32;
  std::vector<std::int64_t> shape;
  bool is_input = true;  ///< else a statement computes it
  /// Whether the shape of an input has to be declared, because the indices do not imply it.
  bool has_own_shape = false;
  /// Of an input: it is the same in every call, so that a schedule may prepare it.
  bool is_constant = false;
  std::optional<Range> range;  ///< of an input's elements
  std::size_t at = 0;          ///< of its first appearance
};

/// One statement that computes a tensor.
struct Stage {
  std::size_t tensor = 0;  ///< index into Program::tensors
  std::vector<Axis> axes, reduce_axes;
  std::optional<ReductionKind> reduction;
  Term body;

  /// nullptr where the statement has no axis of that name.
  const Axis* find_axis(std::string_view name) const;
};

struct Program {
  std::string text;                 ///< as it was written, for messages
  std::vector<TensorInfo> tensors;  ///< in the order of their first appearance
  std::vector<Stage> stages;

  /// nullptr where there is none of that name.
  const TensorInfo* find_tensor(std::string_view name) const;
  /// The inputs, then the tensors that no statement reads: the parameters of the function. Indices into `tensors`.
  std::vector<std::size_t> parameters() const;
};

/// Calls `on_term` for the term and each of its parts, in the order of the text. `guarded` says whether a select, && or
/// || may prevent that it is computed.
template <class F>
void for_each_term(const Term& term, const F& on_term, bool guarded = false);
/// The same for every read: `on_access(access, term, guarded)`.
template <class F>
void for_each_access(const Term& term, const F& on_access);

/// Finds the types and the extents of `source`. Throws ExpressionError.
Program analyse(const Source& source);

// The steps of analyse(), which throw ExpressionError. `program` has the tensors and stages of `source`; extents
// that are not known yet are 0.

/// Finds the extents of all axes and the shapes of all tensors.
void resolve_extents(const Source& source, Program& program);
/// Finds the types of computed tensors, and checks those of all terms.
void check_types(const Source& source, Program& program);
/// Checks that no integer is divided by 0. Requires extents.
void check_divisors(const Program& program);
/// Checks that arithmetic on indices does not overflow. Requires extents.
void check_overflow(const Program& program);

template <class F>
void for_each_term(const Term& term, const F& on_term, bool guarded) {
  on_term(term, guarded);
  const auto all = [&](const std::vector<Term>& terms) {
    for (const Term& t : terms) for_each_term(t, on_term, guarded);
  };
  if (const auto* access = std::get_if<Access>(&term.value)) {
    all(access->indices);
  } else if (const auto* negation = std::get_if<Negation>(&term.value)) {
    all(negation->operand);
  } else if (const auto* complement = std::get_if<Complement>(&term.value)) {
    all(complement->operand);
  } else if (const auto* binary = std::get_if<BinaryTerm>(&term.value)) {
    const bool is_logical = binary->op == ir::BinaryOp::kAnd || binary->op == ir::BinaryOp::kOr;
    for_each_term(binary->operands[0], on_term, guarded);
    for_each_term(binary->operands[1], on_term, guarded || is_logical);
  } else if (const auto* call = std::get_if<FunctionCall>(&term.value)) {
    const bool is_select = call->name == "select";
    for (std::size_t i = 0; i < call->arguments.size(); ++i) {
      for_each_term(call->arguments[i], on_term, guarded || (is_select && i > 0));
    }
  }
}

template <class F>
void for_each_access(const Term& term, const F& on_access) {
  for_each_term(term, [&](const Term& part, bool guarded) {
    if (const auto* access = std::get_if<Access>(&part.value)) on_access(*access, part, guarded);
  });
}

}  // namespace nestwright::text
