// Distributes samples among candidates: the racing scheme, over an abstract source of readings, so that it can be
// tested with simulated kernels. The method is randomised interleaving with paired ratios (Kalibera & Jones, ISMM'13;
// Abedi & Brecht, ICPE'17), as described in docs/measuring.md.
//
//   1. Every pass samples the reference kernel, which is the incumbent of the search, and each candidate that is still
//      running, in a new random order. The score of a candidate in a pass is the ratio of its reading to the reference
//      kernel's, times the reference time of that kernel: one unit for all candidates, whatever the machine's clock
//      does.
//   2. A candidate that is give_up_ratio times slower than the best after its first pass is sampled in a second one
//      with the best; if it is that slow there, too, and by about as much, it is given up: its timing has ended_early
//      set.
//   3. The others get samples up to rounds[0], pass by pass. Each further round continues only with candidates whose
//      lower quartile is within race_within (in the next round a quarter of it, and so on) of the best upper quartile
//      and that are not clearly slower (95% interval of the paired ratio to the best), so that a few readings with an
//      undetected disturbance eliminate nobody. At most half of all candidates continue, half as many in each further
//      round, but at least two may.
//   4. In the last round a candidate is dropped after the pass in which it becomes clearly slower than the best.
//   5. A candidate whose samples took enough_ns in total takes part in no further pass.
//   6. The best candidate is confirmed if it is faster than the reference kernel: it is sampled again with that kernel
//      alone, more often the more it gains. All its samples make up its score, which is its reference time from then
//      on.
//
// If the reference kernel fails, the first candidate that does not fail replaces it; if the incumbent failed, nothing
// is confirmed.
//
// Only pairs of undisturbed samples count. A pass in disturbed surroundings is repeated. A candidate with fewer than
// two undisturbed pairs is scored by the disturbed ones, and its timing says what disturbed them. The same goes for a
// candidate that is still faster than the machine can be (Contender::least_ns) when it is sampled again.
// Thread rule: no side effects except through the source. Unit: nanoseconds per call.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "measure/race/gated_sampler.h"
#include "measure/race/timing.h"

namespace nestwright {

struct CompiledObject;

/// A kernel that is timed beside others.
struct Contender {
  /// What is linked and called; null where the source of samples has kernels of its own.
  const CompiledObject* object = nullptr;
  /// The time of a call as far as it is known: the reference time of an incumbent, or the faster of two checked calls;
  /// 0: not known, a warm-up call finds it.
  double call_ns = 0;
  double least_ns = 0;  ///< the least time that the machine needs for its work; 0: not known
  /// Above 0: the object is a part of the kernel, and the whole takes this many times as long. All times are those of
  /// the whole: readings are multiplied by it.
  double part_ratio = 0;

  bool is_part() const { return part_ratio > 0; }
  /// The time of the kernel relative to that of what is called.
  double whole_ratio() const { return is_part() ? part_ratio : 1; }
};

/// Whether a kernel of that time is faster than the machine can be, by more than the uncertainty of the machine's
/// rates.
bool is_implausible(double ns, double least_ns);

/// How to run a race.
struct RaceConditions {
  TimingOptions timing;
  std::uint64_t seed = 1;         ///< of the order
  std::function<bool()> is_over;  ///< called between passes; true ends the race early. May be empty: never
};

/// The result of a race.
struct RaceResult {
  std::vector<Timing> timings;  ///< one per contender, in order; a failed one has the samples before its failure
  /// If there was no incumbent, the contender that served as the reference kernel: the first that does not fail.
  std::optional<std::size_t> reference;
  double reference_ns = 0;  ///< reference time of the incumbent, or of `reference`
  /// The incumbent failed: scores are raw times, relative to the first candidate that did not fail, and there is no
  /// successor.
  bool incumbent_failed = false;
  /// The contender that was confirmed to be faster than the reference kernel. Its median is its reference time.
  std::optional<std::size_t> successor;
};

/// Races the contenders. The source knows each by its index, and the incumbent by the next one.
RaceResult race(GatedSampler& sampler, const RaceConditions& conditions, std::span<const Contender> contenders,
                std::optional<Contender> incumbent);

}  // namespace nestwright
