// Decides whether a kernel is slower or faster than when it was recorded. Its two times are of different sessions,
// between which the clock of the machine may have changed by tens of percent. Thread rule: values and pure functions.
// Unit: nanoseconds per call of the kernel.
#pragma once

#include <cstdint>
#include <string>

#include "nestwright/measurement.h"

namespace nestwright {

/// The time of a kernel in one session, with what the sentinels read beside it.
struct KernelFigure {
  double median_ns = 0;
  double low_ns = 0, high_ns = 0;  ///< as in Timing
  double fma_ns = 0;               ///< median reading of the FMA loop; 0: there was none (devices)
  double walk_ns = 0;              ///< median reading of the walk through memory; likewise
  std::string recorded_at;         ///< UTC, ISO 8601
};

/// The figure of a timing that was recorded at that time.
KernelFigure figure_of(const Timing& timing, const std::string& recorded_at);

enum class TimeChange : std::uint8_t {
  kAsBefore,
  kFaster,
  kSlower,
  kNotComparable,  ///< the machine ran at another speed, or a time is missing
};

struct TimeComparison {
  TimeChange change = TimeChange::kNotComparable;
  double ratio = 0;       ///< of the medians, now by then: above 1 if it is slower; 0: a time is missing
  double fma_ratio = 0;   ///< how much longer the FMA loop takes than then; 0: not known
  double walk_ratio = 0;  ///< likewise of the walk through memory; 0: not known, or not compared
  std::string obstacle;   ///< kNotComparable: why, one clause
};

/// The sentinels whose readings two times are compared by.
enum class ComparedSentinels : std::uint8_t {
  kNone,        ///< those of devices, which have none: the clock alone decides
  kFma,         ///< of kernels that are bound by arithmetic
  kFmaAndWalk,  ///< of kernels that are bound by memory
};

/// Compares the time of a kernel `now` with what it `was`:
///
///   slower   now.low > was.high * (1 + tolerance) * max(1, fma ratio, walk ratio)
///   faster   now.high * (1 + tolerance) < was.low * min(1, fma ratio, walk ratio)
///
/// A kernel that is bound by arithmetic follows the clock of the cores, as the FMA loop does, and others follow it in
/// part or not at all. A change therefore counts only if it is one by the clock on the wall and by the loop: neither a
/// machine that is slower as a whole makes a kernel slower, nor one that is faster as a whole a kernel that waits for
/// memory. Two times of which a sentinel took twice as long, or has no reading, are not compared. `tolerance` is a
/// share (0.05: 5%), at least 0.
TimeComparison compare_times(const KernelFigure& was, const KernelFigure& now, double tolerance,
                             ComparedSentinels sentinels);

}  // namespace nestwright
