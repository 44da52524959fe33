#include "bench/figures/tunings/budget_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace nestwright::bench {
namespace {

using Random = std::mt19937_64;

double draw_log(Random& random, double low, double high) {
  return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
}

std::int64_t draw_size(Random& random, double low, double high) {
  return static_cast<std::int64_t>(std::round(draw_log(random, low, high)));
}

template <class T, std::size_t N>
const T& draw(Random& random, const std::array<T, N>& list) {
  return list[random() % N];
}

constexpr std::array<const char*, 3> kTypes = {"float32", "float32", "float64"};

std::string draw_workload(Random& random) {
  const auto size = [&](double low, double high) { return draw_size(random, low, high); };
  switch (random() % 8) {
    case 0:
    case 1:
      return fmt::format("matmul m={} n={} k={} dtype={}", size(1, 2048), size(1, 2048), size(1, 2048),
                         draw(random, kTypes));
    case 2:
      return fmt::format("conv2d n={} c={} h={} w={} k={} r=3 s=3 pad=1", size(1, 4), size(3, 256), size(7, 112),
                         size(7, 112), size(8, 256));
    case 3:
      return fmt::format("depthwise_conv2d n=1 c={} h={} w={} r=3 s=3 pad=1", size(8, 512), size(7, 112), size(7, 112));
    case 4:
      return fmt::format("softmax rows={} columns={}", size(1, 8192), size(1, 4096));
    case 5:
      return fmt::format("layer_norm rows={} columns={}", size(1, 8192), size(16, 4096));
    case 6:
      return fmt::format("reduce function=sum shape={}x{} axes={}", size(1, 8192), size(1, 8192), random() % 2);
    default:
      return fmt::format("elementwise function=gelu shape={}", size(1000, 3e7));
  }
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// An expression and its sizes, each of a name and its range.
struct Form {
  const char* text;
  struct Size {
    const char* name;
    double low, high;
  };
  std::vector<Size> sizes;
};

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = {
      {"C[i,j] = sum(k, A[i,k] * B[k,j])", {{"i", 1, 1024}, {"j", 1, 1024}, {"k", 1, 4096}}},
      {"C[i,j] = sum(k, X[k,i] * X[k,j])", {{"i", 1, 64}, {"j", 1, 64}, {"k", 1000, 200'000}}},
      {"C[i,j] = max(k, A[i,k] + B[k,j])", {{"i", 1, 256}, {"j", 1, 256}, {"k", 1, 512}}},
      {"D[a,b] = sum(t, (U[a,t] - V[b,t]) * (U[a,t] - V[b,t]))", {{"a", 1, 512}, {"b", 1, 512}, {"t", 1, 512}}},
      {"Y[o,x] = sum(c, r, X[c,x+r-1]?0 * W[o,c,r])", {{"o", 1, 128}, {"c", 1, 128}, {"x", 8, 4096}, {"r", 3, 3}}},
      {"Y[o,y,x] = sum(c, r, s, X[c,y+r-1,x+s-1]?0 * W[o,c,r,s])",
       {{"o", 1, 64}, {"c", 1, 64}, {"y", 7, 64}, {"x", 7, 64}, {"r", 3, 3}, {"s", 3, 3}}},
      {"S[i] = sum(j, X[i,j])", {{"i", 1, 8192}, {"j", 1, 8192}}},
      {"S[j] = sum(i, X[i,j])", {{"i", 1, 8192}, {"j", 1, 8192}}},
      {"M[i] = max(j, X[i,j]); E[i,j] = exp(X[i,j] - M[i]); S[i] = sum(j, E[i,j]); Y[i,j] = E[i,j] / S[i]",
       {{"i", 1, 2048}, {"j", 1, 2048}}},
      {"Y[i,j] = max(X[i,j] * 0.5 + B[j], 0)", {{"i", 1, 4096}, {"j", 1, 4096}}},
      {"Y[i] = X[i] * X[i] + Z[i]", {{"i", 1, 30'000'000}}},
      {"Y[j,i] = X[i,j]", {{"i", 1, 4096}, {"j", 1, 4096}}},
  };
  return kForms;
}

}  // namespace

BudgetRun draw_budget_run(std::uint64_t i) {
  Random random(1000 + i);
  BudgetRun run;
  run.workload = words_of(draw_workload(random));
  run.threads = 1 + static_cast<int>(random() % 2);
  run.seconds = std::round(10 * draw_log(random, 2, 30)) / 10;
  run.busy = static_cast<int>(i % 3);
  return run;
}

std::vector<std::string> draw_expression(std::uint64_t i) {
  Random random(2000 + i);
  const Form& form = forms()[i % forms().size()];
  std::vector<std::string> words = {"--expr", form.text};
  for (const Form::Size& size : form.sizes) {
    words.push_back(fmt::format("{}={}", size.name, draw_size(random, size.low, size.high)));
  }
  return words;
}

double allowed_seconds(double seconds) { return seconds < 5 ? seconds + 3 : 1.08 * seconds + 2; }

double percentile(std::vector<double> values, double share) {
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(values.size()))) - 1;
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace nestwright::bench
