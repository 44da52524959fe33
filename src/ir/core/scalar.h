// Scalar arithmetic on every element type, each operation rounded to the type as the IR defines it, and the
// representation of elements in memory. The interpreter computes with it.
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nestwright/program.h"

namespace nestwright::ir {

/// a op b for operands of element type `type`, as nestwright/expr_nodes.h defines it; a comparison gives 0 or 1. Throws
/// Error for an integer division by 0.
Scalar apply_binary(BinaryOp op, Type type, Scalar a, Scalar b);
/// A cast, as ir::Cast defines it.
Scalar apply_cast(Type from, Type to, Scalar value);
/// The bits of `value`, of type `from`, as a value of type `to`. Requires types with the same number of bits.
Scalar apply_reinterpret(Type from, Type to, Scalar value);
/// `args` has as many values as the intrinsic takes. Not for kReinterpret, whose operand has a type of its own. kRound
/// rounds to nearest, ties to even. Throws Error where the intrinsic is not defined on the type.
Scalar apply_intrinsic(Intrinsic intrinsic, Type type, const Scalar* args);

Scalar read_element(Type type, const std::byte* at);
void write_element(Type type, Scalar value, std::byte* at);

/// The bits of a value in IEEE binary16 and bfloat16, rounded to nearest, ties to even, and the inverse.
std::uint16_t float16_bits(double value);
double float16_value(std::uint16_t bits);
std::uint16_t bfloat16_bits(double value);
double bfloat16_value(std::uint16_t bits);

}  // namespace nestwright::ir
