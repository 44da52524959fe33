#include "operators.h"

#include <array>
#include <regex>
#include <string>

#include <nestwright/error.h>

namespace mnist {
namespace {

using nestwright::UsageError;

const std::vector<Operator> kOperators{
    {"product", "Y[i,j] = sum(k, A[i,k] * B[k,j])", {{"product_nt", "GB"}, {"product_tn", "AG"}}},
    {"product_nt", "Y[i,j] = sum(k, A[i,k] * B[j,k])"},
    {"product_tn", "Y[i,j] = sum(k, A[k,i] * B[k,j])"},
    {"add_bias", "Y[i,j] = A[i,j] + B[j]", {{"", "G"}, {"column_sum", "G"}}},
    {"column_sum", "Y[j] = sum(i, A[i,j])"},
    {"add", "Y[~] = A[~] + B[~]", {{"", "G"}, {"", "G"}}},
    {"relu", "Y[~] = max(A[~], 0.0)", {{"mask", "YG"}}},
    {"mask", "Y[~] = select(A[~] > 0.0, B[~], 0.0)"},
    // The sum of -log(softmax(A)[i, B[i]]) over all rows i; B has the right columns.
    {"cross_entropy",
     "M[i] = max(j, A[i,j]); S[i] = sum(j, exp(A[i,j] - M[i])); P[i] = sum(j, select(B[i] == j, A[i,j], 0.0));"
     "L[i] = log(S[i]) + M[i] - P[i]; Y[] = sum(i, L[i])",
     {{"cross_entropy_gradient", "AGB"}, {"", ""}}},
    {"cross_entropy_gradient",
     "M[i] = max(j, A[i,j]); S[i] = sum(j, exp(A[i,j] - M[i])); P[i,j] = exp(A[i,j] - M[i]) / S[i];"
     "Y[i,j] = P[i,j] * B[] - select(C[i] == j, B[], 0.0)"},
    {"count_right", "M[i] = argmax(j, A[i,j]); Y[] = sum(i, select(M[i] == B[i], 1.0, 0.0))"},
    // Gradient descent: velocity = gradient + B*velocity, parameter = parameter - B*velocity.
    {"accelerate", "Y[~] = A[~] + B[] * C[~]"},
    {"descend", "Y[~] = A[~] - B[] * C[~]"},
};

}  // namespace

const Operator& find_operator(std::string_view name) {
  for (const Operator& op : kOperators) {
    if (op.name == name) return op;
  }
  throw UsageError("there is no operator '" + std::string(name) + "'");
}

ValueId apply(Graph& graph, std::string_view name, const std::vector<ValueId>& operands) {
  constexpr std::array<std::string_view, 3> kIndices{"", "i", "i,j"};  // by the number of dimensions
  constexpr std::string_view kNames = "ABC";
  std::string expression;
  for (const char letter : find_operator(name).text) {
    if (letter == '~')
      expression += kIndices.at(graph.type(operands.at(0)).shape.size());
    else
      expression += letter;
  }
  std::vector<nestwright::GraphOperand> named;
  for (std::size_t i = 0; i < operands.size(); ++i) named.push_back({kNames.substr(i, 1), operands[i]});
  const ValueId result = graph.apply(std::string(name), expression, named);
  // Of an operand that is larger than its indices, the graph reads a part. Only then does the canonical expression
  // declare a shape.
  const std::string canonical = graph.expression_of(graph.nodes().back());
  static const std::regex declared_shape(":\\w*\\[");
  if (!std::regex_search(canonical, declared_shape)) return result;
  throw UsageError("the shapes of operands of " + std::string(name) + " do not agree: " + canonical);
}

}  // namespace mnist
