#include "templates/pointwise/functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "nestwright/error.h"
#include "nestwright/expr.h"
#include "templates/checking/mixed_magnitudes.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

using ir::Expr;
using Operands = std::span<const Expr>;
using Numbers = std::span<const double>;

constexpr double kTanhScale = 0.7978845608028654;  ///< sqrt(2 / pi)
constexpr double kTanhCubic = 0.044715;
constexpr double kSlope = 2;  ///< bounds the slopes of the functions, by which an error of their argument grows
constexpr double kMinNormal = std::numeric_limits<float>::min();  ///< below, numbers have fewer digits

Expr relu(const Expr& x) { return max(x, ir::make_float(0, x.type())); }

// log(erfc(z / sqrt(2)) / 2) for z >= 0: minimax in the absolute error of its exponential, 8.4e-9, up to 6, falling
// from there on as the function does. Fitted as src/lower/support/elementary.cpp says.
constexpr std::array kGeluTail{-0x1.62e43p-1,   -0x1.98846cp-1,  -0x1.45f028p-2, -0x1.2a168p-5,  0x1.40e61cp-8,
                               -0x1.90ef16p-14, -0x1.0dd6f2p-13, 0x1.c83b94p-16, -0x1.0660fcp-19};
constexpr double kGeluEnd = 11;  ///< beyond, the tail is 0 in float32

// gelu(x) = max(x, 0) - |x| erfc(|x| / sqrt(2)) / 2: one polynomial and one exponential, where the error function has
// two polynomials, and no cancellation below 0.
Expr gelu(const Expr& x) {
  if (x.type().element() != kFloat32) return x * 0.5 * (1.0 + ir::erf(x * (1 / std::numbers::sqrt2)));
  const Expr end = ir::make_float(kGeluEnd, x.type()), magnitude = ir::abs(x);
  const Expr size = select(end < magnitude, end, magnitude);  // NaN for NaN
  Expr tail = ir::make_float(kGeluTail.back(), x.type());
  for (std::size_t i = kGeluTail.size() - 1; i-- > 0;) tail = tail * size + kGeluTail[i];
  return relu(x) - size * ir::exp(tail);
}
// x/2 (1 + tanh(u)) = x / (1 + exp(-2u)).
Expr gelu_tanh(const Expr& x) {
  return x / (1.0 + ir::exp(x * (x * x * (-2 * kTanhScale * kTanhCubic) + -2 * kTanhScale)));
}

BoundedValue exactly(double y) { return {y, 0}; }
BoundedValue rounded(double y, double eps) { return {y, eps * std::abs(y) + kMinNormal}; }
BoundedValue bounded_gelu(double x, double eps) {
  const double y = x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
  return {y, 2 * eps * (std::abs(x) + std::abs(y)) + kMinNormal};
}
BoundedValue bounded_gelu_tanh(double x, double eps) {
  const double y = x / 2 * (1 + std::tanh(kTanhScale * (x + kTanhCubic * x * x * x)));
  return {y, eps * (3 * std::abs(x) + 2 * std::abs(y)) + kMinNormal};
}
BoundedValue of_sum(double sum, BoundedValue judged, double eps) {
  return {judged.value, judged.bound + kSlope * eps * std::abs(sum)};
}

}  // namespace

const std::vector<PointwiseFunction>& pointwise_functions() {
  static const std::vector<PointwiseFunction> list = {
      {"relu", 1, 1, false, [](Operands x) { return relu(x[0]); },
       [](Numbers x, double) { return exactly(std::max(x[0], 0.0)); }},
      {"exp", 1, 1, true, [](Operands x) { return ir::exp(x[0]); },
       [](Numbers x, double eps) { return rounded(std::exp(x[0]), 2 * eps); }, 6},
      {"tanh", 1, 1, true, [](Operands x) { return ir::tanh(x[0]); },
       [](Numbers x, double eps) { return rounded(std::tanh(x[0]), 3 * eps); }},
      {"sigmoid", 1, 1, true, [](Operands x) { return ir::sigmoid(x[0]); },
       [](Numbers x, double eps) { return rounded(1 / (1 + std::exp(-x[0])), 3 * eps); }},
      {"gelu", 1, 5, true, [](Operands x) { return gelu(x[0]); },
       [](Numbers x, double eps) { return bounded_gelu(x[0], eps); }},
      {"gelu_tanh", 1, 8, true, [](Operands x) { return gelu_tanh(x[0]); },
       [](Numbers x, double eps) { return bounded_gelu_tanh(x[0], eps); }},
      {"add", 2, 1, false, [](Operands x) { return x[0] + x[1]; },
       [](Numbers x, double eps) { return rounded(x[0] + x[1], eps); }},
      {"subtract", 2, 1, false, [](Operands x) { return x[0] - x[1]; },
       [](Numbers x, double eps) { return rounded(x[0] - x[1], eps); }},
      {"multiply", 2, 1, false, [](Operands x) { return x[0] * x[1]; },
       [](Numbers x, double eps) { return rounded(x[0] * x[1], eps); }},
      {"divide", 2, 1, false, [](Operands x) { return x[0] / x[1]; },
       [](Numbers x, double eps) { return rounded(x[0] / x[1], eps); }},
      {"maximum", 2, 1, false, [](Operands x) { return max(x[0], x[1]); },
       [](Numbers x, double) { return exactly(std::max(x[0], x[1])); }},
      {"minimum", 2, 1, false, [](Operands x) { return min(x[0], x[1]); },
       [](Numbers x, double) { return exactly(std::min(x[0], x[1])); }},
      {"add_relu", 2, 2, false, [](Operands x) { return relu(x[0] + x[1]); },
       [](Numbers x, double eps) { return of_sum(x[0] + x[1], exactly(std::max(x[0] + x[1], 0.0)), eps); }},
      {"add_gelu", 2, 6, true, [](Operands x) { return gelu(x[0] + x[1]); },
       [](Numbers x, double eps) { return of_sum(x[0] + x[1], bounded_gelu(x[0] + x[1], eps), eps); }},
      {"add_gelu_tanh", 2, 9, true, [](Operands x) { return gelu_tanh(x[0] + x[1]); },
       [](Numbers x, double eps) { return of_sum(x[0] + x[1], bounded_gelu_tanh(x[0] + x[1], eps), eps); }},
  };
  return list;
}

std::vector<std::string> pointwise_names(int operands) {
  std::vector<std::string> names;
  for (const PointwiseFunction& function : pointwise_functions()) {
    if (operands == 0 || function.operands == operands) names.push_back(function.name);
  }
  return names;
}

const PointwiseFunction& find_pointwise(std::string_view name) {
  const auto& all = pointwise_functions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& function) { return function.name == name; });
  check(found != all.end(), "there is no pointwise function of that name");
  return *found;
}

InputSources pointwise_wide_inputs(const Workload& workload, const InputSources& uniform) {
  const PointwiseFunction& function = find_pointwise(workload.choice("function"));
  MixedMagnitudes magnitudes(workload.type("dtype"), workload);
  InputSources inputs;
  for (const InputSource& input : uniform) {
    inputs.push_back(magnitudes.draw_each(input.size(), std::min(function.largest_exponent, magnitudes.reach())));
  }
  return inputs;
}

std::int64_t max_vectors(const PointwiseFunction& function, const Target& target) {
  constexpr std::int64_t kPlain = 8;
  return function.expands ? max_expanded(target) : kPlain;
}

}  // namespace nestwright
