// Random tensor expressions: one to five computes over up to four placeholders, with values that every order of
// evaluation gives exactly: whole numbers, kept so small in floating point that neither sums nor products round.
// Thread rule: values; making one shares nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/property/choices.h"
#include "tests/property/dim.h"

namespace nestwright::property {

struct Expression {
  std::vector<Tensor> inputs, outputs;
  std::vector<Tensor> computes;
  std::vector<Symbol> symbols;
  std::vector<ir::ReducerKind> reducers;

  /// Inputs, then outputs: the signature that programs are lowered with.
  std::vector<Tensor> arguments() const;
  /// One line a tensor, for people.
  std::string str() const;
};

/// One stream of choices a compute, so that a compute can be left out.
using ExpressionChoices = std::vector<Choices>;

struct ExpressionWish {
  std::optional<ir::ReducerKind> reducer;  ///< of the reductions, where there are any
};

/// Draws the choices of an expression.
ExpressionChoices draw_expression(std::uint64_t seed);
/// The expression that the choices stand for. Every sequence of choices stands for some.
Expression make_expression(ExpressionChoices& choices, const ExpressionWish& wish = {});

}  // namespace nestwright::property
