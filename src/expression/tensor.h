// What to compute: tensors and the operations that make them, in the terms of TVM's tensor expressions.
//
//   Tensor  A = placeholder({M, K}, kFloat32, "A");
//   IterVar k = reduce_axis(K, "k");
//   Tensor  C = compute({M, N}, [&](Expr i, Expr j) { return sum(A(i, k) * B(k, j), k); }, "C");
//
// Thread rule: handles share immutable nodes; any thread may read them.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "expression/iter_var.h"
#include "expression/reducers.h"
#include "ir/core/expr.h"
#include "ir/core/intrinsics.h"

namespace nestwright {

using ir::Buffer;
using ir::Type;

using ir::abs;
using ir::cast;
using ir::ceil;
using ir::clamp;
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
using ir::select;
using ir::sigmoid;
using ir::sqrt;
using ir::tanh;

struct PlaceholderOp {};

/// One body a result, over `axes`. Either no body is a Reduce, or all are members of one, over `reduce_axes`.
struct ComputeOp {
  std::vector<IterVar> axes;
  std::vector<IterVar> reduce_axes;
  std::vector<Expr> bodies;

  /// The reduction; nullptr where the operation is none.
  const ir::Reduce* reduction() const { return bodies.empty() ? nullptr : bodies.front().as<ir::Reduce>(); }
  /// What is reduced, which the members of a tuple's reduction share; the bodies where the operation is no reduction.
  const std::vector<Expr>& values() const { return reduction() != nullptr ? reduction()->values : bodies; }
};

/// A recurrence over the leading axis (expression/scan.h). Result r starts as init[r], rows 0 .. k-1; step t stores row
/// t of update[r], whose body sees the result so far as states[r]. All are of one length, and read through their
/// buffers.
struct ScanOp {
  ComputeOp steps;  ///< one axis, the time: k .. T-1. The bodies are those of the operations that it takes as inputs
  std::vector<Buffer> init, update, states;

  const IterVar& time() const { return steps.axes.front(); }
  /// k
  std::int64_t first_steps() const { return *ir::as_const_int(time().min()); }
};

/// Handle of an operation; identity is by node. Its results, those of a compute all of one shape, are named by logical
/// buffers: reading a tensor is ir::Load of its buffer, which the lowering maps to where the result is really stored.
class Operation {
 public:
  struct Node {
    std::string name;
    std::variant<PlaceholderOp, ComputeOp, ScanOp> kind;
    std::vector<Buffer> results;
    /// Operations read by the bodies, in order of first occurrence. Of a scan: what makes its init and its update.
    std::vector<Operation> inputs;
  };
  Operation() = default;
  explicit Operation(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  bool defined() const { return node_ != nullptr; }
  /// Throws UsageError where there is none; so do those below.
  const Node* operator->() const {
    if (node_ == nullptr) refuse_undefined();
    return node_.get();
  }
  /// Axes and bodies; nullptr for a placeholder. A scan has one axis, the time, and no bodies.
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
  /// Its number among the results of the operation.
  int result() const { return result_; }
  const Buffer& buffer() const { return op_->results[static_cast<std::size_t>(result_)]; }
  const std::string& name() const { return buffer()->name; }
  const std::vector<Expr>& shape() const { return buffer()->shape; }
  Type dtype() const { return buffer()->element; }
  int rank() const { return buffer()->rank(); }

  /// The element at `indices`. Throws UsageError where their number is not the rank.
  template <class... Index>
  Expr operator()(const Index&... index) const {
    return at(std::vector<Expr>{Expr(index)...});
  }
  Expr at(std::vector<Expr> indices) const;
  friend bool operator==(const Tensor& a, const Tensor& b) { return a.op_ == b.op_ && a.result_ == b.result_; }

 private:
  Operation op_;
  int result_ = 0;
};

/// A variable extent or stride, bound when the kernel is called.
Var var(std::string name, Type type = ir::Type{kIndex});

/// A tensor that the caller provides. `strides` in elements, empty for compact. Throws UsageError for an extent below 1
/// and for a name that is empty or has spaces.
Tensor placeholder(std::vector<Expr> shape, Type type, std::string name, std::vector<Expr> strides = {});

/// Throws UsageError for an extent below 1.
IterVar reduce_axis(Expr extent, std::string name);
IterVar reduce_axis(Expr min, Expr extent, std::string name);

/// A tensor of `shape` whose element at `indices` is body(indices). Variables of the body that are neither indices nor
/// axes of a reduction are symbols, bound when the kernel is called. Throws UsageError where a reduction is not the
/// whole body
/// ("make another tensor of it"), and for names and extents as placeholder does. `strides`: how its elements lie where
/// it is an output, in elements; empty for compact.
Tensor compute_span(std::vector<Expr> shape, const std::function<Expr(std::span<const Expr>)>& body, std::string name,
                    std::vector<Expr> strides = {});

/// Several tensors of one shape, computed together in one loop nest: bodies(indices) gives their elements. They are
/// named name.v0, name.v1, ... Throws UsageError as compute_span does, and where one body is a reduction and the others
/// are not members of the same one.
std::vector<Tensor> compute_tuple(std::vector<Expr> shape,
                                  const std::function<std::vector<Expr>(std::span<const Expr>)>& bodies,
                                  std::string name);

namespace detail {
/// Throws UsageError where a tensor of `rank` dimensions is given a body of another number of indices.
void check_arity(std::size_t rank, std::size_t arity);

/// Calls `body` with the indices as arguments of their own, or as the span.
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

/// compute_span with named indices: [](Expr i, Expr j) { ... }, or a span of them for any rank. Throws UsageError as
/// compute_span does, and where the number of indices is not the rank.
template <class F>
Tensor compute(std::vector<Expr> shape, const F& body, std::string name, std::vector<Expr> strides = {}) {
  return compute_span(
      std::move(shape), [&](std::span<const Expr> indices) { return detail::call_body(body, indices); },
      std::move(name), std::move(strides));
}

/// Floating-point (or integer) operations that the tensor and what it is made from cost as written: 2*M*N*K for a
/// matrix product. Arithmetic on indices and in conditions is not counted. Throws UsageError for symbolic extents.
double count_flops(const Tensor& output);

std::string to_string(const Tensor& t);
std::string to_string(const Operation& op);

}  // namespace nestwright
