#include "text/analysis/product.h"

#include <algorithm>

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
  std::optional<Product> with(const Factor& a, const Factor& b) const {
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
    return product;
  }

 private:
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

}  // namespace

std::optional<Product> find_product(const Program& program, const Stage& stage) {
  const auto* times = std::get_if<BinaryTerm>(&stage.body.value);
  if (stage.reduction != ReductionKind::kSum || times == nullptr || times->op != ir::BinaryOp::kMul)
    return std::nullopt;
  const std::optional<Factor> first = factor_of(program, stage, times->operands[0]);
  const std::optional<Factor> second = factor_of(program, stage, times->operands[1]);
  if (!first || !second || first->tensor == second->tensor) return std::nullopt;
  const ProductFinder finder(stage);
  const std::optional<Product> straight = finder.with(*first, *second), swapped = finder.with(*second, *first);
  // A product with a vector can be read in two ways: that without a transposition is the usual one.
  const auto transpositions = [](const Product& p) { return static_cast<int>(p.ta) + static_cast<int>(p.tb); };
  if (straight && swapped) return transpositions(*swapped) < transpositions(*straight) ? swapped : straight;
  return straight ? straight : swapped;
}

std::optional<Product> find_product(const Program& program) {
  return program.stages.size() == 1 ? find_product(program, program.stages.front()) : std::nullopt;
}

}  // namespace nestwright::text
