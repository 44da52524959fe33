#include "templates/sketch/rewrites/strided_reads.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"

namespace nestwright {
namespace {

constexpr double kMinReads = 16;  ///< of each element, for which a copy is worth it

class StridedReads final : public ir::Mutator {
 public:
  StridedReads(const Expr& value, const std::vector<IterVar>& reduce_axes, double terms, std::vector<Tensor>& stages)
      : reduce_axes_(reduce_axes), terms_(terms), stages_(stages) {
    ir::for_each_expr(value, [&](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      if (const auto phase = load != nullptr ? phase_of(*load) : std::nullopt) {
        copies_[{load->buffer, phase->stride}].phases.insert(phase->number);
      }
    });
  }
  using Mutator::mutate;

  Expr mutate(const Expr& e) override {
    if (!e.defined()) return e;
    const auto* const load = e.as<ir::Load>();
    const std::optional<Phase> phase = load != nullptr ? phase_of(*load) : std::nullopt;
    if (!phase || copies_.at({load->buffer, phase->stride}).phases.size() < 2) return mutate_children(e);
    std::vector<Expr> indices(load->indices.begin(), load->indices.end() - 1);
    indices.emplace_back(phase->number);
    indices.emplace_back(phase->axis);
    return copy_of(load->buffer, phase->stride).at(indices);
  }

 private:
  /// stride*axis + number
  struct Phase {
    Expr axis;
    std::int64_t stride, number;
  };

  struct Copy {
    std::set<std::int64_t> phases;  ///< that are read
    Tensor tensor;                  ///< undefined until a read of it is made
  };

  std::optional<Phase> phase_of(const ir::Load& load) const {
    if (load.mask.defined() || load.indices.empty()) return std::nullopt;
    const ir::Linear last = ir::to_linear(load.indices.back());
    if (last.terms.size() != 1) return std::nullopt;
    const auto& [atom, stride] = last.terms.front();
    const auto axis = std::find_if(reduce_axes_.begin(), reduce_axes_.end(),
                                   [&, &atom = atom](const IterVar& a) { return ir::is_var(atom, a.var()); });
    const auto mentions = [&](const Expr& index) { return ir::mentions(index, axis->var()); };
    if (axis == reduce_axes_.end() || std::any_of(load.indices.begin(), load.indices.end() - 1, mentions)) return {};
    const bool is_phase = stride >= 2 && stride <= kMaxStride && last.constant >= 0 && last.constant < stride;
    const std::int64_t* const extent = ir::as_const_int(axis->extent());
    const std::int64_t* const length = ir::as_const_int(load.buffer->shape.back());
    if (!is_phase || extent == nullptr || length == nullptr || *extent * stride != *length) return std::nullopt;
    const auto elements = static_cast<double>(load.buffer->elements());
    if (terms_ * static_cast<double>(stride) < kMinReads * elements) return std::nullopt;
    return Phase{atom, stride, last.constant};
  }

  const Tensor& copy_of(const Buffer& buffer, std::int64_t stride) {
    Tensor& copy = copies_.at({buffer, stride}).tensor;
    if (copy.defined()) return copy;
    std::vector<Expr> shape(buffer->shape.begin(), buffer->shape.end() - 1);
    shape.emplace_back(stride);
    shape.emplace_back(*ir::as_const_int(buffer->shape.back()) / stride);
    const auto body = [&](std::span<const Expr> at) {
      std::vector<Expr> indices(at.begin(), at.end() - 2);
      indices.push_back(at.back() * Expr(stride) + at[at.size() - 2]);
      return ir::make_load(buffer, indices);
    };
    copy = compute_span(shape, body, buffer->name + ".phases");
    stages_.push_back(copy);
    return copy;
  }

  const std::vector<IterVar>& reduce_axes_;
  double terms_;
  std::vector<Tensor>& stages_;
  std::map<std::pair<Buffer, std::int64_t>, Copy> copies_;  ///< by tensor and stride
};

}  // namespace

Expr read_by_phases(const Expr& value, const std::vector<IterVar>& reduce_axes, double terms,
                    std::vector<Tensor>& stages) {
  return StridedReads(value, reduce_axes, terms, stages).mutate(value);
}

}  // namespace nestwright
