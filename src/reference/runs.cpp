#include "reference/runs.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::int64_t kOfReduction = 64, kOfElements = 1024;  ///< the longest runs
constexpr std::int64_t kRunsOfThread = 4;

/// The number of reads that neighbours along the axis make from distant elements.
int distant_reads(const ComputeOp& op, const IterVar& axis) {
  int count = 0;
  for (const Expr& value : op.values()) {
    ir::for_each_expr(value, [&](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      if (load == nullptr || load->indices.empty()) return;
      const auto moves = [&](const Expr& index) {
        const ir::Linear linear = ir::to_linear(index);
        return linear.coefficient(axis.var()) != 0 || linear.is_nonlinear_in(axis.var());
      };
      const ir::Linear last = ir::to_linear(load->indices.back());
      const bool is_far = std::abs(last.coefficient(axis.var())) > 1 || last.is_nonlinear_in(axis.var()) ||
                          std::any_of(load->indices.begin(), load->indices.end() - 1, moves);
      count += is_far ? 1 : 0;
    });
  }
  return count;
}

}  // namespace

Runs::Runs(std::vector<std::int64_t> shape, std::size_t dimension, std::int64_t length)
    : shape_(std::move(shape)), dimension_(dimension), length_(length), blocks_(1), others_(1), stride_(1) {
  if (shape_.empty()) return;
  check(length_ >= 1 && length_ <= shape_[dimension_], "a run lies inside its tensor");
  blocks_ = (shape_[dimension_] + length_ - 1) / length_;
  others_ = elements() / shape_[dimension_];
  for (std::size_t d = dimension_ + 1; d < shape_.size(); ++d) stride_ *= shape_[d];
}

std::int64_t Runs::elements() const {
  return std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies<>());
}

void Runs::first_of(std::int64_t run, std::span<std::int64_t> index) const {
  std::int64_t rest = run % others_;
  for (std::size_t d = shape_.size(); d-- > 0;) {
    if (d == dimension_) {
      index[d] = std::min(run / others_ * length_, shape_[d] - length_);
    } else {
      index[d] = rest % shape_[d];
      rest /= shape_[d];
    }
  }
}

std::int64_t Runs::offset_of(std::int64_t run) const {
  std::vector<std::int64_t> index(shape_.size());
  first_of(run, index);
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d) offset = offset * shape_[d] + index[d];
  return offset;
}

std::int64_t Runs::run_of(std::span<const std::int64_t> index) const {
  if (shape_.empty()) return 0;
  std::int64_t other = 0;
  for (std::size_t d = 0; d < shape_.size(); ++d) {
    if (d != dimension_) other = other * shape_[d] + index[d];
  }
  return index[dimension_] / length_ * others_ + other;
}

void Runs::mark_box(std::span<const ir::Interval> box, std::vector<char>& marks) const {
  std::vector<std::int64_t> index;
  for (const ir::Interval& range : box) index.push_back(range.lo);
  while (true) {
    marks[static_cast<std::size_t>(run_of(index))] = 1;
    std::size_t d = shape_.size();
    while (d-- > 0) {
      // Along their dimension, to the first element of the next run.
      const std::int64_t next = d == dimension_ ? (index[d] / length_ + 1) * length_ : index[d] + 1;
      if (next <= box[d].hi) {
        index[d] = next;
        break;
      }
      index[d] = box[d].lo;
    }
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

Runs choose_runs(const Operation& op, std::int64_t lanes, std::int64_t threads) {
  const ComputeOp& compute = *op.compute();
  const std::vector<std::int64_t> shape = ir::constants_of(Tensor(op).shape());
  if (shape.empty() || op.scan() != nullptr) return {shape, 0, 1};
  std::size_t best = shape.size() - 1;
  int fewest = -1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    if (shape[d] < lanes) continue;
    const int distant = distant_reads(compute, compute.axes[d]);
    if (fewest >= 0 && distant >= fewest) continue;
    best = d;
    fewest = distant;
  }
  if (fewest < 0) best = static_cast<std::size_t>(std::max_element(shape.begin(), shape.end()) - shape.begin());
  std::int64_t length = std::min(shape[best], compute.reduction() != nullptr ? kOfReduction : kOfElements);
  const std::int64_t others = Runs(shape, best, shape[best]).count();
  const auto runs = [&] { return others * ((shape[best] + length - 1) / length); };
  while (length >= 2 * lanes && runs() < kRunsOfThread * threads) length /= 2;
  if (length >= lanes) length -= length % lanes;
  return {shape, best, length};
}

}  // namespace nestwright
