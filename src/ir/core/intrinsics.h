// The mathematical functions on expressions, as the user writes them: exp(A(i, j)).
// Thread rule: pure functions.
//
// Types. A function of several operands makes them agree as the operators do: a literal takes the other's type, a
// scalar is broadcast. The type of the result is that of the operands. float16 and bfloat16 are computed in float32 and
// rounded. Where a function is not defined on a type, UsageError says which cast to write.
//
// Accuracy. sqrt, floor, ceil, round, abs, scale and fma round correctly; rsqrt is 1 / sqrt(x), each rounded. The
// others have the errors that lower/vector_math.h states for what the lowering makes of them; the interpreter calls
// libm.
#pragma once

#include "ir/core/expr.h"

namespace nestwright::ir {

// On floating-point types.
Expr exp(const Expr& x);
Expr log(const Expr& x);   ///< natural; NaN below 0, -inf at 0
Expr log2(const Expr& x);  ///< as log
Expr sqrt(const Expr& x);
Expr rsqrt(const Expr& x);
Expr tanh(const Expr& x);
Expr sigmoid(const Expr& x);  ///< 1 / (1 + exp(-x))
Expr erf(const Expr& x);
Expr pow(const Expr& x, const Expr& y);
/// x * 2^n for a whole number n, rounded once: 0, infinity and what lies below the normal range included.
Expr scale(const Expr& x, const Expr& n);
/// Rounded as tensor cores multiply it, to 10 bits behind the point (kRoundTf32, ir/core/expr.h). Of float32 only.
Expr round_tf32(const Expr& x);

// On integers, too, where the first three are the identity.
Expr floor(const Expr& x);
Expr ceil(const Expr& x);
Expr round(const Expr& x);  ///< to nearest, ties to even
Expr abs(const Expr& x);    ///< of the lowest signed integer: itself
/// min(max(x, low), high): low where it is above high; NaN stays NaN.
Expr clamp(const Expr& x, const Expr& low, const Expr& high);
/// x * y + z, rounded once where the type is floating.
Expr fma(const Expr& x, const Expr& y, const Expr& z);

/// The value whose bits are those of `x`. Throws UsageError where `type` has another number of bits, or where one of
/// the two is bool.
Expr reinterpret(Type type, const Expr& x);

/// A word of four bytes or two halves, the first one lowest: what products of narrow numbers, summed in fours or twos,
/// work on. The parts are integers, of which the lowest bits are taken, or floats of 16 bits. Throws UsageError for
/// other numbers of parts and other types.
Expr join(const std::vector<Expr>& parts);
/// `sum` + the products of the parts of two words. `how`: kDotU8S8, kDotS16, kDotBF16 (ir/core/expr.h).
Expr dot(Intrinsic how, Expr sum, Expr a, Expr b);

/// `x` of the thread whose threadIdx.x differs in the bit `n`: where it may stand, kShuffleXor (ir/core/expr.h) says.
Expr shuffle_xor(const Expr& x, int n);

}  // namespace nestwright::ir
