// Who gets how many samples: the racing scheme over an abstract source of readings, so that it is tested with made-up
// kernels. Method: randomised interleaving and paired ratios (Kalibera & Jones, ISMM'13; Abedi & Brecht, ICPE'17), as
// docs/measuring.md says.
//
//   1. Every pass samples the reference kernel, the incumbent of the search, and each candidate that still runs, in a
//      new random order. The score of a candidate in a pass is the ratio of its reading to the reference kernel's,
//      times the reference time of that kernel: one unit for all candidates, whatever the machine's clock does.
//   2. A candidate that is give_up_ratio times slower than the best after its first pass is sampled in a second one
//      with the best; if it is that slow there, too, and by about as much, it is given up: its timing says ended_early.
//   3. The others get samples up to rounds[0], pass by pass. In each further round only those go on whose lower
//      quartile is within race_within (in the round after a quarter of it, and so on) of the best upper quartile and
//      which are not clearly slower (95% interval of the paired ratio to the best): what hits a few readings unseen
//      drops nobody. Of all candidates at most half go on, and half as many in each further round; two may.
//   4. In the last round a candidate that has become clearly slower than the best stops after each pass.
//   5. A candidate whose samples took enough_ns together takes part in no further pass.
//   6. The best candidate is confirmed where it is faster than the reference kernel: sampled afresh with it alone, the
//      more often the more it gains. All its samples make up its score, which is its reference time from then on.
//
// A reference kernel that fails gives way to the first candidate that does not; against an incumbent that failed
// nothing is confirmed.
//
// Only pairs of undisturbed samples count. A pass whose surroundings were disturbed is repeated. A candidate with fewer
// than two undisturbed pairs is scored by the disturbed ones, and its timing says what disturbed them. So does that of
// a candidate that stays faster than the machine can be (Contender::least_ns) when it is sampled again.
// Thread rule: pure but for the source. Unit: nanoseconds of one call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "measure/gated_sampler.h"
#include "measure/timing.h"

namespace nestwright {

struct Contender {
  int id = 0;
  double call_ns = 0;   ///< the faster of two checked calls, or a known time; 0: not known, a warm-up call finds it
  double least_ns = 0;  ///< that the machine needs for its work; 0: not known
};

/// Whether a kernel of that time is faster than the machine can be, by more than its rates are uncertain.
bool is_implausible(double ns, double least_ns);

struct RaceConditions {
  TimingOptions timing;
  std::uint64_t seed = 1;         ///< of the order
  std::function<bool()> is_over;  ///< asked between passes; ends a race with what there is. May be empty: never
};

struct RaceResult {
  std::vector<Timing>
      timings;  ///< one a contender, in order; one that failed in the source has what was taken until then
  /// The contender that the others were held against because there was no incumbent: the first that does not fail.
  std::optional<std::size_t> reference;
  double reference_ns = 0;  ///< reference time of the incumbent, or of `reference`
  /// The incumbent failed: scores are in raw times, by way of the first candidate that did not, and none is a
  /// successor.
  bool incumbent_failed = false;
  /// The contender that was confirmed to be faster than the reference kernel, and its reference time: its median.
  std::optional<std::size_t> successor;
  double successor_ns = 0;
};

/// `incumbent`: its call_ns is its reference time.
RaceResult race(GatedSampler& sampler, const RaceConditions& conditions, std::span<const Contender> contenders,
                std::optional<Contender> incumbent);

/// Nobody is given up: everyone gets as many samples, all in the same passes, in finalist_processes fresh processes or
/// more, for two copies of one kernel differ by a percent for as long as a process lives, by where they lie. Scores are
/// in the unit of the first contender that does not fail, whose reference time is the median of the medians of its
/// processes. The median of each is that of its processes' medians; its interval is what one more process is expected
/// to show. One with undisturbed samples in fewer than three processes is disturbed, unless there were fewer.
std::vector<Timing> race_finalists(GatedSampler& sampler, const RaceConditions& conditions,
                                   std::span<const Contender> contenders);

/// The medians of a race of finalists, one a process that was not disturbed, in order: as read from the clock.
std::vector<double> process_medians(const Timing& timing);

/// Ratio of a's time to b's in a race of finalists, by the pairs of each process; zeros where they have none.
MedianInterval ratio_between(const Timing& a, const Timing& b);

}  // namespace nestwright
