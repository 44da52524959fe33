// The nodes of expressions: a small closed set, matched by Expr::as<Node>() or std::visit. For those who inspect or
// transform programs; nestwright/expr.h is enough to write expressions. Not stable: nodes may be added.
// Thread rule: nodes are immutable; any number of threads may read them.
//
// The grammar of programs (nestwright/program.h has the statements):
// `x*` is any number of x, `x?` is x or nothing, `field:X` is an X in a field of that name.
//
//   Program      ::= name Parameter* symbols:Var* Requirement* Workspace preparation:Stmt? host:Stmt? Kernel*
//   Parameter    ::= Buffer Role in_place_of is_constant shape?
//   Requirement  ::= slack:Expr why                        on the symbols
//   Workspace    ::= shared_bytes per_thread_bytes symbolic_shared_bytes:Expr? symbolic_per_thread_bytes:Expr?
//   Kernel       ::= name body:Stmt?
//   Buffer       ::= name Type shape:Expr* strides:Expr* Scope alignment
//   Var          ::= name Type
//
//   Stmt         ::= For | Block | Let | IfThenElse | Store | Allocate | Prefetch | CommitCopies | Barrier | Launch |
//                    TensorInstruction
//   For          ::= LoopKind Var min:Expr extent:Expr body:Stmt
//   Block        ::= Stmt Stmt Stmt*                       none of them a Block
//   Let          ::= Var value:Expr body:Stmt
//   IfThenElse   ::= condition:Expr then_case:Stmt else_case:Stmt?
//   Store        ::= Buffer indices:Expr* value:Expr mask:Expr? non_temporal asynchronous
//   Allocate     ::= Buffer body:Stmt offset per_thread symbolic_offset:Expr?
//   Prefetch     ::= Buffer indices:Expr* for_write locality
//   CommitCopies ::= pending                               in device kernels
//   Barrier      ::= pending                               in device kernels
//   Launch       ::= kernel                                in the host statement and the preparation
//   TensorInstruction ::= TensorOp operands:(Buffer? at:Expr)* Type columns transposes_a transposes_b swizzles_a
//                         swizzles_b body:Stmt?
//                                                          in the vector form
//
//   Expr         ::= Type (IntImm | FloatImm | VarRef | Binary | Not | Select | Cast | Load | Ramp | Broadcast | Call |
//                          CallExtern | Reduce)
//   IntImm       ::= value                                 integer or bool
//   FloatImm     ::= value
//   VarRef       ::= Var
//   Binary       ::= BinaryOp a:Expr b:Expr
//   Not          ::= a:Expr
//   Select       ::= condition:Expr if_true:Expr if_false:Expr
//   Cast         ::= value:Expr
//   Load         ::= Buffer indices:Expr* mask:Expr?
//   Ramp         ::= base:Expr stride:Expr                 a vector, in the vector form
//   Broadcast    ::= value:Expr                            a vector, in the vector form
//   Call         ::= Intrinsic args:Expr*                  see Intrinsic
//   CallExtern   ::= function args:Expr*                   a C function; on CPUs
//   Reduce       ::= ReducerKind Combiner? result init:Expr* axes:(Var min:Expr extent:Expr)* values:Expr*
//                                                          before lowering only
//   Combiner     ::= name left:Var* right:Var* combined:Expr* identity:Expr*
//
// Semantics, for every node:
//  - Integers wrap around in two's complement; index arithmetic (kIndex) is required not to overflow.
//  - Division and modulo of integers round towards minus infinity (floor): (a/b)*b + a%b == a, and a%b has the sign of
//    b. The quotient of the lowest integer by -1 wraps. The divisor is required not to be 0 where the value is used:
//    the operand of a select that is not chosen, or a lane that a mask disables, may divide by 0.
//  - Floating point follows IEEE 754 per operation, except that a*b+c may be contracted into one fma. Nothing is
//    reassociated: a reduction's order is the loop order. Each operation on float16 and bfloat16 is computed in float32
//    and rounded. min and max give the other operand where one is NaN, as C's fmin and fmax do, and of zeros of both
//    signs either. Which NaN an operation gives is unspecified. Subnormals are not flushed.
//  - Operands have no side effects; evaluation order is unspecified. `select`, `&&` and `||` may evaluate all operands,
//    so a load in one that is not chosen must be in bounds or masked.
//  - A vector value has `lanes` elements; an operation on vectors works lane by lane. Mixed lanes are illegal:
//    Broadcast first.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "nestwright/expr.h"

#pragma GCC visibility push(default)

namespace nestwright::ir {

struct IntImm {
  std::int64_t value;
};
struct FloatImm {
  double value;    ///< rounded to the type
  double written;  ///< before rounding; a literal that meets a wider type is rounded anew from it
};
struct VarRef {
  Var var;
};

enum class BinaryOp : std::uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kMin,
  kMax,
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kAnd,
  kOr
};
const char* binary_op_name(BinaryOp op);  // "+", "min", "&&"
inline bool is_comparison(BinaryOp op) { return op >= BinaryOp::kEq && op <= BinaryOp::kGe; }
/// Both operands have the same type; a comparison gives bool with the same number of lanes.
struct Binary {
  BinaryOp op;
  Expr a, b;
};
struct Not {
  Expr a;
};
/// `condition` has a bool for each lane, or is a scalar that chooses for all lanes.
struct Select {
  Expr condition, if_true, if_false;
};
/// Conversion to the node's type, lane by lane:
///  - integer or bool to integer: modulo 2^bits, as in two's complement; to bool: whether it is not 0
///  - float to integer: truncated towards 0; saturates at the ends of the integer's range, NaN gives 0
///  - float to bool: whether it is not 0 (NaN is not)
///  - integer or bool to float: to nearest, ties to even
///  - float to float: to nearest, ties to even; beyond the range infinity; NaN stays NaN
///  - any type but float32 to float16 and bfloat16: through float32, and so possibly rounded twice
struct Cast {
  Expr value;
};
/// Reads buffer[indices]. In the vector form one index may be a vector (contiguous when it is a Ramp of stride 1 in the
/// dimension of stride 1), or several with the same number of lanes (a gather). Lanes where `mask` is false read
/// nothing and give 0; an undefined mask enables all lanes.
struct Load {
  Buffer buffer;
  std::vector<Expr> indices;
  Expr mask;
};
/// The vector base, base + stride, ... with one element for each lane of the type; base and stride are scalar.
struct Ramp {
  Expr base, stride;
};
struct Broadcast {
  Expr value;  ///< scalar
};
enum class Intrinsic : std::uint8_t {
  kFma,
  kExp,
  kLog,
  kLog2,
  kSqrt,
  kRsqrt,
  kTanh,
  kSigmoid,
  kErf,
  kSin,
  kCos,
  kPow,
  kFloor,
  kCeil,
  kRound,
  kTrunc,
  kAbs,
  kScale,  ///< scale(x, n): x * 2^n, rounded once, for an integral n of x's type; unspecified for other n
  // Integers. Shifts behave as if one bit were shifted at a time: an amount of at least the type's bits shifts all of
  // them out, and so does a negative amount.
  kBitAnd,
  kBitOr,
  kBitXor,
  kShiftLeft,    ///< shift_left(x, n): fills with 0
  kShiftRight,   ///< shift_right(x, n): fills with the sign of a signed x, else with 0
  kLikely,       ///< the identity on a bool: marks the guard of a loop's tail, which loop partitioning removes
  kEstrin,       ///< the identity on a float: the call that it takes is expanded with polynomials in Estrin's form
  kReinterpret,  ///< the operand's bits as a value of the call's type, which has the same number of bits
  // Words: an int32 that holds four bytes or two halves, the first one lowest. All arguments are int32 except the sum
  // of dot_bf16.
  kJoinBytes,   ///< join_bytes(b0..b3): the word of the lowest byte of each
  kJoinHalves,  ///< join_halves(h0, h1): the word of the lower half of each
  kDotU8S8,     ///< dot_u8s8(sum, a, b): sum + a0*b0 + ... + a3*b3, which wraps around, a's bytes uint8 and b's int8
  kDotS8S8,     ///< dot_s8s8(sum, a, b): likewise, both int8
  kDotS16,      ///< dot_s16(sum, a, b): sum + a0*b0 + a1*b1, which wraps around, of halves that are int16
  /// dot_bf16(sum, a, b), float32: sum + a0*b0 + a1*b1 of halves that are bfloat16, in any order; every operation may
  /// be rounded or fused with the next, and subnormals may be flushed to 0.
  kDotBF16,
  /// shuffle_xor(x, n): the x of the thread whose threadIdx.x differs in the bit n alone, where n is a literal: 1, 2,
  /// 4, 8 or 16. Only in the vector form of a device, as the whole value of a store to memory that is private to a
  /// thread, in control flow that is uniform across the warp. The block consists of whole
  /// warps, and its threads along x are a multiple of 2n.
  kShuffleXor,
  /// round_tf32(x), float32: x rounded to 10 bits of mantissa, as tensor cores round operands. To nearest, ties away
  /// from 0; infinity beyond the range; NaN stays NaN.
  kRoundTf32,
  // CPU instructions, with which instruction selection replaces intrinsics above of the same value. Vector form of a
  // CPU only.
  kLoadBytes,   ///< join_bytes of adjacent elements, the first one lowest: one load of the word
  kLoadHalves,  ///< join_halves of adjacent elements
  kVpdpbusd,    ///< dot_u8s8 of 4, 8 or 16 words, AVX512-VNNI
  kVpdpwssd,    ///< dot_s16 of 4, 8 or 16 words, AVX512-VNNI
  kPmaddwd,     ///< dot_s16 of 4, 8 or 16 words, by a sum of pairs and an addition
  kVdpbf16ps,   ///< dot_bf16 of 4, 8 or 16 words, AVX512-BF16
};
/// Whether it is the identity on its argument, and tells the lowering something about it.
inline bool is_hint(Intrinsic intrinsic) { return intrinsic == Intrinsic::kLikely || intrinsic == Intrinsic::kEstrin; }
inline bool is_dot(Intrinsic intrinsic) { return intrinsic >= Intrinsic::kDotU8S8 && intrinsic <= Intrinsic::kDotBF16; }
/// Whether its operands or its result are words.
inline bool is_packed_word_op(Intrinsic intrinsic) {
  return intrinsic >= Intrinsic::kJoinBytes && intrinsic <= Intrinsic::kDotBF16;
}
/// Whether only instruction selection creates it.
inline bool is_cpu_instruction(Intrinsic intrinsic) {
  return intrinsic >= Intrinsic::kLoadBytes && intrinsic <= Intrinsic::kVdpbf16ps;
}
const char* intrinsic_name(Intrinsic intrinsic);
/// Number of arguments.
int intrinsic_arity(Intrinsic intrinsic);
struct Call {
  Intrinsic intrinsic;
  std::vector<Expr> args;
};

/// A call of the C function of this name, once for each lane, with arguments of any element types but float16 and
/// bfloat16. The node's type is that of the result. The function has no side effects, and may be called where the value
/// is not used.
struct CallExtern {
  std::string function;
  std::vector<Expr> args;
};

enum class ReducerKind : std::uint8_t { kSum, kProd, kMin, kMax, kAny, kAll, kCustom };
const char* reducer_name(ReducerKind kind);
/// One axis of a reduction; `var` occurs in the values that are reduced.
struct ReduceAxis {
  Var var;
  Expr min, extent;
  /// Whether it is meant to run over a part of a dimension (see reduce_axis in nestwright/tensor.h).
  bool may_be_part = false;
};
/// A user-made reducer of tuples: it combines the tuples `left` and `right` to `combined`, an expression of these
/// variables; `identity` is its neutral element. All four have one element for each member of the tuple. It is required
/// to be associative and commutative, because schedules reorder it.
struct Combiner {
  std::string name;
  std::vector<Var> left, right;
  std::vector<Expr> combined, identity;
};
/// Combines `values` over `axes`; the expression is member `result` of the combination. There is one value, except for
/// tuples (kCustom, with a combiner). Legal only as the whole body of a compute (nestwright/tensor.h); a lowered
/// program has none.
struct Reduce {
  ReducerKind reducer;
  std::vector<Expr> values;
  std::vector<ReduceAxis> axes;
  std::shared_ptr<const Combiner> combiner;  ///< kCustom only
  int result = 0;
  /// What the values are combined with, one for each, without the variables of the axes. Empty: the identity.
  std::vector<Expr> init;
};

struct ExprNode {
  Type type;
  std::variant<IntImm, FloatImm, VarRef, Binary, Not, Select, Cast, Load, Ramp, Broadcast, Call, CallExtern, Reduce>
      value;
};

template <class T>
const T* Expr::as() const {
  return std::get_if<T>(&node_->value);
}

/// A visitor of lambdas, for std::visit over a node's value.
template <class... F>
struct overloaded : F... {
  using F::operator()...;
};

// --- Making expressions ----------------------------------------------------------------------------------------------

// Types are checked: a mismatch throws InternalError, in the operators below UsageError.

Expr make_int(std::int64_t value, Type type);
Expr make_float(double value, Type type);
/// A literal of any type: 0, 1 or an identity.
Expr make_const(double value, Type type);
Expr make_bool(bool value, int lanes = 1);
Expr make_binary(BinaryOp op, Expr a, Expr b);
/// a op b by the operators below, which convert the operands, fold constants and drop neutral elements.
Expr apply(BinaryOp op, const Expr& a, const Expr& b);
/// Converts two operands to the same type and number of lanes, as the operators do. Throws UsageError, which names
/// `where`.
void make_agree(Expr& a, Expr& b, const char* where);
/// The literal in the scalar type `type`, as operators convert it; undefined where it is no value of this type.
Expr retype_literal(const Expr& literal, Type type);
Expr make_not(Expr a);
Expr make_select(Expr condition, Expr if_true, Expr if_false);
Expr make_cast(Type type, Expr value);
Expr make_load(Buffer buffer, std::vector<Expr> indices, Expr mask = {});
Expr make_ramp(Expr base, Expr stride, int lanes);
/// Returns `value` itself where lanes is 1.
Expr make_broadcast(Expr value, int lanes);
Expr make_call(Intrinsic intrinsic, std::vector<Expr> args, Type type);
Expr make_call_extern(std::string function, std::vector<Expr> args, Type type);
Expr make_reduce(ReducerKind reducer, Expr value, std::vector<ReduceAxis> axes);
/// Requires the parts of `reduce` to agree in number and type.
Expr make_reduce(Reduce reduce);
/// What member `member` of the tuple starts from: its init, or the neutral element.
Expr reducer_start(const Reduce& reduce, std::size_t member);
/// The neutral element of a reducer. Not for kCustom, whose combiner has it.
Expr reducer_identity(ReducerKind kind, Type type);
/// The neutral element of a member of the tuple, also for kCustom.
Expr reducer_identity(const Reduce& reduce, std::size_t member);
/// The combination of two values. Not for kCustom.
Expr reducer_combine(ReducerKind kind, const Expr& a, const Expr& b);

// --- Words and shuffles ----------------------------------------------------------------------------------------------

/// A 32-bit word of four bytes or two halves, the first one lowest: an operand of dot(). The parts are integers, whose
/// lowest bits are taken, or 16-bit floats. Throws UsageError for any other number of parts and for other types.
Expr join(const std::vector<Expr>& parts);
/// `sum` + the products of the parts of two words. `how` is kDotU8S8, kDotS8S8, kDotS16 or kDotBF16.
Expr dot(Intrinsic how, Expr sum, Expr a, Expr b);

/// The value that `x` has in the thread whose threadIdx.x differs in the bit `n`. kShuffleXor says where it
/// may occur.
Expr shuffle_xor(const Expr& x, int n);

}  // namespace nestwright::ir

#pragma GCC visibility pop
