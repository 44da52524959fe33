#include "graph/layout/split_index.h"

#include <cstdlib>

#include "graph/program/linear_form.h"
#include "graph/program/units.h"
#include "text/analysis/interval.h"

namespace nestwright {
namespace {

using text::Term;

Term number_term(std::int64_t value) { return Term{.value = text::Integer{value}}; }
Term axis_term(const std::string& axis) { return Term{.value = text::IndexValue{axis}}; }

/// `sum` + coefficient * term.
Term with_multiple(Term sum, std::int64_t coefficient, Term term) {
  const bool is_negative = coefficient < 0;
  const std::int64_t factor = is_negative ? -coefficient : coefficient;
  if (factor != 1) term = folded(binary_term(ir::BinaryOp::kMul, number_term(factor), std::move(term)));
  const ir::BinaryOp op = is_negative ? ir::BinaryOp::kSub : ir::BinaryOp::kAdd;
  return folded(binary_term(op, std::move(sum), std::move(term)));
}

}  // namespace

std::string block_axis(const std::string& axis) { return axis + "_block"; }
std::string lane_axis(const std::string& axis) { return axis + "_lane"; }

std::optional<SplitIndex> split_index(const Term& index, const text::Stage& stage, int block) {
  const std::optional<text::Linear> linear = text::linear_of(index);
  if (!linear) return std::nullopt;
  SplitIndex split;
  for (const auto& [name, coefficient] : linear->coefficients) {
    if (coefficient % block == 0) continue;
    if (coefficient != 1 || split.axis || stage.find_axis(name)->extent % block != 0) return std::nullopt;
    split.axis = name;
  }
  const std::int64_t lane = ((linear->constant % block) + block) % block;
  if (split.axis && lane != 0) return std::nullopt;
  split.lane = split.axis ? axis_term(lane_axis(*split.axis)) : number_term(lane);
  split.block = split.axis ? axis_term(block_axis(*split.axis)) : number_term(0);
  for (const auto& [name, coefficient] : linear->coefficients) {
    if (name == split.axis) continue;
    split.block = with_multiple(std::move(split.block), coefficient / block, axis_term(name));
  }
  const std::int64_t blocks = (linear->constant - lane) / block;
  split.block = with_multiple(std::move(split.block), blocks < 0 ? -1 : 1, number_term(std::abs(blocks)));
  return split;
}

}  // namespace nestwright
