// Who gets how many samples: the racing scheme over an abstract source of readings, so that it is tested with made-up
// kernels.
//
//   1. The incumbent, if there is one, is sampled once; then each candidate once. One that is give_up_ratio times
//      slower than the best seen so far is given up: its timing says ended_early.
//   2. The others get samples up to rounds[0], pass by pass, each pass in a new random order.
//   3. In each further round only those go on whose median is within race_within (in the round after a quarter of it,
//      and so on) of the best one's and which are not clearly slower (95% interval of the paired ratio to the best);
//      the incumbent runs with them. Samples taken in one pass are a pair.
//   4. In the last round one that has become clearly slower than the best goes after each pass.
//   5. One whose samples took enough_ns together takes part in no further pass.
//
// A sample shorter than bracket_below_ns is bracketed by the fma loop. It is taken again, twice at most, while its two
// brackets differ by more than bracket_tolerance; of the tries the one whose brackets differ least counts. Its score is
// raw * reference / (mean of its brackets), the reference being one number for the life of a runner, so that scores of
// different batches are in the same unit. Longer samples are scored as they are, and the incumbent runs along from the
// start. Thread rule: pure but for the source. Unit: nanoseconds of one call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "measure/timing.h"

namespace nestwright {

/// A single call longer than this needs no further reading: neither cold caches nor a scheduler's time slice explain
/// it. 0 where nothing is known of the best (0).
double hopeless_call_ns(const TimingOptions& options, double best_ns);

/// One reading of the clock around several calls in a row.
struct Reading {
  double ns = 0;                                       ///< of all calls together
  double bracket_before_ns = 0, bracket_after_ns = 0;  ///< of the fma loop; 0 where none was asked for
};

class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// Calls a candidate that many times in a row. Nothing where it failed: it is then not asked for again.
  virtual std::optional<Reading> sample(int candidate, std::int64_t calls, bool bracket) = 0;
};

struct Contender {
  int id = 0;
  double call_ns = 0;  ///< a rough time of one call, from its check; 0: not known, a warm-up call finds it
};

struct RaceConditions {
  TimingOptions timing;
  double reference_bracket_ns = 0;  ///< 0: scores are raw times
  std::uint64_t seed = 1;           ///< of the order
};

/// One timing a contender, in order. One that failed in the source has the samples taken until then, perhaps none.
std::vector<Timing> race(SampleSource& source, const RaceConditions& conditions, std::span<const Contender> contenders,
                         std::optional<Contender> incumbent);

/// Nobody is given up: everyone gets finalist_samples, interleaved; fewer where the fastest takes long.
std::vector<Timing> race_finalists(SampleSource& source, const RaceConditions& conditions,
                                   std::span<const Contender> contenders);

}  // namespace nestwright
