#include "text/analysis/product.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "text/analysis/epilogue.h"
#include "text/analysis/interval.h"
#include "text/syntax/functions.h"

namespace nestwright::text {
namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names joined(const Names& a, const Names& b, const Names& c) {
  Names all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

/// One factor: a tensor that is read as a whole, each dimension by an index of its own.
struct Factor {
  std::size_t tensor = 0;
  ir::Type type;  ///< in which it is multiplied
  Names indices;

  /// Those of `candidates` that it has, or, where `present` is false, does not have.
  Names select(const Names& candidates, bool present) const {
    Names chosen;
    for (const std::string& name : candidates) {
      if (has(indices, name) == present) chosen.push_back(name);
    }
    return chosen;
  }
};

std::optional<Factor> factor_of(const Program& program, const Stage& stage, const Term& term) {
  const Term* read = &term;
  std::optional<ir::Type> conversion;
  if (const auto* call = std::get_if<FunctionCall>(&term.value)) {
    conversion = find_type(call->name);
    if (!conversion) return std::nullopt;
    read = &call->arguments[0];
  }
  const auto* access = std::get_if<Access>(&read->value);
  if (access == nullptr || access->padding) return std::nullopt;
  const TensorInfo& tensor = *program.find_tensor(access->tensor);
  Factor factor{static_cast<std::size_t>(&tensor - program.tensors.data()), conversion.value_or(tensor.type), {}};
  for (std::size_t d = 0; d < access->indices.size(); ++d) {
    const auto* index = std::get_if<IndexValue>(&access->indices[d].value);
    if (index == nullptr || has(factor.indices, index->name)) return std::nullopt;
    if (stage.find_axis(index->name)->extent != tensor.shape[d]) return std::nullopt;
    factor.indices.push_back(index->name);
  }
  return factor;
}

/// The stage's two factors, as `read` understands them.
template <class Read>
std::optional<std::pair<Factor, Factor>> factors_of(const Program& program, const Stage& stage, const Read& read) {
  const auto* times = std::get_if<BinaryTerm>(&stage.body.value);
  if (stage.reduction != ReductionKind::kSum || times == nullptr || times->op != ir::BinaryOp::kMul)
    return std::nullopt;
  const std::optional<Factor> first = read(program, stage, times->operands[0]);
  const std::optional<Factor> second = read(program, stage, times->operands[1]);
  if (!first || !second || first->tensor == second->tensor) return std::nullopt;
  return std::pair(*first, *second);
}

/// The indices of a product by the tensors that have them, each list in the order of C, those of the sum as in A.
struct Groups {
  Names batch, rows, columns, summed;
};

class ProductFinder {
 public:
  explicit ProductFinder(const Stage& stage) : stage_(stage) {
    for (const Axis& axis : stage.axes) result_.push_back(axis.name);
    for (const Axis& axis : stage.reduce_axes) reduced_.push_back(axis.name);
  }

  /// The product in which `a` has the rows of C.
  std::optional<ProductStage> with(const Factor& a, const Factor& b) const {
    const Groups groups{b.select(a.select(result_, true), true), b.select(a.select(result_, true), false),
                        a.select(b.select(result_, true), false), in_order_of(a)};
    if (joined(groups.batch, groups.rows, groups.columns) != result_) return std::nullopt;
    for (const std::string& name : reduced_) {
      if (!has(a.indices, name) || !has(b.indices, name)) return std::nullopt;
    }
    Product product{.a = a.tensor, .b = b.tensor, .c = stage_.tensor, .sum = a.type};
    if (!lies_as(a, groups.batch, groups.rows, groups.summed, product.ta)) return std::nullopt;
    if (!lies_as(b, groups.batch, groups.summed, groups.columns, product.tb)) return std::nullopt;
    product.has_batch = !groups.batch.empty();
    product.batch = extent_of(groups.batch);
    product.m = extent_of(groups.rows);
    product.n = extent_of(groups.columns);
    product.k = extent_of(groups.summed);
    return ProductStage{product,
                        without_ones(groups.batch),
                        without_ones(groups.rows),
                        without_ones(groups.columns),
                        product.has_batch,
                        product.has_batch,
                        true};
  }

 private:
  Names without_ones(const Names& names) const {
    Names kept;
    for (const std::string& name : names) {
      if (stage_.find_axis(name)->extent > 1) kept.push_back(name);
    }
    return kept;
  }

  Names in_order_of(const Factor& a) const {
    Names names;
    for (const std::string& name : a.indices) {
      if (has(reduced_, name)) names.push_back(name);
    }
    return names;
  }

  static bool lies_as(const Factor& factor, const Names& batch, const Names& rows, const Names& columns,
                      bool& transposed) {
    transposed = factor.indices != joined(batch, rows, columns);
    return !transposed || factor.indices == joined(batch, columns, rows);
  }

  std::int64_t extent_of(const Names& names) const {
    std::int64_t extent = 1;
    for (const std::string& name : names) extent *= stage_.find_axis(name)->extent;
    return extent;
  }

  const Stage& stage_;
  Names result_, reduced_;
};

/// A product with a vector can be read in two ways: that without a transposition is the usual one.
std::optional<ProductStage> better(const std::optional<ProductStage>& straight,
                                   const std::optional<ProductStage>& swapped) {
  const auto transpositions = [](const ProductStage& s) {
    return static_cast<int>(s.product.ta) + static_cast<int>(s.product.tb);
  };
  if (straight && swapped) return transpositions(*swapped) < transpositions(*straight) ? swapped : straight;
  return straight ? straight : swapped;
}

std::optional<ProductStage> plain_product(const Program& program, const Stage& stage) {
  const auto factors = factors_of(program, stage, factor_of);
  if (!factors) return std::nullopt;
  const ProductFinder finder(stage);
  return better(finder.with(factors->first, factors->second), finder.with(factors->second, factors->first));
}

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
    step *= stage.find_axis(*digit)->extent;  // at most the dimension's, or the index would not be inside
    if (step > extent) return std::nullopt;
  }
  return step == extent ? std::optional(digits) : std::nullopt;
}

/// A factor whose elements are all read once, in the order of memory by the indices in their order.
std::optional<Factor> whole_factor(const Program& program, const Stage& stage, const Term& term) {
  const Term* read = &term;
  std::optional<ir::Type> conversion;
  if (const auto* call = std::get_if<FunctionCall>(&term.value)) {
    conversion = find_type(call->name);
    if (!conversion) return std::nullopt;
    read = &call->arguments[0];
  }
  const auto* access = std::get_if<Access>(&read->value);
  if (access == nullptr || access->padding) return std::nullopt;
  const TensorInfo& tensor = *program.find_tensor(access->tensor);
  Factor factor{static_cast<std::size_t>(&tensor - program.tensors.data()), conversion.value_or(tensor.type), {}};
  for (std::size_t d = 0; d < access->indices.size(); ++d) {
    const std::optional<Names> digits = digits_of(stage, access->indices[d], tensor.shape[d]);
    if (!digits) return std::nullopt;
    for (const std::string& name : *digits) {
      if (has(factor.indices, name)) return std::nullopt;
      factor.indices.push_back(name);
    }
  }
  return factor;
}

/// The product whose batch is the first `batches` axes of the result.
std::optional<ProductStage> broadcast_with(const Stage& stage, const Factor& a, const Factor& b, std::size_t batches) {
  const Names result = long_axes(stage);
  ProductStage found;
  Names rest;
  for (const std::string& name : result) (found.batch.size() < batches ? found.batch : rest).push_back(name);
  found.rows = a.select(rest, true);
  found.columns = b.select(rest, true);
  if (joined(found.rows, found.columns, {}) != rest) return std::nullopt;
  Names summed;
  for (const std::string& name : a.indices) {
    if (!has(result, name)) summed.push_back(name);
  }
  const auto lies = [&](const Factor& factor, const Names& rows, const Names& columns, bool& has_batch,
                        bool& transposed) {
    has_batch = !factor.select(found.batch, true).empty();
    const Names batch = has_batch ? found.batch : Names();
    transposed = factor.indices != joined(batch, rows, columns);
    return !transposed || factor.indices == joined(batch, columns, rows);
  };
  Product& product = found.product;
  product = {.a = a.tensor, .b = b.tensor, .c = stage.tensor, .sum = a.type};
  if (!lies(a, found.rows, summed, found.a_has_batch, product.ta)) return std::nullopt;
  if (!lies(b, summed, found.columns, found.b_has_batch, product.tb)) return std::nullopt;
  for (const std::string& name : found.batch) {
    if (!has(a.indices, name) && !has(b.indices, name)) return std::nullopt;
  }
  for (const Axis& axis : stage.reduce_axes) {
    if (axis.extent > 1 && !has(summed, axis.name)) return std::nullopt;
  }
  const auto extent_of = [&](const Names& names) {
    std::int64_t extent = 1;
    for (const std::string& name : names) extent *= stage.find_axis(name)->extent;
    return extent;
  };
  product.has_batch = !found.batch.empty();
  product.batch = extent_of(found.batch);
  product.m = extent_of(found.rows);
  product.n = extent_of(found.columns);
  product.k = extent_of(summed);
  const bool is_dot = product.m == 1 && product.n == 1 && product.batch > 1;
  return is_dot ? std::nullopt : std::optional(found);
}

std::optional<ProductStage> broadcast_product(const Program& program, const Stage& stage) {
  const auto factors = factors_of(program, stage, whole_factor);
  if (!factors) return std::nullopt;
  for (std::size_t batches = 0; batches <= long_axes(stage).size(); ++batches) {
    const std::optional<ProductStage> found = better(broadcast_with(stage, factors->first, factors->second, batches),
                                                     broadcast_with(stage, factors->second, factors->first, batches));
    if (found) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Product> find_product(const Program& program) {
  if (program.stages.size() != 1) return std::nullopt;
  const std::optional<ProductStage> found = plain_product(program, program.stages.front());
  return found ? std::optional(found->product) : std::nullopt;
}

std::optional<ProductStage> find_product_stage(const Program& program, const Stage& stage) {
  const std::optional<ProductStage> plain = plain_product(program, stage);
  return plain ? plain : broadcast_product(program, stage);
}

}  // namespace nestwright::text
