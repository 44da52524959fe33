// Random tensor expressions of one to five units: a compute, a reduction of tuples, a scan, or a compute that an
// intrinsic can replace. All their values are exact in any order of evaluation: integers, kept so small in
// floating point that neither sums nor products round.
// Thread rule: values; expressions share no data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/schedule.h"
#include "tests/property/choices.h"
#include "tests/property/dim.h"

namespace nestwright::property {

/// A compute of tiles that an intrinsic can replace.
struct Tile {
  Tensor tensor;
  TensorIntrinsic intrinsic;
};

struct Expression {
  std::vector<Tensor> inputs, outputs;
  std::vector<Tensor> computes;  ///< one result of each operation, including the parts of scans
  std::vector<Symbol> symbols;
  std::vector<ir::ReducerKind> reducers;
  int scans = 0;
  std::vector<Tile> tiles;

  /// Inputs, then outputs: the signature that programs are lowered with.
  std::vector<Tensor> arguments() const;
  /// One line for each tensor, for people to read.
  std::string str() const;
};

/// One sequence of choices for each unit, so that a unit can be left out.
using ExpressionChoices = std::vector<Choices>;

struct ExpressionGoal {
  std::optional<ir::ReducerKind> reducer;  ///< of any reductions; kCustom: of tuples
  bool scan = false, tile = false;         ///< raises the number of these
};

/// Draws the choices of an expression.
ExpressionChoices draw_expression(std::uint64_t seed);
/// The expression that the choices denote. Every sequence of choices denotes one.
Expression make_expression(ExpressionChoices& choices, const ExpressionGoal& goal = {});

}  // namespace nestwright::property
