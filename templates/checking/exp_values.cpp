#include "templates/checking/exp_values.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace nestwright {
namespace {

/// exp(x) = 2^n exp(r), where |r| <= ln(2) / 2 and exp(r) is its Taylor polynomial of degree 13, whose rest is below
/// 1e-17.
[[gnu::always_inline]] inline void replace_all(double* __restrict values, std::size_t count) {
  constexpr double kLog2E = 0x1.71547652b82fep+0, kLn2High = 0x1.62e42fefa3800p-1, kLn2Low = 0x1.ef35793c76730p-45;
  constexpr double kRound = 0x1.8p52;  // adding it leaves an integer in the last bits
  constexpr std::array kInverseFactorials{
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
  for (std::size_t i = 0; i < count; ++i) {
    const double x = values[i] < -708 ? -708 : values[i];
    const double shifted = x * kLog2E + kRound, n = shifted - kRound;
    const double r = (x - n * kLn2High) - n * kLn2Low;
    double power = kInverseFactorials[0];
    for (std::size_t k = 1; k < kInverseFactorials.size(); ++k) power = power * r + kInverseFactorials[k];
    const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
    values[i] = power * std::bit_cast<double>(exponent);
  }
}

void replace_anywhere(double* values, std::size_t count) { replace_all(values, count); }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void replace_avx2(double* values, std::size_t count) { replace_all(values, count); }
#endif

}  // namespace

void exp_values(std::span<double> values) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return replace_avx2(values.data(), values.size());
#endif
  replace_anywhere(values.data(), values.size());
}

}  // namespace nestwright
