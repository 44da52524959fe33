#include "nestwright/element_lines.h"

#include <algorithm>
#include <array>

#include "ir/core/elements.h"

namespace nestwright::ir {
namespace {

constexpr std::int64_t kLanes = 8;       ///< independent sums, which vectors hold
constexpr std::int64_t kTogether = 512;  ///< lines whose sums stay in the first-level cache

/// The weighted sum of neighbours in memory.
template <class T>
double dot(const T* elements, const double* weights, std::int64_t n) {
  std::array<double, kLanes> lanes{};
  std::int64_t e = 0;
  for (; e + kLanes <= n; e += kLanes) {
    for (std::int64_t i = 0; i < kLanes; ++i) lanes[i] += weights[e + i] * static_cast<double>(elements[e + i]);
  }
  for (; e < n; ++e) lanes[0] += weights[e] * static_cast<double>(elements[e]);
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

}  // namespace

void sum_lines(const ElementLines& lines, std::int64_t group, Type type, const void* memory,
               std::span<const double> weights, std::span<double> sums) {
  const std::int64_t length = lines.length_of(group);
  with_element(type, [&]<class T>(T*) {
    const T* const first = static_cast<const T*>(memory) + lines.first_of(group);
    if (lines.inner == 1 && lines.step == 1) {
      sums[0] = dot(first, weights.data(), length);
      return;
    }
    std::fill(sums.begin(), sums.end(), 0.0);
    for (std::int64_t begin = 0; begin < lines.inner; begin += kTogether) {
      const std::int64_t count = std::min(kTogether, lines.inner - begin);
      double* __restrict sum = sums.data() + begin;
      for (std::int64_t e = 0; e < length; ++e) {
        const T* const row = first + e * lines.step + begin;
        const double weight = weights[static_cast<std::size_t>(e)];
        for (std::int64_t i = 0; i < count; ++i) sum[i] += weight * static_cast<double>(row[i]);
      }
    }
  });
}

}  // namespace nestwright::ir
