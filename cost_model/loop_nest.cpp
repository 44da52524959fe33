#include "cost_model/loop_nest.h"

#include <algorithm>
#include <array>
#include <map>

#include "cost_model/warp_access.h"
#include "ir/analysis/preparation.h"
#include "ir/core/one_of.h"
#include "ir/simplify/simplify.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {

using namespace ir;  // NOLINT(google-build-using-namespace): this file is about the IR

double NestStore::trips() const {
  double product = share;
  for (const NestLoop& loop : loops) product *= loop.extent;
  return product;
}

double NestStore::extents(bool (*is)(ir::LoopKind)) const {
  double product = 1;
  for (const NestLoop& loop : loops) {
    if (is(loop.kind)) product *= loop.extent;
  }
  return product;
}

namespace {

class Flattener {
 public:
  FlatProgram result;

  void kernel(const Stmt& body) {
    kernel_shared_bytes_ = 0;
    walk(body);
    result.shared_bytes = std::max(result.shared_bytes, kernel_shared_bytes_);
  }

 private:
  void walk(const Stmt& s) {
    if (!s.defined()) return;
    std::visit(overloaded{
                   [&](const For& n) { loop(n); },
                   [&](const Block& n) {
                     for (const Stmt& child : n.stmts) walk(child);
                   },
                   [&](const Let& n) {
                     lets_[n.var] = resolve(n.value);
                     values_[n.var] = n.value;
                     ranges_.bind(n.var, bounds(n.value, ranges_));
                     walk(n.body);
                   },
                   [&](const IfThenElse& n) { branch(n); },
                   [&](const Store& n) { store(n); },
                   [&](const Allocate& n) { allocate(n); },
                   [&](const Prefetch& n) { prefetch(n); },
                   [&](const CommitCopies&) {},
                   [&](const Barrier&) {},
                   [](const OneOf<Launch, TensorInstruction> auto&) {},
               },
               s.node().value);
  }

  void loop(const For& n) {
    const Interval extent = bounds(n.extent, ranges_);
    ranges_.bind(n.var, n.min, n.extent);
    loops_.push_back(
        {n.var, extent.bounded() ? static_cast<double>(std::max<std::int64_t>(extent.hi, 1)) : 1.0, n.kind});
    walk(n.body);
    loops_.pop_back();
  }

  void branch(const IfThenElse& n) {
    const double outer = share_;
    const double taken = probability(n.condition);
    share_ = outer * taken;
    walk(n.then_case);
    share_ = outer * (1 - taken);
    walk(n.else_case);
    share_ = outer;
  }

  void store(const Store& n) {
    NestStore& out = result.stores.emplace_back();
    out.loops = loops_;
    out.share = share_;
    out.is_non_temporal = n.non_temporal;
    out.accesses.push_back(access(n.buffer, n.indices, true));
    for_each_expr(n.value, [&](const Expr& e) {
      if (const auto* load = e.as<Load>()) out.accesses.push_back(access(load->buffer, load->indices, false));
      if (!e.type().is_float()) return;
      if (const auto* binary = e.as<Binary>(); binary != nullptr && !is_comparison(binary->op)) out.flops += 1;
      if (e.as<Call>() != nullptr) out.flops += 1;
    });
  }

  NestAccess access(const Buffer& buffer, const std::vector<Expr>& indices, bool is_write) {
    NestAccess out{buffer, resolve_all(indices), is_write};
    out.thread_step = step(buffer, indices, LoopKind::kThreadX);
    out.block_step = step(buffer, indices, LoopKind::kBlockX);
    if (std::any_of(loops_.begin(), loops_.end(), [](const NestLoop& l) { return is_device_thread(l.kind); })) {
      out.warp =
          warp_access(loops_, buffer, [&](std::span<const LoopValue> at) { return address(buffer, indices, at); });
    }
    return out;
  }

  /// The address in elements where loop variables have the values `at` and all others are 0.
  std::int64_t address(const Buffer& buffer, const std::vector<Expr>& indices, std::span<const LoopValue> at) const {
    std::int64_t elements = 0;
    for (std::size_t d = 0; d < indices.size(); ++d) elements += stride(buffer, d) * value(indices[d], at);
    return elements;
  }

  /// Bytes between the addresses of the first and the second iteration of the loop of this kind; 0 without one.
  double step(const Buffer& buffer, const std::vector<Expr>& indices, LoopKind kind) const {
    const auto loop =
        std::find_if(loops_.begin(), loops_.end(), [&](const NestLoop& l) { return l.kind == kind && l.extent > 1; });
    if (loop == loops_.end()) return 0;
    const std::int64_t elements =
        address(buffer, indices, std::array{LoopValue{loop->var, 1}}) - address(buffer, indices, {});
    return static_cast<double>(std::abs(elements)) * buffer->element.bytes();
  }

  /// Stride in elements; 1 where it is not constant.
  static std::int64_t stride(const Buffer& buffer, std::size_t dimension) {
    const Expr stride = buffer->stride(static_cast<int>(dimension));
    const std::int64_t* constant = as_const_int(stride);
    return constant != nullptr ? *constant : 1;
  }

  /// The value of an index where loop variables have the values `at` and all others are 0. Anything but index
  /// arithmetic, such as a loaded value, counts as 0.
  std::int64_t value(const Expr& e, std::span<const LoopValue> at) const {
    if (const std::int64_t* constant = as_const_int(e)) return *constant;
    if (const auto* ref = e.as<VarRef>()) {
      const auto let = values_.find(ref->var);
      if (let != values_.end()) return value(let->second, at);
      const auto given = std::find_if(at.begin(), at.end(), [&](const LoopValue& v) { return v.var == ref->var; });
      return given == at.end() ? 0 : given->value;
    }
    if (const auto* cast = e.as<Cast>()) return value(cast->value, at);
    const auto* binary = e.as<Binary>();
    if (binary == nullptr) return 0;
    const std::int64_t a = value(binary->a, at), b = value(binary->b, at);
    switch (binary->op) {
      case BinaryOp::kAdd:
        return a + b;
      case BinaryOp::kSub:
        return a - b;
      case BinaryOp::kMul:
        return a * b;
      case BinaryOp::kDiv:
        return b > 0 ? floor_div(a, b) : 0;
      case BinaryOp::kMod:
        return b > 0 ? floor_mod(a, b) : 0;
      case BinaryOp::kMin:
        return std::min(a, b);
      case BinaryOp::kMax:
        return std::max(a, b);
      case BinaryOp::kEq:
      case BinaryOp::kNe:
      case BinaryOp::kLt:
      case BinaryOp::kLe:
      case BinaryOp::kGt:
      case BinaryOp::kGe:
      case BinaryOp::kAnd:
      case BinaryOp::kOr:
        break;
    }
    return 0;
  }

  void prefetch(const Prefetch& n) {
    NestPrefetch& out = result.prefetches.emplace_back();
    out.trips = share_;
    for (const NestLoop& loop : loops_) out.trips *= loop.extent;
    out.distance_bytes = static_cast<double>(std::abs(address(n.buffer, n.indices, {}))) * n.buffer->element.bytes();
  }

  /// Size of a buffer without padding between its rows.
  double compact_bytes(const Buffer& buffer) const {
    double bytes = buffer->element.bytes();
    for (const Expr& extent : buffer->shape) {
      const Interval b = bounds(extent, ranges_);
      if (b.bounded()) bytes *= static_cast<double>(b.hi);
    }
    return bytes;
  }

  /// Bytes of padding between the rows of a buffer; 0 unless its strides are constant.
  static double padding_bytes(const Buffer& buffer) {
    const auto is_constant = [](const Expr& e) { return as_const_int(e) != nullptr; };
    if (buffer->strides.empty() || !std::all_of(buffer->shape.begin(), buffer->shape.end(), is_constant) ||
        !std::all_of(buffer->strides.begin(), buffer->strides.end(), is_constant)) {
      return 0;
    }
    std::int64_t compact = 1;
    for (const Expr& extent : buffer->shape) compact *= *as_const_int(extent);
    return static_cast<double>(buffer->elements() - compact) * buffer->element.bytes();
  }

  void allocate(const Allocate& n) {
    const double bytes = compact_bytes(n.buffer), padding = padding_bytes(n.buffer);
    result.padding_bytes += padding;
    if (n.buffer->scope == Scope::kShared) kernel_shared_bytes_ += bytes + padding;
    switch (n.buffer->scope) {
      case Scope::kRegister:
      case Scope::kTile:
      case Scope::kFragment:
        result.register_bytes = std::max(result.register_bytes, bytes);
        break;
      case Scope::kGlobal:
        result.global_bytes += bytes;
        break;
      case Scope::kShared:
      case Scope::kLocal:
        result.local_bytes = std::max(result.local_bytes, bytes);
    }
    walk(n.body);
  }

  /// The probability that a condition holds. The difference of two compared indices is assumed uniform over its bounds.
  double probability(const Expr& condition) {
    if (is_true(condition)) return 1;
    if (is_false(condition)) return 0;
    if (const auto* call = condition.as<Call>(); call != nullptr && call->intrinsic == Intrinsic::kLikely) {
      return probability(call->args[0]);
    }
    if (const auto* inverse = condition.as<Not>()) return 1 - probability(inverse->a);
    const auto* compare = condition.as<Binary>();
    if (compare == nullptr) return 0.5;
    if (compare->op == BinaryOp::kAnd) return probability(compare->a) * probability(compare->b);
    if (!is_comparison(compare->op) || !compare->a.type().is_int()) return 0.5;
    const Interval difference = bounds(compare->b - compare->a, ranges_);
    if (!difference.bounded()) return 0.5;
    const double count = static_cast<double>(difference.hi - difference.lo) + 1;
    const auto clamp = [&](double favourable) { return std::clamp(favourable / count, 0.0, 1.0); };
    const auto lo = static_cast<double>(difference.lo), hi = static_cast<double>(difference.hi);
    switch (compare->op) {
      case BinaryOp::kLt:
        return clamp(hi);
      case BinaryOp::kLe:
        return clamp(hi + 1);
      case BinaryOp::kGt:
        return clamp(-lo);
      case BinaryOp::kGe:
        return clamp(-lo + 1);
      case BinaryOp::kEq:
        return clamp(1);
      case BinaryOp::kNe:
        return clamp(count - 1);
      case BinaryOp::kAdd:
      case BinaryOp::kSub:
      case BinaryOp::kMul:
      case BinaryOp::kDiv:
      case BinaryOp::kMod:
      case BinaryOp::kMin:
      case BinaryOp::kMax:
      case BinaryOp::kAnd:
      case BinaryOp::kOr:
        break;
    }
    return 0.5;
  }

  Linear resolve(const Expr& e) {
    const Linear raw = to_linear(e);
    Linear resolved;
    resolved.constant = raw.constant;
    for (const LinearTerm& term : raw.terms) {
      const auto* ref = term.atom.as<VarRef>();
      const auto let = ref != nullptr ? lets_.find(ref->var) : lets_.end();
      if (let == lets_.end()) {
        resolved.add(Linear{0, {term}});
      } else {
        resolved.add(let->second, term.coefficient);
      }
    }
    return resolved;
  }

  std::vector<Linear> resolve_all(const std::vector<Expr>& indices) {
    std::vector<Linear> out;
    out.reserve(indices.size());
    for (const Expr& index : indices) out.push_back(resolve(index));
    return out;
  }

  std::vector<NestLoop> loops_;
  std::map<Var, Linear> lets_;
  std::map<Var, Expr> values_;  ///< of let-bound variables
  Ranges ranges_;
  double share_ = 1;
  double kernel_shared_bytes_ = 0;
};

}  // namespace

FlatProgram flatten(const Program& program) {
  Flattener flattener;
  for (std::size_t k = 0; k < program.kernels.size(); ++k) {
    if (ir::is_of_call(program, k)) flattener.kernel(program.kernels[k].body);
  }
  return std::move(flattener.result);
}

}  // namespace nestwright
