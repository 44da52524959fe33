#include "ir/traversal/equal.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <utility>

#include "ir/core/fields.h"

namespace nestwright::ir {
namespace {

class Comparer {
 public:
  bool same(const Expr& a, const Expr& b) {
    if (a.same_as(b) && bound_.empty()) return true;
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    if (a.type() != b.type() || a.node().value.index() != b.node().value.index()) return false;
    return std::visit([&](const auto& x) { return same_node(x, b); }, a.node().value);
  }

  bool same(const Stmt& a, const Stmt& b) {
    if (a.same_as(b) && bound_.empty()) return true;
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    if (a.node().value.index() != b.node().value.index()) return false;
    return std::visit([&](const auto& x) { return same_node(x, b); }, a.node().value);
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
      if (x.role != y.role || x.in_place_of != y.in_place_of || x.is_constant != y.is_constant || x.shape != y.shape ||
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

  /// A kernel can mention the variables around its launch, so it is compared there.
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

  bool same(const Var& a, const Var& b) { return matched(a.id(), b.id()); }
  template <class T>
    requires OneOf<T, ReduceAxis, Operand>
  bool same(const T& a, const T& b) {
    return same_fields(a, b);
  }
  bool same(Type a, Type b) { return a == b; }
  /// Compares bits, so that -0 differs from 0 and NaN equals itself.
  bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
  template <class T>
    requires std::is_enum_v<T> || std::is_integral_v<T> || OneOf<T, std::string, std::shared_ptr<const Combiner>>
  bool same(const T& a, const T& b) {
    return a == b;
  }

  /// Compares with `b`, a node of the same kind. Its bindings end with it.
  template <class Node, class Handle>
  bool same_node(const Node& a, const Handle& b) {
    const std::size_t outside = bound_.size();
    const bool result = same_fields(a, *b.template as<Node>());
    bound_.resize(outside);
    if constexpr (std::same_as<Node, Launch>) return result && same_kernel(a.kernel);
    return result;
  }
  template <class Node>
  bool same_fields(const Node& a, const Node& b) {
    return all_fields<Node>([&](const auto& field) {
      const auto member = member_of(field);
      return same_field(field, a.*member, b.*member);
    });
  }
  template <class Field, class T>
  bool same_field(const Field&, const T& a, const T& b) {
    return same(a, b);
  }
  template <class M, class T>
  bool same_field(const Spelling<M>&, const T&, const T&) {
    return true;
  }
  template <class M>
  bool same_field(const Binds<M>&, const Var& a, const Var& b) {
    bound_.emplace_back(a.id(), b.id());
    return a.type() == b.type();
  }
  template <class M>
  bool same_field(const Binds<M>&, const Buffer& a, const Buffer& b) {
    const bool result = same_layout(a, b);
    bound_.emplace_back(key(a), key(b));
    return result;
  }

  bool same_layout(const Buffer& a, const Buffer& b) {
    return a->element == b->element && a->scope == b->scope && a->alignment == b->alignment &&
           same(a->shape, b->shape) && same(a->strides, b->strides);
  }

  // A bound variable matches its counterpart, a free one only itself.
  bool matched(const void* a, const void* b) const {
    for (auto pair = bound_.rbegin(); pair != bound_.rend(); ++pair) {
      if (pair->first == a || pair->second == b) return pair->first == a && pair->second == b;
    }
    return a == b;
  }

  std::vector<std::pair<const void*, const void*>> bound_;
  std::pair<const Program*, const Program*> programs_;
  std::vector<bool> compared_;  ///< for each kernel
};

}  // namespace

bool equal(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return true;
  // A fast path for variables, the most frequent operands: nothing is bound at this level.
  if (a.defined() && b.defined()) {
    const auto *x = a.as<VarRef>(), *y = b.as<VarRef>();
    if (x != nullptr || y != nullptr) return x != nullptr && y != nullptr && x->var == y->var;
  }
  return Comparer().same(a, b);
}
bool equal(const Stmt& a, const Stmt& b) { return Comparer().same(a, b); }
bool equal(const Program& a, const Program& b) { return Comparer().same(a, b); }

}  // namespace nestwright::ir
