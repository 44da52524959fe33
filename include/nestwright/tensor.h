// What to compute: tensors and the operations that define them, in the terms of TVM's tensor expressions.
//
//   Tensor  A = placeholder({M, K}, kFloat32, "A");
//   IterVar k = reduce_axis(K, "k");
//   Tensor  C = compute({M, N}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
//
// Thread rule: handles share immutable nodes; any thread may read them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "nestwright/reduction.h"

#pragma GCC visibility push(default)

namespace nestwright {

using ir::Buffer;
using ir::Type;

using ir::abs;
using ir::call_extern;
using ir::cast;
using ir::ceil;
using ir::clamp;
using ir::cos;
using ir::erf;
using ir::exp;
using ir::floor;
using ir::fma;
using ir::likely;
using ir::log;
using ir::log2;
using ir::max;
using ir::min;
using ir::pow;
using ir::reinterpret;
using ir::round;
using ir::round_tf32;
using ir::rsqrt;
using ir::scale;
using ir::select;
using ir::sigmoid;
using ir::sin;
using ir::sqrt;
using ir::tanh;
using ir::trunc;

struct PlaceholderOp {};

/// A loop nest over `axes` with one body for each result. Either no body is a Reduce, or all bodies are members of one
/// reduction over `reduce_axes`.
struct ComputeOp {
  std::vector<IterVar> axes;
  std::vector<IterVar> reduce_axes;
  std::vector<Expr> bodies;

  /// The reduction, or nullptr where the operation is not one.
  const ir::Reduce* reduction() const { return bodies.empty() ? nullptr : bodies.front().as<ir::Reduce>(); }
  /// The operands of the reduction, shared by the members of a tuple; the bodies where the operation is not a
  /// reduction.
  const std::vector<Expr>& values() const { return reduction() != nullptr ? reduction()->values : bodies; }
  /// values(), followed by the init of the reduction if it has one.
  std::vector<Expr> operands() const;
};

/// A recurrence over the leading axis (scan() below). Rows 0 .. k-1 of result r are init[r]; step t >= k stores
/// row t of update[r], whose body reads the earlier rows through states[r]. The three vectors have the same length.
struct ScanOp {
  ComputeOp steps;  ///< its only axis is the time, k .. T-1; its bodies are those of the operation's inputs
  std::vector<Buffer> init, update, states;

  const IterVar& time() const { return steps.axes.front(); }
  /// k: the number of rows that init provides.
  std::int64_t first_steps() const { return *ir::as_const_int(time().min()); }
};

inline constexpr int kMaxChain = 1000;  ///< the most tensors in a chain of producers

/// Handle of an operation; identity is by node. Each result is a logical buffer: reading a tensor is an ir::Load of its
/// buffer, which the lowering maps to the storage of the result. The results of a compute have one shape.
class Operation {
 public:
  struct Node {
    std::string name;
    std::variant<PlaceholderOp, ComputeOp, ScanOp> kind;
    std::vector<Buffer> results;
    /// Operations that the bodies read, in order of first use. Of a scan: the operations of its init and its update.
    std::vector<Operation> inputs;
    /// The number of operations in the longest chain of producers that ends here, as the user's calls made it.
    int depth = 1;
    /// The extents in which calls pass the only result (passed_as() below); nullopt: its own.
    std::optional<std::vector<std::int64_t>> passed_shape = {};
  };
  Operation() = default;
  explicit Operation(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  bool defined() const { return node_ != nullptr; }
  /// Throws UsageError for an undefined operation, as do the functions below.
  const Node* operator->() const {
    if (node_ == nullptr) refuse_undefined();
    return node_.get();
  }
  /// Axes and bodies; nullptr for a placeholder. Those of a scan are its time axis and no bodies.
  const ComputeOp* compute() const {
    const ScanOp* const as_scan = scan();
    return as_scan != nullptr ? &as_scan->steps : std::get_if<ComputeOp>(&operator->() -> kind);
  }
  const ScanOp* scan() const { return std::get_if<ScanOp>(&operator->() -> kind); }
  bool is_placeholder() const { return std::holds_alternative<PlaceholderOp>(operator->()->kind); }
  friend bool operator==(const Operation& a, const Operation& b) { return a.node_ == b.node_; }
  friend bool operator<(const Operation& a, const Operation& b) { return a.node_ < b.node_; }

 private:
  [[noreturn]] static void refuse_undefined();

  std::shared_ptr<const Node> node_;
};

/// One result of an operation.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(Operation op, int result = 0) : op_(std::move(op)), result_(result) {}
  bool defined() const { return op_.defined(); }
  const Operation& op() const { return op_; }
  /// Its index among the results of the operation.
  int result() const { return result_; }
  const Buffer& buffer() const { return op_->results[static_cast<std::size_t>(result_)]; }
  const std::string& name() const { return buffer()->name; }
  const std::vector<Expr>& shape() const { return buffer()->shape; }
  Type dtype() const { return buffer()->element; }
  int rank() const { return buffer()->rank(); }

  /// The element at `indices`. Throws UsageError where their number differs from the rank.
  template <class... Index>
    requires(std::constructible_from<Expr, const Index&> && ...)
  Expr operator()(const Index&... index) const {
    return at(std::vector<Expr>{Expr(index)...});
  }
  /// The same for a span of indices, as the body of a compute of any rank takes it.
  Expr operator()(std::span<const Expr> indices) const { return at({indices.begin(), indices.end()}); }
  Expr at(std::vector<Expr> indices) const;
  friend bool operator==(const Tensor& a, const Tensor& b) { return a.op_ == b.op_ && a.result_ == b.result_; }

 private:
  Operation op_;
  int result_ = 0;
};

/// A variable extent or stride, bound when the kernel is called.
Var var(std::string name, Type type = ir::Type{kIndex});

/// A tensor that the caller provides. `strides` are in elements; empty means compact. Throws UsageError for an extent
/// below 1, and for a name that is empty or contains spaces.
Tensor placeholder(std::vector<Expr> shape, Type type, std::string name, std::vector<Expr> strides = {});

/// An axis to reduce over, with the domain [0, extent) or [min, min + extent). Where it is all of one tensor's
/// dimension and a part of another's, create_schedule refuses [0, extent), but reduce_axis(0, extent, name) says that
/// the part is meant. Throws UsageError for an extent below 1.
IterVar reduce_axis(Expr extent, std::string name);
IterVar reduce_axis(Expr min, Expr extent, std::string name);

/// The tensor of `shape` whose element at `indices` is body(indices). Variables of the body that are neither indices
/// nor reduce axes are symbols, bound when the kernel is called. `strides`, in elements, are those of its memory where
/// it is an output; empty means compact. Throws UsageError where a reduction is not the whole body, for an integer that
/// is divided by the literal 0, for a chain of more than kMaxChain tensors, and for names and extents as placeholder
/// does.
Tensor compute_span(std::vector<Expr> shape, const std::function<Expr(std::span<const Expr>)>& body, std::string name,
                    std::vector<Expr> strides = {});

/// Several tensors of one shape, computed in one loop nest: bodies(indices) gives one element of each. They are named
/// name.v0, name.v1, ... Throws UsageError as compute_span does, and where one body is a reduction but the others are
/// not members of the same reduction.
std::vector<Tensor> compute_tuple(std::vector<Expr> shape,
                                  const std::function<std::vector<Expr>(std::span<const Expr>)>& bodies,
                                  std::string name);

namespace detail {
/// Throws UsageError where a body takes `arity` indices, but its tensor has another `rank`.
void check_arity(std::size_t rank, std::size_t arity);

/// Calls `body` with the indices as separate arguments, or as a span.
template <class F>
Expr call_body(const F& body, std::span<const Expr> x) {
  using E = const Expr&;
  if constexpr (std::invocable<const F&, std::span<const Expr>>) {
    return body(x);
  } else if constexpr (std::invocable<const F&>) {
    check_arity(x.size(), 0);
    return body();
  } else if constexpr (std::invocable<const F&, E>) {
    check_arity(x.size(), 1);
    return body(x[0]);
  } else if constexpr (std::invocable<const F&, E, E>) {
    check_arity(x.size(), 2);
    return body(x[0], x[1]);
  } else if constexpr (std::invocable<const F&, E, E, E>) {
    check_arity(x.size(), 3);
    return body(x[0], x[1], x[2]);
  } else if constexpr (std::invocable<const F&, E, E, E, E>) {
    check_arity(x.size(), 4);
    return body(x[0], x[1], x[2], x[3]);
  } else if constexpr (std::invocable<const F&, E, E, E, E, E>) {
    check_arity(x.size(), 5);
    return body(x[0], x[1], x[2], x[3], x[4]);
  } else if constexpr (std::invocable<const F&, E, E, E, E, E, E>) {
    check_arity(x.size(), 6);
    return body(x[0], x[1], x[2], x[3], x[4], x[5]);
  } else if constexpr (std::invocable<const F&, E, E, E, E, E, E, E>) {
    check_arity(x.size(), 7);
    return body(x[0], x[1], x[2], x[3], x[4], x[5], x[6]);
  } else {
    static_assert(std::invocable<const F&, E, E, E, E, E, E, E, E>,
                  "the body of a compute takes up to eight indices of type Expr, or a std::span<const Expr>");
    check_arity(x.size(), 8);
    return body(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
  }
}
}  // namespace detail

/// compute_span with named indices: [](Expr i, Expr j) { ... }, or with a span of them. Throws UsageError as
/// compute_span does, and where the number of indices differs from the rank.
template <class F>
Tensor compute(std::vector<Expr> shape, const F& body, std::string name, std::vector<Expr> strides = {}) {
  return compute_span(
      std::move(shape), [&](std::span<const Expr> indices) { return detail::call_body(body, indices); },
      std::move(name), std::move(strides));
}

/// Arithmetic operations that the tensor and its producers take as written: 2*M*N*K for a matrix product. Arithmetic on
/// indices and in conditions does not count. Throws UsageError for symbolic extents.
double count_flops(const Tensor& output);
/// The same for several tensors; the operations of a common producer count once.
double count_flops(std::span<const Tensor> outputs);

std::string to_string(const Tensor& t);
std::string to_string(const Operation& op);

// --- Recurrences -----------------------------------------------------------------------------------------------------
// Running sums, recurrent cells, along the leading axis:
//
//   Tensor X = placeholder({m, n}, kFloat32, "X");
//   Tensor state = placeholder({m, n}, kFloat32, "state");
//   Tensor init = compute({1, n}, [&](Expr, Expr i) { return X(0, i); }, "init");
//   Tensor update = compute({m, n}, [&](Expr t, Expr i) { return state(t - 1, i) + X(t, i); }, "update");
//   Tensor total = scan(init, update, state, {X}, "total");
//
// Where `init` has k rows, rows 0 .. k-1 of the result are those of `init`. Row t >= k is row t of `update`, which
// reads the earlier rows through `state`. Any number of tensors may lie between state and update; they are the stages
// of a step.

/// One recurrence over several states, with one result for each. `inputs` are the tensors that init and update are
/// computed from; they are optional and only checked. Throws UsageError where
///  - init, update and states differ in number or are empty, or a tensor is given twice;
///  - a state is not a placeholder, or init or update is not a compute whose results are all given;
///  - for one state, the types differ, update does not have the shape of the state, or init differs from that shape in
///    more than the first extent, which must be constant and the same for all of init;
///  - the number of steps is constant and does not exceed the number of rows of init;
///  - init depends on a state, another scan is part of the step, or no update depends on a state;
///  - a state is read at a step other than t-1 .. t-k, where t is the step being computed, or this cannot be proved;
///  - a result of update is read at a step other than t;
///  - one of `inputs` is a tensor that neither init nor update depends on.
std::vector<Tensor> scan(const std::vector<Tensor>& init, const std::vector<Tensor>& update,
                         const std::vector<Tensor>& states, const std::vector<Tensor>& inputs = {},
                         std::string name = "scan");
Tensor scan(const Tensor& init, const Tensor& update, const Tensor& state, const std::vector<Tensor>& inputs = {},
            std::string name = "scan");

// --- The shape in which a caller passes a tensor ---------------------------------------------------------------------
// It may differ from the shape that the expression computes with: the same elements in the same order. So an expression
// may see a plane of 7 x 7 as 49 elements:
//
//   Tensor X = passed_as(placeholder({64, 49}, kFloat32, "X"), {64, 7, 7});

/// `tensor`, for which calls of a kernel pass a tensor of `shape`. It takes the place of `tensor`, which must not be
/// used any more. Throws UsageError if it is one of several results or a scan, if it has strides or an extent that is
/// no constant, and if the number of elements of `shape` is another one.
Tensor passed_as(const Tensor& tensor, std::vector<std::int64_t> shape);

/// `tensor`, passed in the shape in which `other` is passed, whose extents must be constants.
Tensor passed_like(const Tensor& tensor, const Tensor& other);

/// The shape in which calls pass the tensor.
std::vector<Expr> passed_shape(const Tensor& tensor);

}  // namespace nestwright

#pragma GCC visibility pop
