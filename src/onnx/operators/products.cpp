// Matrix products, and sums of products by Einstein's notation.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "onnx/operators/indices.h"
#include "onnx/operators/numbers.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

/// A dimension of an operand that is broadcast has extent 1 and is left out by a view, so that products of matrices are
/// recognised.
struct ProductOperand {
  std::vector<std::string> indices;
  std::vector<std::int64_t> shape;

  void add(const std::string& name, std::int64_t extent) {
    indices.push_back(name);
    shape.push_back(extent);
  }
};

bool has_empty_extent(const std::vector<std::int64_t>& shape) {
  return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

void require_numbers(const OperatorCall& call, std::size_t input) {
  call.require(!call.type(input).type.is_bool(), fmt::format("input {} is of conditions", input));
}

/// numpy's product: the last two dimensions are those of matrices, and an operand of one dimension is a vector.
void mat_mul(OperatorCall& call) {
  std::vector<std::int64_t> a = call.shape(0), b = call.shape(1);
  call.require_valid(!a.empty() && !b.empty(), "an operand is a scalar");
  call.require_valid(call.type(0).type == call.type(1).type, "the operands differ in type");
  for (const std::size_t input : {0, 1}) require_numbers(call, input);
  const bool has_rows = a.size() > 1, has_columns = b.size() > 1;
  if (!has_rows) a.insert(a.begin(), 1);
  if (!has_columns) b.push_back(1);
  const std::int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  call.require_valid(b[b.size() - 2] == k, fmt::format("{} columns are multiplied by {} rows", k, b[b.size() - 2]));

  const std::vector<std::int64_t> a_batch(a.begin(), a.end() - 2), b_batch(b.begin(), b.end() - 2);
  std::vector<std::int64_t> shape = broadcast_shape({a_batch, b_batch});
  const std::size_t batch_rank = shape.size();
  call.require(batch_rank <= 5, "it has more than 7 dimensions");
  const auto extent_of = [&](const std::vector<std::int64_t>& batch, std::size_t d) {
    return d + batch.size() < batch_rank ? 1 : batch[d + batch.size() - batch_rank];
  };
  // Else all of the batch are rows of one product.
  const bool is_batch_of_b =
      std::any_of(b_batch.begin(), b_batch.end(), [](std::int64_t extent) { return extent != 1; });
  ProductOperand left, right;
  std::vector<std::string> result;
  std::string sizes;
  for (std::size_t d = 0; d < batch_rank; ++d) {
    const std::string name = fmt::format("b{}", d);
    const std::int64_t of_a = extent_of(a_batch, d), of_b = extent_of(b_batch, d);
    result.push_back(name);
    sizes += fmt::format(" {}={}", name, shape[d]);
    if (of_a != 1 || of_b == 1) left.add(name, of_a);
    if (of_b != 1 || (of_a == 1 && is_batch_of_b)) right.add(name, of_b);
  }
  if (has_rows) {
    left.add("i", m);
    result.emplace_back("i");
    sizes += fmt::format(" i={}", m);
    shape.push_back(m);
  }
  left.add("k", k);
  right.add("k", k);
  sizes += fmt::format(" k={}", k);
  if (has_columns) {
    right.add("j", n);
    result.emplace_back("j");
    sizes += fmt::format(" j={}", n);
    shape.push_back(n);
  }
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  if (has_empty_extent(shape)) return call.set_output(0, call.empty_constant(type, shape));
  call.require(k > 0, "it adds up no products");
  const std::string x = conversion(fmt::format("A[{}]", joined(left.indices)), type, wide);
  const std::string y = conversion(fmt::format("B[{}]", joined(right.indices)), type, wide);
  const std::string value = conversion(fmt::format("sum(k,{}*{})", x, y), wide, type);
  call.set_output(
      0, call.apply(fmt::format("Y[{}]={}{}", joined(result), value, sizes),
                    {{"A", call.reshape(call.input(0), left.shape)}, {"B", call.reshape(call.input(1), right.shape)}}));
}

/// "2.5*", or nothing for 1. Integers are multiplied by whole factors alone.
std::string factor_text(const OperatorCall& call, const char* attribute, ir::Type type) {
  const double factor = call.real(attribute, 1);
  call.require(type.is_float() || is_whole(factor), fmt::format("{} of integers is {}", attribute, factor));
  return factor == 1 ? "" : number_text(factor) + "*";
}

void gemm(OperatorCall& call) {
  call.require_valid(call.rank(0) == 2 && call.rank(1) == 2, "an operand is no matrix");
  call.require_valid(call.type(0).type == call.type(1).type, "the operands differ in type");
  for (const std::size_t input : {0, 1}) require_elements(call, input);
  require_numbers(call, 0);
  const bool ta = call.integer("transA", 0) != 0, tb = call.integer("transB", 0) != 0;
  const std::vector<std::int64_t>&a = call.shape(0), &b = call.shape(1);
  const std::int64_t m = a[ta ? 1 : 0], k = a[ta ? 0 : 1], n = b[tb ? 0 : 1];
  call.require_valid(b[tb ? 1 : 0] == k, "the operands do not fit");
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  const Indices indices({m, n});
  std::string value = fmt::format("{}sum(k,{}*{})", factor_text(call, "alpha", type),
                                  conversion(ta ? "A[k,i0]" : "A[i0,k]", type, wide),
                                  conversion(tb ? "B[i1,k]" : "B[k,i1]", type, wide));
  std::vector<GraphOperand> operands{{"A", call.input(0)}, {"B", call.input(1)}};
  if (call.has_input(2) && call.real("beta", 1) != 0) {
    call.require_valid(broadcast_shape({{m, n}, call.shape(2)}) == indices.extents, "C cannot be broadcast");
    value += "+" + factor_text(call, "beta", type) +
             converted_read(call, 2, fmt::format("C[{}]", broadcast_indices(call.shape(2), indices)), wide);
    operands.push_back({"C", call.input(2)});
  }
  call.set_output(
      0, call.apply(fmt::format("Y[i0,i1]={}{} k={}", conversion(value, wide, type), indices.sizes(), k), operands));
}

/// The parts of "bij,bjk->bik": the letters of each operand and of the result, where dots stand for any dimensions.
struct Equation {
  std::vector<std::string> operands;
  std::string result;
};

constexpr const char* kDots = "...";

Equation equation_of(const OperatorCall& call) {
  std::string text = call.text("equation", "");
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  Equation equation;
  std::string left = text.substr(0, arrow);
  for (std::size_t begin = 0; begin <= left.size();) {
    const std::size_t end = std::min(left.find(',', begin), left.size());
    equation.operands.push_back(left.substr(begin, end - begin));
    begin = end + 1;
  }
  call.require_valid(equation.operands.size() == call.input_count(), "the equation does not have its operands");
  if (arrow != std::string::npos) {
    equation.result = text.substr(arrow + 2);
    return equation;
  }
  // The dots, then the letters that occur once, in the order of the alphabet.
  std::map<char, int> counts;
  for (const char letter : left) ++counts[letter];
  if (left.find(kDots) != std::string::npos) equation.result = kDots;
  for (const auto& [letter, count] : counts) {
    if (count == 1 && std::isalpha(static_cast<unsigned char>(letter)) != 0) equation.result += letter;
  }
  return equation;
}

/// The names of the indices that letters and dots stand for, and their extents.
class EinsumIndices {
 public:
  EinsumIndices(const OperatorCall& call, const Equation& equation) : call_(call) {
    for (std::size_t i = 0; i < equation.operands.size(); ++i) {
      const std::string& letters = equation.operands[i];
      const std::size_t dots = letters.find(kDots);
      const std::size_t named = letters.size() - (dots == std::string::npos ? 0 : 3);
      const std::size_t rank = call.shape(i).size();
      call.require_valid(dots == std::string::npos ? rank == named : rank >= named,
                         fmt::format("operand {} does not have the dimensions of the equation", i));
      if (dots != std::string::npos) dot_rank_ = std::max(dot_rank_, rank - named);
    }
    for (std::size_t i = 0; i < equation.operands.size(); ++i) {
      const std::vector<std::string> names = names_of(equation.operands[i], call.shape(i).size());
      call.require_valid(names.size() == call.shape(i).size(), "the equation has dots twice in an operand");
      for (std::size_t d = 0; d < names.size(); ++d) {
        std::int64_t& extent = extents_.try_emplace(names[d], 1).first->second;
        const std::int64_t given = call.shape(i)[d];
        call.require_valid(extent == 1 || given == 1 || extent == given,
                           "an index of the equation has several extents");
        extent = std::max(extent, given);
      }
    }
  }

  /// One name for each dimension of a tensor of `rank` dimensions; nullopt: as many as the equation says.
  std::vector<std::string> names_of(const std::string& letters, std::optional<std::size_t> rank = std::nullopt) const {
    std::vector<std::string> names;
    for (std::size_t at = 0; at < letters.size(); ++at) {
      if (letters.compare(at, 3, kDots) == 0) {
        const std::size_t count = rank ? *rank - (letters.size() - 3) : dot_rank_;
        for (std::size_t d = dot_rank_ - count; d < dot_rank_; ++d) names.push_back(fmt::format("dots{}", d));
        at += 2;
      } else {
        call_.require_valid(std::isalpha(static_cast<unsigned char>(letters[at])) != 0,
                            "the equation has a character that is no letter");
        names.push_back(fmt::format("i{}", letters[at]));
      }
    }
    return names;
  }

  const std::map<std::string, std::int64_t>& extents() const { return extents_; }

 private:
  const OperatorCall& call_;
  std::size_t dot_rank_ = 0;
  std::map<std::string, std::int64_t> extents_;
};

void einsum(OperatorCall& call) {
  const Equation equation = equation_of(call);
  const EinsumIndices indices(call, equation);
  const ir::Type type = call.type(0).type, wide = wide_type(type);
  std::vector<std::string> names;  // of operands; GraphOperand refers to them
  std::string value;
  for (std::size_t i = 0; i < equation.operands.size(); ++i) {
    require_elements(call, i);
    require_numbers(call, i);
    call.require_valid(call.type(i).type == type, "the operands differ in type");
    std::vector<std::string> read = indices.names_of(equation.operands[i], call.shape(i).size());
    for (std::size_t d = 0; d < read.size(); ++d) {
      if (call.shape(i)[d] == 1 && indices.extents().at(read[d]) != 1) read[d] = "0";
    }
    names.push_back(fmt::format("X{}", i));
    value +=
        fmt::format("{}{}", i == 0 ? "" : "*", conversion(fmt::format("{}[{}]", names[i], joined(read)), type, wide));
  }
  const std::vector<std::string> result = indices.names_of(equation.result);
  call.require_valid(std::set(result.begin(), result.end()).size() == result.size(),
                     "the result of the equation has an index twice");
  std::vector<std::string> summed;
  std::string sizes;
  for (const auto& [name, extent] : indices.extents()) {
    sizes += fmt::format(" {}={}", name, extent);
    if (std::find(result.begin(), result.end(), name) == result.end()) summed.push_back(name);
  }
  for (const std::string& name : result) {
    call.require_valid(indices.extents().contains(name), "no operand has an index of the result");
  }
  call.require(result.size() <= 8 && summed.size() <= 8, "it has more than 8 indices");
  if (!summed.empty()) value = fmt::format("sum({},{})", joined(summed), value);
  std::vector<GraphOperand> operands;
  for (std::size_t i = 0; i < names.size(); ++i) operands.push_back({names[i], call.input(i)});
  call.set_output(
      0, call.apply(fmt::format("Y[{}]={}{}", joined(result), conversion(value, wide, type), sizes), operands));
}

}  // namespace

std::vector<OnnxOperator> product_operators() {
  return {
      {"Einsum", 12, kNewestOpset, {"equation"}, einsum},
      {"Gemm", 7, kNewestOpset, {"alpha", "beta", "transA", "transB"}, gemm},
      {"MatMul", 1, kNewestOpset, {}, mat_mul},
  };
}

}  // namespace nestwright
