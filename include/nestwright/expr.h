// Expressions: immutable value handles, their operators and the mathematical functions on them.
//
//   Expr y = max(x * 2 + 1, 0), z = exp(A(i, j)) / s(i);
//
// Integers wrap around in two's complement. Division and modulo of integers round towards minus infinity (floor):
// (a/b)*b + a%b == a, and a%b has the sign of b. Floating point follows IEEE 754 per operation, except that a*b+c may
// be contracted into one fma. nestwright/expr_nodes.h defines the nodes and states their semantics in full.
//
// Types. A literal takes the other operand's type, a scalar is broadcast to the other's lanes. The result of a function
// has the type of its operands. float16 and bfloat16 are computed in float32 and rounded. For a type on which a
// function is not defined, UsageError says which cast to write.
//
// Accuracy. sqrt, floor, ceil, round, trunc, abs, scale and fma are correctly rounded; rsqrt is 1 / sqrt(x), each
// rounded. docs/language.md has the error bounds of the others.
//
// Thread rule: handles are values that share immutable nodes; any number of threads may read and copy them.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/type.h"

// NESTWRIGHT_LIFETIME_BOUND marks a parameter, or after the parameter list the object itself, that the result of a
// function refers to. clang warns if such a result outlives a temporary (-Wdangling).
#if defined(__clang__)
#define NESTWRIGHT_LIFETIME_BOUND [[clang::lifetimebound]]
#else
#define NESTWRIGHT_LIFETIME_BOUND
#endif

#pragma GCC visibility push(default)

namespace nestwright::ir {

class Expr;

/// A conversion to any other type, such as an integer, would make an Expr of that integer.
template <class T>
concept BoolOrExpr = std::same_as<T, bool> || std::same_as<T, Expr>;

/// The base of the conditions that && and || below join.
struct HandleCondition {};

/// The result of == and != of two handles. A Handle has an id() and converts to an Expr.
template <class Handle>
class HandleEquality : public HandleCondition {
 public:
  HandleEquality(Handle a, Handle b, bool equal) : a_(std::move(a)), b_(std::move(b)), equal_(equal) {}
  template <BoolOrExpr T>
  operator T() const {  // NOLINT(google-explicit-constructor): containers compare handles, and expressions their values
    if constexpr (std::same_as<T, bool>) {
      return (a_.id() == b_.id()) == equal_;
    } else {
      return equal_ ? T(a_) == T(b_) : T(a_) != T(b_);
    }
  }
  HandleEquality operator!() const { return {a_, b_, !equal_}; }

 private:
  Handle a_, b_;
  bool equal_;
};

/// The result of && and || of such conditions, whose operands are both evaluated.
template <class A, class B>
class JoinedCondition : public HandleCondition {
 public:
  JoinedCondition(const A& a, const B& b, bool is_conjunction) : a_(a), b_(b), is_conjunction_(is_conjunction) {}
  template <BoolOrExpr T>
  operator T() const {  // NOLINT(google-explicit-constructor)
    const T a = a_, b = b_;
    return is_conjunction_ ? a && b : a || b;
  }
  JoinedCondition operator!() const { return {!a_, !b_, !is_conjunction_}; }

 private:
  A a_;
  B b_;
  bool is_conjunction_;
};

template <std::derived_from<HandleCondition> A, std::derived_from<HandleCondition> B>
JoinedCondition<A, B> operator&&(const A& a, const B& b) {
  return {a, b, true};
}
template <std::derived_from<HandleCondition> A, std::derived_from<HandleCondition> B>
JoinedCondition<A, B> operator||(const A& a, const B& b) {
  return {a, b, false};
}

struct ExprNode;
struct BufferNode;
struct VarNode;

/// Handle of an expression. A default-constructed one is undefined (absent).
class Expr {
 public:
  Expr() = default;
  Expr(int value);           // NOLINT(google-explicit-constructor): literals are expressions, of type kIndex
  Expr(unsigned value);      // NOLINT(google-explicit-constructor)
  Expr(std::int64_t value);  // NOLINT(google-explicit-constructor)
  /// Throws UsageError above the largest int64.
  Expr(std::uint64_t value);  // NOLINT(google-explicit-constructor): what size() of a container returns
  Expr(double value);         // NOLINT(google-explicit-constructor): of type float32 until it meets a typed operand
  explicit Expr(std::shared_ptr<const ExprNode> node) : node_(std::move(node)) {}

  bool defined() const { return node_ != nullptr; }
  /// Throws UsageError for an undefined expression, as does lanes().
  Type type() const;
  int lanes() const { return type().lanes; }
  const ExprNode& node() const NESTWRIGHT_LIFETIME_BOUND { return *node_; }
  /// The node as T, or nullptr where it is of another kind. Requires defined().
  template <class T>
  const T* as() const NESTWRIGHT_LIFETIME_BOUND;
  /// Whether both are the same node, not merely equal ones: a pass returns the same node for unchanged input.
  bool same_as(const Expr& other) const { return node_ == other.node_; }

 private:
  std::shared_ptr<const ExprNode> node_;
};

/// A variable. Identity is by node, the name is for printing only. In an expression, comparisons are those of the
/// values: n < m, n == m. Only a Let of the vector form defines variables of vector types.
class Var {
 public:
  Var() = default;
  explicit Var(std::string name, Type type = kIndex);
  const std::string& name() const;
  Type type() const;
  bool defined() const { return node_ != nullptr; }
  operator Expr() const;  // NOLINT(google-explicit-constructor): a variable is an expression
  /// As a bool: whether both are the same variable. As an Expr: whether their values are equal.
  friend HandleEquality<Var> operator==(const Var& a, const Var& b) { return {a, b, true}; }
  friend HandleEquality<Var> operator!=(const Var& a, const Var& b) { return {a, b, false}; }
  const void* id() const { return node_.get(); }

 private:
  std::shared_ptr<const VarNode> node_;
};

/// The memory that a buffer lives in.
enum class Scope : std::uint8_t {
  kGlobal,    ///< memory: a parameter, or an allocation in the workspace
  kShared,    ///< shared by the threads of a GPU block
  kLocal,     ///< private to one iteration of the enclosing parallel loop; a small stack array on the CPU
  kRegister,  ///< like kLocal, and held in registers: indices must be constant in the vector form
  /// Like kLocal, in the tile registers of the CPU: the last two dimensions are a tile of at most 16 rows of at most 16
  /// elements of 4 bytes, the others number the tiles. Whole tiles are filled, accumulated and copied out.
  kTile,
  /// Like kLocal, for the tensor cores of a GPU: the last two dimensions are a matrix that a warp, the threads of a
  /// threadIdx.x of 4 and a threadIdx.y of 8, holds in its registers together. All threads execute every store to it
  /// and store the same values (verify() in nestwright/program.h), as if each held the whole matrix; on the device,
  /// thread (x, y) holds the elements 2x and 2x + 1 of row y of each 8 x 8 matrix. Sums may be accumulated in any order
  /// and rounded less often.
  kFragment,
};
const char* scope_name(Scope scope);  // "global", "shared", "local", "register", "tile", "fragment"

/// A multi-dimensional array. Identity is by node.
class Buffer {
 public:
  Buffer() = default;
  /// Compact when `strides` is empty; strides are in elements. `alignment` in bytes, of the first element.
  Buffer(std::string name, Type element, std::vector<Expr> shape, Scope scope = Scope::kGlobal,
         std::vector<Expr> strides = {}, int alignment = 64);
  bool defined() const { return node_ != nullptr; }
  const BufferNode* operator->() const { return node_.get(); }
  friend bool operator==(const Buffer& a, const Buffer& b) { return a.node_ == b.node_; }
  friend bool operator<(const Buffer& a, const Buffer& b) { return a.node_ < b.node_; }

 private:
  std::shared_ptr<const BufferNode> node_;
};

struct BufferNode {
  std::string name;
  Type element;
  std::vector<Expr> shape;
  std::vector<Expr> strides;  ///< empty: compact, row-major
  Scope scope = Scope::kGlobal;
  int alignment = 64;
  /// Of a tensor that is computed or given: its Operation::Node, which sets it once, when the operation is made. Not
  /// owned, as the operation owns the buffer.
  mutable std::weak_ptr<const void> operation = {};

  int rank() const { return static_cast<int>(shape.size()); }
  /// Stride of a dimension in elements, computed for compact buffers.
  Expr stride(int dimension) const;
  /// The number of elements from the first to the last one, gaps between rows included; of a compact buffer, the
  /// product of the extents. Requires constant extents and strides.
  std::int64_t elements() const;
};

struct VarNode {
  std::string name;
  Type type;
};

// --- Operators -------------------------------------------------------------------------------------------------------

// A literal takes the other operand's type, a scalar is broadcast to the other's lanes, integer constants
// are folded and x+0, x*1 and x*0 are simplified. `/` is floor division on integers; `/` and `%` throw UsageError for
// an integer divisor that is the literal 0.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator*(const Expr& a, const Expr& b);
Expr operator/(const Expr& a, const Expr& b);
Expr operator%(const Expr& a, const Expr& b);
Expr& operator+=(Expr& a, const Expr& b);
Expr& operator-=(Expr& a, const Expr& b);
Expr& operator*=(Expr& a, const Expr& b);
Expr& operator/=(Expr& a, const Expr& b);
// On integers; on bools, & and | are && and ||, and ^ is !=. Of indices, x << c, x >> c and x & (2^c - 1) with literals
// become x * 2^c, x / 2^c and x % 2^c, whose ranges are known.
Expr operator&(const Expr& a, const Expr& b);
Expr operator|(const Expr& a, const Expr& b);
Expr operator^(const Expr& a, const Expr& b);
/// Shifts by an amount of the same type as `a`; Intrinsic defines the result for negative and for too large amounts.
Expr operator<<(const Expr& a, const Expr& b);
Expr operator>>(const Expr& a, const Expr& b);
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
Expr operator==(const Expr& a, const Expr& b);
Expr operator!=(const Expr& a, const Expr& b);
Expr operator&&(const Expr& a, const Expr& b);
Expr operator||(const Expr& a, const Expr& b);
Expr operator!(const Expr& a);
Expr min(const Expr& a, const Expr& b);
Expr max(const Expr& a, const Expr& b);
Expr select(const Expr& condition, const Expr& if_true, const Expr& if_false);
Expr cast(Type type, const Expr& value);
Expr likely(const Expr& condition);

// --- Functions -------------------------------------------------------------------------------------------------------

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
/// x rounded to tf32, 10 bits of mantissa, as tensor cores round operands (Intrinsic::kRoundTf32). For float32
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

// --- Constants -------------------------------------------------------------------------------------------------------

/// The value of an integer literal; nullptr for any other expression, also one that could be folded.
const std::int64_t* as_const_int(const Expr& e NESTWRIGHT_LIFETIME_BOUND);
/// The values of integer literals, as the extents of a tensor often are. Requires that all are literals.
std::vector<std::int64_t> constants_of(std::span<const Expr> literals);
bool is_const_int(const Expr& e, std::int64_t value);
/// Whether a bool expression is the literal true or false, or a broadcast of it.
bool is_true(const Expr& e);
bool is_false(const Expr& e);

/// Floor division and modulo of integers, as the IR defines them.
std::int64_t floor_div(std::int64_t a, std::int64_t b);
std::int64_t floor_mod(std::int64_t a, std::int64_t b);

}  // namespace nestwright::ir

/// The order of variables in maps and sets, by address.
template <>
struct std::less<nestwright::ir::Var> {
  bool operator()(const nestwright::ir::Var& a, const nestwright::ir::Var& b) const {
    return std::less<>()(a.id(), b.id());
  }
};

#pragma GCC visibility pop
