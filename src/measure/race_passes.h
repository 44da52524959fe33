// Passes of a race: each samples some racers once, in random order. Private to measure/.
// Thread rule: one thread at a time. Unit: nanoseconds of one call.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "measure/race.h"

namespace nestwright {

struct RacerSample {
  int pass = 0, process = 0;
  double call_ns = 0, fma_ns = 0, walk_ns = 0;
  std::string disturbance;  ///< empty: it counts
};

struct Racer {
  Contender contender;
  std::int64_t calls = 0;  ///< of one sample; 0: not known yet
  bool running = true;     ///< neither failed, nor given up, nor beaten
  bool ended_early = false;
  std::vector<RacerSample> samples;

  /// 0 where nothing is known yet.
  double sample_length() const;
};

std::vector<Racer> line_up(std::span<const Contender> contenders);

class RacePasses {
 public:
  RacePasses(GatedSampler& sampler, const RaceConditions& conditions);

  /// The passes that follow are held in a fresh process.
  void start_process();
  int processes() const { return process_; }
  /// Samples each of those that are running once; again where the surroundings turn out to have been disturbed and a
  /// wait is left.
  void pass(const std::vector<Racer*>& racers);
  /// Whether the race is to end with what there is.
  bool is_over() const { return conditions_.is_over && conditions_.is_over(); }

 private:
  void sample(Racer& racer);
  void find_calls(Racer& racer);
  void set_calls(Racer& racer, double call_ns) const;

  GatedSampler& sampler_;
  const RaceConditions& conditions_;
  std::mt19937_64 random_;
  int pass_ = 0, process_ = 0;
};

/// Samples of two racers that were taken in the same passes.
struct Pairs {
  std::vector<const RacerSample*> own, other;
  std::string disturbance;  ///< of the last one that was left out, or, where they are all disturbed, of the last one
  bool are_sound = true;    ///< undisturbed
};
/// The undisturbed pairs where there are two of them or all are, else all.
Pairs pairs_of(const Racer& racer, const Racer& other);
/// The undisturbed pairs, however few.
Pairs sound_pairs_of(const Racer& racer, const Racer& other);

/// The timing by ratios to `reference`, whose reference time is `reference_ns`. A racer that is the reference itself is
/// scored by its own readings.
Timing timing_of(const Racer& racer, const Racer& reference, double reference_ns);

/// Slower than `best` with 95% confidence.
bool is_clearly_slower(const Racer& racer, const Racer& best);

}  // namespace nestwright
