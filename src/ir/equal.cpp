#include "ir/equal.h"

#include <bit>
#include <utility>

namespace nestwright::ir {
namespace {

class Comparer {
 public:
  bool same(const Expr& a, const Expr& b) {
    if (a.same_as(b) && bound_.empty()) return true;
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    if (a.type() != b.type() || a.node().value.index() != b.node().value.index()) return false;
    return std::visit(overloaded{[&](const IntImm& x) { return x.value == b.as<IntImm>()->value; },
                                 [&](const FloatImm& x) {
                                   return std::bit_cast<std::uint64_t>(x.value) ==
                                          std::bit_cast<std::uint64_t>(b.as<FloatImm>()->value);
                                 },
                                 [&](const VarRef& x) { return matched(x.var.id(), b.as<VarRef>()->var.id()); },
                                 [&](const Binary& x) {
                                   const auto& y = *b.as<Binary>();
                                   return x.op == y.op && same(x.a, y.a) && same(x.b, y.b);
                                 },
                                 [&](const Not& x) { return same(x.a, b.as<Not>()->a); },
                                 [&](const Select& x) {
                                   const auto& y = *b.as<Select>();
                                   return same(x.condition, y.condition) && same(x.if_true, y.if_true) &&
                                          same(x.if_false, y.if_false);
                                 },
                                 [&](const Cast& x) { return same(x.value, b.as<Cast>()->value); },
                                 [&](const Load& x) {
                                   const auto& y = *b.as<Load>();
                                   return same(x.buffer, y.buffer) && same(x.indices, y.indices) &&
                                          same(x.mask, y.mask);
                                 },
                                 [&](const Ramp& x) {
                                   const auto& y = *b.as<Ramp>();
                                   return same(x.base, y.base) && same(x.stride, y.stride);
                                 },
                                 [&](const Broadcast& x) { return same(x.value, b.as<Broadcast>()->value); },
                                 [&](const Call& x) {
                                   const auto& y = *b.as<Call>();
                                   return x.intrinsic == y.intrinsic && same(x.args, y.args);
                                 },
                                 [&](const Reduce& x) { return same(x, *b.as<Reduce>()); }},
                      a.node().value);
  }

  bool same(const Stmt& a, const Stmt& b) {
    if (a.same_as(b) && bound_.empty()) return true;
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    if (a.node().value.index() != b.node().value.index()) return false;
    return std::visit(
        overloaded{[&](const For& x) {
                     const auto& y = *b.as<For>();
                     if (x.kind != y.kind || x.var.type() != y.var.type()) return false;
                     if (!same(x.min, y.min) || !same(x.extent, y.extent)) return false;
                     return within(x.var.id(), y.var.id(), x.body, y.body);
                   },
                   [&](const Block& x) { return same(x.stmts, b.as<Block>()->stmts); },
                   [&](const Let& x) {
                     const auto& y = *b.as<Let>();
                     return same(x.value, y.value) && within(x.var.id(), y.var.id(), x.body, y.body);
                   },
                   [&](const IfThenElse& x) {
                     const auto& y = *b.as<IfThenElse>();
                     return same(x.condition, y.condition) && same(x.then_case, y.then_case) &&
                            same(x.else_case, y.else_case);
                   },
                   [&](const Store& x) {
                     const auto& y = *b.as<Store>();
                     return same(x.buffer, y.buffer) && same(x.indices, y.indices) && same(x.value, y.value) &&
                            same(x.mask, y.mask) && x.streams == y.streams;
                   },
                   [&](const Allocate& x) {
                     const auto& y = *b.as<Allocate>();
                     return x.offset == y.offset && x.per_thread == y.per_thread &&
                            same(x.symbolic_offset, y.symbolic_offset) && same_layout(x.buffer, y.buffer) &&
                            within(key(x.buffer), key(y.buffer), x.body, y.body);
                   },
                   [&](const Prefetch& x) {
                     const auto& y = *b.as<Prefetch>();
                     return same(x.buffer, y.buffer) && same(x.indices, y.indices) && x.for_write == y.for_write &&
                            x.locality == y.locality;
                   },
                   [&](const CommitCopies& x) { return x.pending == b.as<CommitCopies>()->pending; },
                   [&](const Barrier& x) { return x.pending == b.as<Barrier>()->pending; },
                   [&](const Launch& x) { return x.kernel == b.as<Launch>()->kernel && same_kernel(x.kernel); }},
        a.node().value);
  }

  bool same(const Program& a, const Program& b) {
    if (a.name != b.name || a.parameters.size() != b.parameters.size() || a.symbols.size() != b.symbols.size() ||
        a.kernels.size() != b.kernels.size()) {
      return false;
    }
    for (std::size_t i = 0; i < a.symbols.size(); ++i) {
      if (a.symbols[i].type() != b.symbols[i].type()) return false;
      bound_.emplace_back(a.symbols[i].id(), b.symbols[i].id());
    }
    for (std::size_t i = 0; i < a.parameters.size(); ++i) {
      const Parameter &x = a.parameters[i], &y = b.parameters[i];
      if (x.role != y.role || x.in_place_of != y.in_place_of || x.is_constant != y.is_constant ||
          !same_layout(x.buffer, y.buffer))
        return false;
      bound_.emplace_back(key(x.buffer), key(y.buffer));
    }
    const auto same_requirement = [&](const Requirement& x, const Requirement& y) {
      return same(x.slack, y.slack) && x.why == y.why;
    };
    if (!std::equal(a.requirements.begin(), a.requirements.end(), b.requirements.begin(), b.requirements.end(),
                    same_requirement)) {
      return false;
    }
    programs_ = {&a, &b};
    compared_.assign(a.kernels.size(), false);
    if (!same(a.workspace, b.workspace) || !same(a.preparation, b.preparation) || !same(a.host, b.host)) {
      return false;
    }
    for (std::size_t i = 0; i < a.kernels.size(); ++i) {
      if (!same_kernel(static_cast<int>(i))) return false;
    }
    return true;
  }

 private:
  bool same(const Workspace& a, const Workspace& b) {
    return a.shared_bytes == b.shared_bytes && a.per_thread_bytes == b.per_thread_bytes &&
           same(a.symbolic_shared_bytes, b.symbolic_shared_bytes) &&
           same(a.symbolic_per_thread_bytes, b.symbolic_per_thread_bytes);
  }

  static const void* key(const Buffer& buffer) { return buffer.defined() ? buffer.operator->() : nullptr; }

  /// A kernel sees what encloses its launch, so that it is compared there.
  bool same_kernel(int number) {
    const auto i = static_cast<std::size_t>(number);
    if (number < 0 || i >= compared_.size() || compared_[i]) return true;
    compared_[i] = true;
    const Kernel &a = programs_.first->kernels[i], &b = programs_.second->kernels[i];
    return a.name == b.name && same(a.body, b.body);
  }

  bool same(const Buffer& a, const Buffer& b) { return matched(key(a), key(b)); }

  template <class T>
  bool same(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!same(a[i], b[i])) return false;
    }
    return true;
  }

  bool same(const Reduce& a, const Reduce& b) {
    if (a.reducer != b.reducer || a.combiner != b.combiner || a.result != b.result) return false;
    if (a.axes.size() != b.axes.size() || a.values.size() != b.values.size()) return false;
    const std::size_t outside = bound_.size();
    bool equal_so_far = true;
    for (std::size_t i = 0; equal_so_far && i < a.axes.size(); ++i) {
      equal_so_far = same(a.axes[i].min, b.axes[i].min) && same(a.axes[i].extent, b.axes[i].extent);
      bound_.emplace_back(a.axes[i].var.id(), b.axes[i].var.id());
    }
    for (std::size_t m = 0; equal_so_far && m < a.values.size(); ++m) equal_so_far = same(a.values[m], b.values[m]);
    bound_.resize(outside);
    return equal_so_far;
  }

  bool same_layout(const Buffer& a, const Buffer& b) {
    return a->element == b->element && a->scope == b->scope && a->alignment == b->alignment &&
           same(a->shape, b->shape) && same(a->strides, b->strides);
  }

  bool within(const void* a, const void* b, const Stmt& body_a, const Stmt& body_b) {
    bound_.emplace_back(a, b);
    const bool result = same(body_a, body_b);
    bound_.pop_back();
    return result;
  }

  // Bound ones match their partner, free ones only themselves.
  bool matched(const void* a, const void* b) const {
    for (auto pair = bound_.rbegin(); pair != bound_.rend(); ++pair) {
      if (pair->first == a || pair->second == b) return pair->first == a && pair->second == b;
    }
    return a == b;
  }

  std::vector<std::pair<const void*, const void*>> bound_;
  std::pair<const Program*, const Program*> programs_;
  std::vector<bool> compared_;  ///< of each kernel
};

}  // namespace

bool equal(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return true;
  // Variables are compared most, and nothing is bound out here.
  if (a.defined() && b.defined()) {
    const auto *x = a.as<VarRef>(), *y = b.as<VarRef>();
    if (x != nullptr || y != nullptr) return x != nullptr && y != nullptr && x->var == y->var;
  }
  return Comparer().same(a, b);
}
bool equal(const Stmt& a, const Stmt& b) { return Comparer().same(a, b); }
bool equal(const Program& a, const Program& b) { return Comparer().same(a, b); }

}  // namespace nestwright::ir
