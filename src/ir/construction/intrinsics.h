// The mathematical functions on expressions, as users write them in tensor expressions: exp(A(i, j)).
// Thread rule: pure functions.
//
// Types. Operands are converted as by the operators: a literal takes the other operand's type, a scalar is broadcast.
// The result has the type of the operands. float16 and bfloat16 are computed in float32 and rounded. For a type on
// which a function is not defined, UsageError says which cast to write.
//
// Accuracy. sqrt, floor, ceil, round, trunc, abs, scale and fma are correctly rounded; rsqrt is 1 / sqrt(x), each
// rounded.
// stated_ulp() (lower/support/vector_math.h) has the error bounds of the others; the interpreter calls libm.
#pragma once

#include <string>
#include <vector>

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
Expr sin(const Expr& x);  ///< of radians; NaN for infinity
Expr cos(const Expr& x);  ///< as sin
Expr pow(const Expr& x, const Expr& y);
/// x * 2^n for an integral n, rounded once, also for 0, infinity and subnormal results.
Expr scale(const Expr& x, const Expr& n);
/// x rounded to tf32, 10 bits of mantissa, as tensor cores round operands (kRoundTf32, ir/core/expr.h). For float32
/// only.
Expr round_tf32(const Expr& x);

// On floating-point types and integers; the first four are the identity on integers.
Expr floor(const Expr& x);
Expr ceil(const Expr& x);
Expr round(const Expr& x);  ///< to nearest, ties to even
Expr trunc(const Expr& x);  ///< towards 0
Expr abs(const Expr& x);    ///< the lowest signed integer gives itself
/// min(high, max(low, x)): `high` where low > high; `low` where x is NaN.
Expr clamp(const Expr& x, const Expr& low, const Expr& high);
/// x * y + z, rounded once where the type is floating.
Expr fma(const Expr& x, const Expr& y, const Expr& z);

/// The value whose bits are those of `x`. Throws UsageError where `type` has another number of bits, or where one of
/// the two is bool.
Expr reinterpret(Type type, const Expr& x);

/// The value of type `type` that the C function `function` gives for `args`; on CPUs. It is called as C declares it:
/// int is int32, long int64, _Bool bool. It has no side effects, and may be called for elements that are not used. The
/// function is looked up in the process that runs the kernel. A literal has the type int64 or float32: cast it to
/// another. All calls of one function in a program have the same types, as C declares it once.
/// Throws UsageError for a name that C does not have, and for float16 and bfloat16.
Expr call_extern(Type type, const std::string& function, const std::vector<Expr>& args);

/// A 32-bit word of four bytes or two halves, the first one lowest: an operand of dot(). The parts are integers, whose
/// lowest bits are taken, or 16-bit floats. Throws UsageError for any other number of parts and for other types.
Expr join(const std::vector<Expr>& parts);
/// `sum` + the products of the parts of two words. `how` is kDotU8S8, kDotS8S8, kDotS16 or kDotBF16 (ir/core/expr.h).
Expr dot(Intrinsic how, Expr sum, Expr a, Expr b);

/// The value that `x` has in the thread whose threadIdx.x differs in the bit `n`. kShuffleXor (ir/core/expr.h) says
/// where it may occur.
Expr shuffle_xor(const Expr& x, int n);

}  // namespace nestwright::ir
