#include "ir/analysis/interval.h"

#include <algorithm>

#include "nestwright/expr_nodes.h"

namespace nestwright::ir {
namespace {

using Wide = __int128;
constexpr std::int64_t kMin = Interval::kMin, kMax = Interval::kMax;

std::int64_t saturate(Wide value) {
  if (value <= kMin + 1) return kMin;  // -kMax is unbounded, too
  if (value >= kMax) return kMax;
  return static_cast<std::int64_t>(value);
}

// The product of two ends, where an unbounded end times 0 is 0.
std::int64_t product(std::int64_t a, std::int64_t b) { return saturate(static_cast<Wide>(a) * b); }

bool is_infinite(std::int64_t end) { return end == kMin || end == kMax; }

// The quotient of two ends; b is positive.
std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (is_infinite(a)) return a;
  if (b == kMax) return a < 0 ? -1 : 0;
  return floor_div(a, b);
}

}  // namespace

Interval type_range(Type type) {
  if (type.is_bool()) return {0, 1};
  if (type.bits >= 64 || !type.is_int()) return {};
  if (type.code == TypeCode::kUInt) return {0, (std::int64_t{1} << type.bits) - 1};
  const std::int64_t half = std::int64_t{1} << (type.bits - 1);
  return {-half, half - 1};
}

Interval add(Interval a, Interval b) {
  return {a.lo == kMin || b.lo == kMin ? kMin : saturate(static_cast<Wide>(a.lo) + b.lo),
          a.hi == kMax || b.hi == kMax ? kMax : saturate(static_cast<Wide>(a.hi) + b.hi)};
}

Interval scale(Interval a, std::int64_t factor) {
  if (factor == 0) return {0, 0};
  if (factor == 1) return a;
  const auto end = [&](std::int64_t value) {
    if (!is_infinite(value)) return product(value, factor);
    return (value == kMax) == (factor > 0) ? kMax : kMin;
  };
  return factor > 0 ? Interval{end(a.lo), end(a.hi)} : Interval{end(a.hi), end(a.lo)};
}

Interval mul(Interval a, Interval b) {
  if (b.is_point()) return scale(a, b.lo);
  if (a.is_point()) return scale(b, a.lo);
  const auto [lo, hi] =
      std::minmax({product(a.lo, b.lo), product(a.lo, b.hi), product(a.hi, b.lo), product(a.hi, b.hi)});
  return {lo, hi};
}

Interval div(Interval a, Interval b) {
  if (b.hi <= 0 && b.lo < 0 && b.lo > kMin) return div(scale(a, -1), scale(b, -1));
  if (b.lo < 0 || b.hi <= 0) return {};
  b.lo = std::max<std::int64_t>(b.lo, 1);
  const auto [lo, hi] =
      std::minmax({quotient(a.lo, b.lo), quotient(a.lo, b.hi), quotient(a.hi, b.lo), quotient(a.hi, b.hi)});
  return {lo, hi};
}

Interval mod(Interval a, Interval b) {
  if (b.lo < 0) return b.hi > 0 || b.lo == kMin ? Interval{} : Interval{b.lo + 1, 0};
  if (b.hi <= 0) return {};
  if (b.is_point() && a.bounded() && floor_div(a.lo, b.lo) == floor_div(a.hi, b.lo)) {
    return {floor_mod(a.lo, b.lo), floor_mod(a.hi, b.lo)};
  }
  const std::int64_t most = b.hi == kMax ? kMax : b.hi - 1;
  if (a.lo >= 0 && a.hi < std::max<std::int64_t>(b.lo, 1)) return a;
  return {0, a.lo >= 0 ? std::min(a.hi, most) : most};
}

Interval min(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)}; }
Interval max(Interval a, Interval b) { return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Interval unite(Interval a, Interval b) { return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)}; }
Interval intersect(Interval a, Interval b) {
  const Interval both{std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
  return both.lo <= both.hi ? both : a;
}

}  // namespace nestwright::ir
