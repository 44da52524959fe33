#include "text/analysis/convolution.h"

#include <algorithm>

#include "text/analysis/interval.h"

namespace nestwright::text {
namespace {

constexpr std::size_t kFilterRank = 4;

class ConvolutionFinder {
 public:
  ConvolutionFinder(const Program& program, const Stage& stage) : program_(program), stage_(stage) {}

  std::optional<ConvolutionStage> run() const {
    const auto* const times = std::get_if<BinaryTerm>(&stage_.body.value);
    if (stage_.reduction != ReductionKind::kSum || times == nullptr || times->op != ir::BinaryOp::kMul)
      return std::nullopt;
    const auto* const first = std::get_if<Access>(&times->operands[0].value);
    const auto* const second = std::get_if<Access>(&times->operands[1].value);
    if (first == nullptr || second == nullptr || first->tensor == second->tensor) return std::nullopt;
    const std::optional<ConvolutionStage> straight = with(*first, *second);
    return straight ? straight : with(*second, *first);
  }

 private:
  std::optional<ConvolutionStage> with(const Access& x, const Access& w) const {
    const std::size_t rank = stage_.axes.size();
    if ((rank != 3 && rank != 4) || x.indices.size() != rank || w.indices.size() != kFilterRank || w.padding ||
        x.padding.value_or(0) != 0) {
      return std::nullopt;
    }
    const std::size_t k = rank - 3;
    ConvolutionStage found{.x = place(x), .w = place(w), .has_images = k == 1};
    const std::vector<std::int64_t>&of_x = program_.tensors[found.x].shape, &of_w = program_.tensors[found.w].shape;
    found.images = k == 1 ? of_x[0] : 1;
    found.channels = of_w[1];
    found.filters = of_w[0];
    const std::optional<std::string> channel = axis_of(w.indices[1], of_w[1]), row = axis_of(w.indices[2], of_w[2]),
                                     column = axis_of(w.indices[3], of_w[3]);
    if (!channel || !row || !column) return std::nullopt;
    const bool fits = (k == 0 || runs_over(x.indices[0], stage_.axes[0], of_x[0])) &&
                      runs_over(w.indices[0], stage_.axes[k], of_w[0]) && of_x[k] == of_w[1] &&
                      axis_of(x.indices[k], of_x[k]) == channel && reduces_over({*channel, *row, *column});
    if (!fits) return std::nullopt;
    const auto rows = window(x.indices[k + 1], stage_.axes[k + 1], *row, of_x[k + 1], of_w[2]);
    const auto columns = window(x.indices[k + 2], stage_.axes[k + 2], *column, of_x[k + 2], of_w[3]);
    if (!rows || !columns) return std::nullopt;
    found.rows = *rows;
    found.columns = *columns;
    return found;
  }

  std::size_t place(const Access& access) const {
    return static_cast<std::size_t>(program_.find_tensor(access.tensor) - program_.tensors.data());
  }

  std::int64_t extent_of(const std::string& axis) const { return stage_.find_axis(axis)->extent; }

  /// The index as a linear one, without axes of extent 1, whose value is 0.
  std::optional<Linear> linear(const Term& index) const {
    std::optional<Linear> found = linear_of(index);
    if (found) std::erase_if(found->coefficients, [&](const auto& term) { return extent_of(term.first) == 1; });
    return found;
  }

  /// The axis that runs over all of a dimension; empty where that has an extent of 1. nullopt if there is none.
  std::optional<std::string> axis_of(const Term& index, std::int64_t extent) const {
    const std::optional<Linear> found = linear(index);
    if (!found || found->constant != 0 || found->coefficients.size() > 1) return std::nullopt;
    if (found->coefficients.empty()) return extent == 1 ? std::optional<std::string>("") : std::nullopt;
    const auto& [name, coefficient] = *found->coefficients.begin();
    return coefficient == 1 && extent_of(name) == extent ? std::optional(name) : std::nullopt;
  }

  bool runs_over(const Term& index, const Axis& axis, std::int64_t extent) const {
    return axis.extent == extent && axis_of(index, extent) == (extent == 1 ? "" : axis.name);
  }

  /// Whether these are the reduce axes, but for axes of extent 1, and no two are the same.
  bool reduces_over(std::vector<std::string> names) const {
    std::vector<std::string> reduced;
    for (const Axis& axis : stage_.reduce_axes) {
      if (axis.extent > 1) reduced.push_back(axis.name);
    }
    std::erase(names, "");
    return std::ranges::is_permutation(names, reduced);
  }

  /// `row`: the filter's axis, empty where its extent is 1.
  std::optional<ConvolutionWindow> window(const Term& index, const Axis& output, const std::string& row,
                                          std::int64_t input, std::int64_t filter) const {
    const std::optional<Linear> found = linear(index);
    if (!found) return std::nullopt;
    ConvolutionWindow w{.input = input, .output = output.extent, .filter = filter, .before = -found->constant};
    std::size_t used = 0;
    const auto take = [&](const std::string& name, std::int64_t& coefficient) {
      const auto term = found->coefficients.find(name);
      if (term == found->coefficients.end()) return;
      coefficient = term->second;
      ++used;
    };
    take(output.name, w.stride);
    take(row, w.dilation);
    const bool is_complete = used == (output.extent > 1 ? 1U : 0U) + (row.empty() ? 0U : 1U);
    if (!is_complete || used != found->coefficients.size()) return std::nullopt;
    if (w.stride < 1 || w.dilation < 1 || w.before < 0) return std::nullopt;
    const std::int64_t end = (w.output - 1) * w.stride + (w.filter - 1) * w.dilation + 1 - w.before;
    w.after = std::max<std::int64_t>(0, end - input);
    // A convolution has as many results as windows fit.
    const std::int64_t fitting = (w.before + input + w.after - (w.filter - 1) * w.dilation - 1) / w.stride + 1;
    return fitting == w.output ? std::optional(w) : std::nullopt;
  }

  const Program& program_;
  const Stage& stage_;
};

}  // namespace

std::optional<ConvolutionStage> find_convolution(const Program& program, const Stage& stage) {
  return ConvolutionFinder(program, stage).run();
}

}  // namespace nestwright::text
