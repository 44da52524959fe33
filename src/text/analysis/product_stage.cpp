#include "text/analysis/product_stage.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "text/analysis/epilogue.h"
#include "text/analysis/interval.h"
#include "text/syntax/functions.h"

namespace nestwright::text {
namespace {

using Names = std::vector<std::string>;

bool is_among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// One factor: a tensor whose elements are all read once, in the order of memory by these axes of extents above 1.
struct WholeFactor {
  std::size_t tensor = 0;
  ir::Type type;  ///< in which it is multiplied
  Names axes;
};

/// The axes whose combinations an index runs over, the slowest first, where these are all indices of the dimension:
/// 64*h + d, with d < 64. Axes of extent 1 do not count.
std::optional<Names> digits_of(const Stage& stage, const Term& index, std::int64_t extent) {
  std::optional<Linear> linear = linear_of(index);
  if (!linear || linear->constant != 0) return std::nullopt;
  std::erase_if(linear->coefficients, [&](const auto& term) { return stage.find_axis(term.first)->extent == 1; });
  Names digits;
  for (const auto& [name, coefficient] : linear->coefficients) digits.push_back(name);
  std::ranges::sort(digits, std::greater(), [&](const std::string& name) { return linear->coefficients.at(name); });
  std::int64_t step = 1;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if (linear->coefficients.at(*digit) != step) return std::nullopt;
    step *= stage.find_axis(*digit)->extent;
    if (step > extent) return std::nullopt;
  }
  return step == extent ? std::optional(digits) : std::nullopt;
}

std::optional<WholeFactor> whole_factor(const Program& program, const Stage& stage, const Term& term) {
  const Term* read = &term;
  std::optional<ir::Type> conversion;
  if (const auto* call = std::get_if<FunctionCall>(&term.value)) {
    conversion = find_type(call->name);
    if (!conversion) return std::nullopt;
    read = &call->arguments[0];
  }
  const auto* access = std::get_if<Access>(&read->value);
  if (access == nullptr) return std::nullopt;  // a padding has no effect where indices run over the dimension
  const TensorInfo& tensor = *program.find_tensor(access->tensor);
  WholeFactor factor{static_cast<std::size_t>(&tensor - program.tensors.data()), conversion.value_or(tensor.type), {}};
  for (std::size_t d = 0; d < access->indices.size(); ++d) {
    const std::optional<Names> digits = digits_of(stage, access->indices[d], tensor.shape[d]);
    if (!digits) return std::nullopt;
    for (const std::string& name : *digits) {
      if (is_among(factor.axes, name)) return std::nullopt;
      factor.axes.push_back(name);
    }
  }
  return factor;
}

/// The axes of each dimension of a product.
struct DimensionAxes {
  Names batch, rows, columns, summed;

  const Names& of(ProductDimension dimension) const {
    switch (dimension) {
      case ProductDimension::kBatch:
        return batch;
      case ProductDimension::kRows:
        return rows;
      case ProductDimension::kColumns:
        return columns;
      case ProductDimension::kSummed:
        break;
    }
    return summed;
  }
};

class StageFinder {
 public:
  explicit StageFinder(const Stage& stage) : stage_(stage), result_(long_axes(stage)) {}

  /// The product in which `a` has the rows of C, and the first `batches` axes of the result are the batch.
  std::optional<ProductStage> with(const WholeFactor& a, const WholeFactor& b, std::size_t batches,
                                   bool is_compact) const {
    DimensionAxes axes;
    for (std::size_t r = 0; r < result_.size(); ++r) {
      const std::string& name = result_[r];
      const bool in_a = is_among(a.axes, name), in_b = is_among(b.axes, name);
      if (r < batches ? !in_a && !in_b : in_a == in_b) return std::nullopt;
      if (r >= batches && in_a && !axes.columns.empty()) return std::nullopt;  // columns come last
      (r < batches ? axes.batch : in_a ? axes.rows : axes.columns).push_back(name);
    }
    for (const std::string& name : a.axes) {
      if (!is_among(result_, name)) axes.summed.push_back(name);
    }
    for (const Axis& axis : stage_.reduce_axes) {
      if (axis.extent > 1 && (!is_among(a.axes, axis.name) || !is_among(b.axes, axis.name))) return std::nullopt;
    }
    const std::optional<FactorLayout> of_a = layout_of(a, axes), of_b = layout_of(b, axes);
    if (!of_a || !of_b || (is_compact && (!of_a->is_compact || !of_b->is_compact))) return std::nullopt;
    ProductStage found{.product = {.a = a.tensor, .b = b.tensor, .c = stage_.tensor, .sum = a.type},
                       .batch = axes.batch,
                       .rows = axes.rows,
                       .columns = axes.columns,
                       .a = *of_a,
                       .b = *of_b};
    Product& product = found.product;
    product.has_batch = !axes.batch.empty();
    product.batch = extent_of(axes.batch);
    product.m = extent_of(axes.rows);
    product.n = extent_of(axes.columns);
    product.k = extent_of(axes.summed);
    const auto ends_with = [](const FactorLayout& layout, ProductDimension dimension) {
      return !layout.dimensions.empty() && layout.dimensions.back().of == dimension;
    };
    product.ta = product.k > 1 && ends_with(*of_a, ProductDimension::kRows);
    product.tb = product.n > 1 && ends_with(*of_b, ProductDimension::kSummed);
    // Vectors of one factor by the matrices of the other: such an axis would be rows or columns, did C lie differently.
    const bool is_dot = product.m == 1 && product.n == 1 && product.batch > 1;
    const bool has_vectors = std::ranges::any_of(axes.batch, [&](const std::string& name) {
      return (product.m == 1 && !is_among(b.axes, name)) || (product.n == 1 && !is_among(a.axes, name));
    });
    return is_dot || has_vectors ? std::nullopt : std::optional(found);
  }

  /// That of a product that find_product() recognises.
  ProductStage plain(const Product& product, const WholeFactor& a, const WholeFactor& b) const {
    ProductStage found{.product = product, .is_plain = true};
    for (const std::string& name : result_) {
      const bool in_a = is_among(a.axes, name), in_b = is_among(b.axes, name);
      (in_a && in_b ? found.batch : in_a ? found.rows : found.columns).push_back(name);
    }
    found.a.has_batch = found.b.has_batch = !found.batch.empty();
    return found;
  }

 private:
  std::int64_t extent_of(const Names& names) const {
    std::int64_t extent = 1;
    for (const std::string& name : names) extent *= stage_.find_axis(name)->extent;
    return extent;
  }

  /// The dimension that an axis is a part of.
  FactorDimension part_of(const std::string& name, const DimensionAxes& axes) const {
    FactorDimension part{.of = ProductDimension::kSummed, .extent = stage_.find_axis(name)->extent};
    for (const auto dimension : {ProductDimension::kBatch, ProductDimension::kRows, ProductDimension::kColumns}) {
      if (is_among(axes.of(dimension), name)) part.of = dimension;
    }
    const Names& all = axes.of(part.of);
    part.step = extent_of({std::find(all.begin(), all.end(), name) + 1, all.end()});
    return part;
  }

  /// nullopt where a dimension other than the batch is in parts, or the batch is innermost.
  std::optional<FactorLayout> layout_of(const WholeFactor& factor, const DimensionAxes& axes) const {
    FactorLayout layout;
    std::vector<FactorDimension>& parts = layout.dimensions;
    for (const std::string& name : factor.axes) {
      const FactorDimension next = part_of(name, axes);
      if (!parts.empty() && parts.back().of == next.of && parts.back().step == next.step * next.extent) {
        parts.back() = {next.of, parts.back().extent * next.extent, next.step};
      } else {
        parts.push_back(next);
      }
    }
    std::size_t of_batch = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const bool is_whole = parts[p].extent == extent_of(axes.of(parts[p].of));
      if (parts[p].of == ProductDimension::kBatch) {
        ++of_batch;
        layout.is_compact = layout.is_compact && is_whole && p == 0;
      } else if (!is_whole) {
        return std::nullopt;
      }
    }
    layout.has_batch = of_batch > 0;
    const bool is_innermost = layout.has_batch && parts.back().of == ProductDimension::kBatch;
    return is_innermost && parts.size() > of_batch ? std::nullopt : std::optional(layout);
  }

  const Stage& stage_;
  Names result_;
};

}  // namespace

std::optional<ProductStage> find_product_stage(const Program& program, const Stage& stage) {
  const auto* times = std::get_if<BinaryTerm>(&stage.body.value);
  if (stage.reduction != ReductionKind::kSum || times == nullptr || times->op != ir::BinaryOp::kMul)
    return std::nullopt;
  const std::optional<WholeFactor> first = whole_factor(program, stage, times->operands[0]);
  const std::optional<WholeFactor> second = whole_factor(program, stage, times->operands[1]);
  if (!first || !second || first->tensor == second->tensor) return std::nullopt;
  const StageFinder finder(stage);
  if (const std::optional<Product> product = find_product(program, stage)) {
    const bool is_straight = product->a == first->tensor;
    return finder.plain(*product, is_straight ? *first : *second, is_straight ? *second : *first);
  }
  const auto transpositions = [](const ProductStage& s) {
    return static_cast<int>(s.product.ta) + static_cast<int>(s.product.tb);
  };
  for (const bool is_compact : {true, false}) {
    for (std::size_t batches = 0; batches <= long_axes(stage).size(); ++batches) {
      const auto straight = finder.with(*first, *second, batches, is_compact),
                 swapped = finder.with(*second, *first, batches, is_compact);
      const bool takes_swapped = swapped && (!straight || transpositions(*swapped) < transpositions(*straight));
      if (straight || swapped) return takes_swapped ? swapped : straight;
    }
  }
  return std::nullopt;
}

}  // namespace nestwright::text
