// Random tensor expressions: one to five units, each a compute, a reduction of tuples, a scan or a compute that an
// intrinsic can take the place of, with values that every order of evaluation gives exactly: whole numbers, kept so
// small in floating point that neither sums nor products round.
// Thread rule: values; making one shares nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/tensor_intrinsic.h"
#include "tests/property/choices.h"
#include "tests/property/dim.h"

namespace nestwright::property {

/// A compute of tiles that an intrinsic does.
struct Tile {
  Tensor tensor;
  TensorIntrinsic intrinsic;
};

struct Expression {
  std::vector<Tensor> inputs, outputs;
  std::vector<Tensor> computes;  ///< one of the results of each operation, the parts of scans included
  std::vector<Symbol> symbols;
  std::vector<ir::ReducerKind> reducers;
  int scans = 0;
  std::vector<Tile> tiles;

  /// Inputs, then outputs: the signature that programs are lowered with.
  std::vector<Tensor> arguments() const;
  /// One line a tensor, for people.
  std::string str() const;
};

/// One stream of choices a unit, so that a unit can be left out.
using ExpressionChoices = std::vector<Choices>;

struct ExpressionWish {
  std::optional<ir::ReducerKind> reducer;  ///< of the reductions, where there are any; kCustom: of tuples
  bool scan = false, tile = false;         ///< more of these
};

/// Draws the choices of an expression.
ExpressionChoices draw_expression(std::uint64_t seed);
/// The expression that the choices stand for. Every sequence of choices stands for some.
Expression make_expression(ExpressionChoices& choices, const ExpressionWish& wish = {});

}  // namespace nestwright::property
