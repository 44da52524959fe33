// Softmax of each row in four stages, and the softmax cross entropy of a batch, down to one number.
#include <cmath>

#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

constexpr int M = 512, N = 1000, kVector = 16;

struct Softmax {
  Tensor X = placeholder({M, N}, kFloat32, "X");
  IterVar kmax = reduce_axis(N, "k"), ksum = reduce_axis(N, "k");
  Tensor largest = compute({M}, [&](Expr i) { return max(X(i, kmax), kmax); }, "largest");
  Tensor power = compute({M, N}, [&](Expr i, Expr j) { return exp(X(i, j) - largest(i)); }, "power");
  Tensor total = compute({M}, [&](Expr i) { return sum(power(i, ksum), ksum); }, "total");
  Tensor Y = compute({M, N}, [&](Expr i, Expr j) { return power(i, j) / total(i); }, "Y");
};

Array logits() {
  return filled({M, N}, [](std::int64_t i) { return std::sin(static_cast<double>(i)) * 5; });
}

/// Probabilities in double precision.
std::vector<double> softmax_of(const Array& x) {
  const auto in = x.as<const float>();
  std::vector<double> out(in.size());
  for (std::size_t i = 0; i < M; ++i) {
    double largest = in[i * N], total = 0;
    for (std::size_t j = 0; j < N; ++j) largest = std::max(largest, double{in[i * N + j]});
    for (std::size_t j = 0; j < N; ++j) total += out[i * N + j] = std::exp(in[i * N + j] - largest);
    for (std::size_t j = 0; j < N; ++j) out[i * N + j] /= total;
  }
  return out;
}

void softmax(Example& example) {
  const Softmax op;
  Schedule s = create_schedule(op.Y);
  // Computes all four stages row by row; vectorises those that do not depend on other columns.
  const auto [part, row] = s[op.Y].split(s[op.Y].axis(0), factor(32));
  s[op.Y].parallel(part);
  for (const Tensor& stage : {op.largest, op.power, op.total}) s[stage].compute_at(s[op.Y], row);
  for (const Tensor& stage : {op.power, op.Y}) {
    const auto [block, lane] = s[stage].split(s[stage].axis(1), factor(kVector));
    s[stage].vectorize(lane);
  }
  const Array x = logits();
  const std::vector<double> probabilities = softmax_of(x);
  const Array expected = filled({M, N}, [&](std::int64_t i) { return probabilities[static_cast<std::size_t>(i)]; });
  example.run("softmax", s, {op.X, op.Y}, {&x}, expected);
}

void cross_entropy(Example& example) {
  const Softmax op;
  const Tensor T = placeholder({M, N}, kFloat32, "T");
  const IterVar i = reduce_axis(M, "i"), j = reduce_axis(N, "j");
  const Tensor logarithm =
      compute({M, N}, [&](Expr r, Expr c) { return op.X(r, c) - op.largest(r) - log(op.total(r)); }, "logarithm");
  const Tensor row = compute({M}, [&](Expr r) { return sum(T(r, j) * logarithm(r, j), j); }, "row");
  const Tensor all_rows = compute({}, [&] { return sum(row(i), i); }, "all_rows");
  const Tensor loss = compute({}, [&] { return all_rows() * (-1.0 / M); }, "loss");

  Schedule s = create_schedule(loss);
  s[logarithm].compute_inline();
  const auto [part, inside] = s[row].split(s[row].axis(0), factor(32));
  s[row].parallel(part);
  for (const Tensor& stage : {op.largest, op.power, op.total}) s[stage].compute_at(s[row], inside);
  const auto [block, lane] = s[op.power].split(s[op.power].axis(1), factor(kVector));
  s[op.power].vectorize(lane);

  const Array x = logits();
  const Array t = filled({M, N}, [](std::int64_t at) { return at % N == at / N * 7 % N ? 1 : 0; });
  const std::vector<double> probabilities = softmax_of(x);
  double total = 0;
  for (std::size_t at = 0; at < probabilities.size(); ++at) {
    if (t.as<const float>()[at] != 0) total -= std::log(probabilities[at]);
  }
  const Array expected = filled({}, [&](std::int64_t) { return total / M; });
  example.run("softmax cross entropy", s, {op.X, T, loss}, {&x, &t}, expected);
}

void show_all(Example& example) {
  softmax(example);
  cross_entropy(example);
}

}  // namespace

int main(int argc, char** argv) { return main_of(argc, argv, show_all); }
