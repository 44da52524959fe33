#include <nestwright/error.h>
#include "graph.h"

namespace mnist {
namespace {

const std::vector<Operator> kOperators{
    {"product", "Y[i,j] = sum(k, A[i,k] * B[k,j])", false, {{"product_nt", "GB"}, {"product_tn", "AG"}}},
    {"product_nt", "Y[i,j] = sum(k, A[i,k] * B[j,k])", false},
    {"product_tn", "Y[i,j] = sum(k, A[k,i] * B[k,j])", false},
    {"add_bias", "Y[i,j] = A[i,j] + B[j]", true, {{"", "G"}, {"column_sum", "G"}}},
    {"column_sum", "Y[j] = sum(i, A[i,j])", false},
    {"add", "Y[~] = A[~] + B[~]", true, {{"", "G"}, {"", "G"}}},
    {"relu", "Y[~] = max(A[~], 0.0)", true, {{"mask", "GY"}}},
    {"mask", "Y[~] = select(B[~] > 0.0, A[~], 0.0)", true},
    // The sum of -log(softmax(A)[i, B[i]]) over all rows i; B has the right columns.
    {"cross_entropy",
     "M[i] = max(j, A[i,j]); S[i] = sum(j, exp(A[i,j] - M[i])); P[i] = sum(j, select(B[i] == j, A[i,j], 0.0));"
     "L[i] = log(S[i]) + M[i] - P[i]; Y[] = sum(i, L[i])",
     false,
     {{"cross_entropy_gradient", "ABG"}, {"", ""}}},
    {"cross_entropy_gradient",
     "M[i] = max(j, A[i,j]); S[i] = sum(j, exp(A[i,j] - M[i])); P[i,j] = exp(A[i,j] - M[i]) / S[i];"
     "Y[i,j] = P[i,j] * C[] - select(B[i] == j, C[], 0.0)",
     false},
    {"count_right", "M[i] = argmax(j, A[i,j]); Y[] = sum(i, select(M[i] == B[i], 1.0, 0.0))", false},
    // Gradient descent: velocity = gradient + C*velocity, parameter = parameter - C*velocity.
    {"accelerate", "Y[~] = A[~] + C[] * B[~]", true},
    {"descend", "Y[~] = A[~] - C[] * B[~]", true},
};

}  // namespace

const Operator& find_operator(std::string_view name) {
  for (const Operator& op : kOperators) {
    if (op.name == name) return op;
  }
  throw nestwright::UsageError("there is no operator '" + std::string(name) + "'");
}

}  // namespace mnist
