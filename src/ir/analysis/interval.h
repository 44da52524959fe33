// Arithmetic on intervals of integers; an end that overflows 64 bits becomes unbounded.
// Thread rule: pure functions. Units: none.
#pragma once

#include <cstdint>
#include <limits>

#include "nestwright/type.h"

namespace nestwright::ir {

/// Inclusive; the extreme values stand for "unbounded".
struct Interval {
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  /// Larger than any index and any difference of two indices: a bound beyond it says nothing.
  static constexpr std::int64_t kFar = std::int64_t{1} << 40;
  std::int64_t lo = kMin, hi = kMax;
  bool is_point() const { return lo == hi; }
  bool bounded() const { return lo != kMin && hi != kMax; }
};

/// The values of a scalar of `type`; unbounded for int64, for uint64 (kept as a bit pattern) and for floats.
Interval type_range(Type type);

Interval add(Interval a, Interval b);
Interval scale(Interval a, std::int64_t factor);
Interval mul(Interval a, Interval b);
/// Floor division and modulo. A divisor is not 0, so 0 is excluded from `b`.
Interval div(Interval a, Interval b);
Interval mod(Interval a, Interval b);
Interval min(Interval a, Interval b);
Interval max(Interval a, Interval b);
/// The smallest interval around both.
Interval unite(Interval a, Interval b);
/// The intersection; `a` where it is empty, as in code that is never reached.
Interval intersect(Interval a, Interval b);
/// Whether `inner` is a subset of `outer`.
inline bool within(Interval inner, Interval outer) { return inner.lo >= outer.lo && inner.hi <= outer.hi; }

}  // namespace nestwright::ir
