// The passes of a race: each samples some racers once, in random order. Private to measure/.
// Thread rule: one thread at a time. Unit: nanoseconds per call.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "measure/race/race.h"

namespace nestwright {

/// A contender with its samples so far.
struct Racer {
  int id = 0;  ///< by which the source knows it
  Contender contender;
  std::int64_t calls = 0;  ///< per sample; 0: not known yet
  bool running = true;     ///< neither failed, nor given up, nor beaten
  bool ended_early = false;
  std::vector<Sample> samples;  ///< call_ns: of the whole kernel

  /// Returns the duration of a sample; 0 if it is not known yet.
  double sample_length() const;
};

/// Returns one racer per contender, without samples.
std::vector<Racer> make_racers(std::span<const Contender> contenders);

class RacePasses {
 public:
  RacePasses(GatedSampler& sampler, const RaceConditions& conditions);

  /// Runs the following passes in a fresh process.
  void start_process();
  int processes() const { return process_; }
  /// Samples each running racer once; repeats the pass if the surroundings turn out to have been disturbed and the wait
  /// budget allows it.
  void pass(const std::vector<Racer*>& racers);
  /// Whether the race is to end now.
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

/// The samples of two racers from the passes that they share.
struct Pairs {
  std::vector<const Sample*> own, other;
  std::string disturbance;  ///< of the last pair that was left out or, if all are disturbed, of the last pair
  bool are_sound = true;    ///< undisturbed
};
/// Returns the undisturbed pairs if there are at least two or all are undisturbed, else all pairs.
Pairs pairs_of(const Racer& racer, const Racer& other);
/// Returns the undisturbed pairs, however few.
Pairs sound_pairs_of(const Racer& racer, const Racer& other);

/// Returns the timing of `racer` by its ratios to `reference`, whose reference time is `reference_ns`. The reference
/// itself is scored by its own readings.
Timing timing_of(const Racer& racer, const Racer& reference, double reference_ns);

/// Whether `racer` is slower than `best` with 95% confidence.
bool is_clearly_slower(const Racer& racer, const Racer& best);

}  // namespace nestwright
