#include <algorithm>
#include <limits>

#include "measure/race.h"
#include "measure/race_passes.h"

namespace nestwright {

namespace {

/// The first that has not failed; nullptr where all have.
const Racer* reference_of(const std::vector<Racer>& racers) {
  const auto first = std::find_if(racers.begin(), racers.end(), [](const Racer& r) { return r.running; });
  return first == racers.end() ? nullptr : &*first;
}

std::vector<Timing> timings_of(const std::vector<Racer>& racers) {
  const Racer* reference = reference_of(racers);
  const double reference_ns = reference ? timing_of(*reference, *reference, 0).median_ns : 0;
  std::vector<Timing> timings;
  for (const Racer& racer : racers) timings.push_back(timing_of(racer, reference ? *reference : racer, reference_ns));
  return timings;
}

std::vector<Racer*> all_of(std::vector<Racer>& racers) {
  std::vector<Racer*> list;
  for (Racer& racer : racers) list.push_back(&racer);
  return list;
}

double shortest_sample(const std::vector<Racer>& racers) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Racer& racer : racers) {
    if (racer.running) shortest = std::min(shortest, racer.sample_length());
  }
  return shortest;
}

/// Whether the ratio of the fastest two is known as well as is asked for. A matter of the interval's width and not of
/// where it lies, so that looking often does not find differences that are not there.
bool is_precise(const std::vector<Racer>& racers, double precision) {
  std::vector<Timing> timings = timings_of(racers);
  std::erase_if(timings, [](const Timing& t) { return t.median_ns <= 0; });
  if (timings.size() < 2) return true;
  std::partial_sort(timings.begin(), timings.begin() + 2, timings.end(),
                    [](const Timing& a, const Timing& b) { return a.median_ns < b.median_ns; });
  const MedianInterval ratio = ratio_between(timings[1], timings[0]);
  return ratio.high - ratio.low <= 2 * precision * ratio.median;
}

}  // namespace

MedianInterval ratio_between(const Timing& a, const Timing& b) {
  std::vector<double> own, other;
  for (std::size_t i = 0, j = 0; i < a.passes.size() && j < b.passes.size();) {
    if (a.passes[i] == b.passes[j]) {
      own.push_back(a.raw_ns[i++]);
      other.push_back(b.raw_ns[j++]);
    } else {
      a.passes[i] < b.passes[j] ? ++i : ++j;
    }
  }
  return paired_ratio(own, other);
}

std::vector<Timing> race_finalists(GatedSampler& sampler, const RaceConditions& conditions,
                                   std::span<const Contender> contenders) {
  const TimingOptions& options = conditions.timing;
  RacePasses passes(sampler, conditions);
  std::vector<Racer> racers = line_up(contenders);
  const std::vector<Racer*> everyone = all_of(racers);
  passes.pass(everyone);
  // As many for everyone, for the samples of one pass are a pair: what the fastest needs.
  const int wanted = options.finalist_samples_of(shortest_sample(racers));
  const int most = wanted < options.finalist_samples ? wanted : options.max_finalist_samples;
  for (int taken = 1; taken < most && !passes.is_over(); ++taken) {
    if (taken >= wanted && taken % 10 == 0 && is_precise(racers, options.finalist_precision)) break;
    passes.pass(everyone);
  }
  return timings_of(racers);
}

std::vector<ProcessSamples> sample_process(GatedSampler& sampler, const RaceConditions& conditions,
                                           std::span<const Contender> contenders) {
  RacePasses passes(sampler, conditions);
  std::vector<Racer> racers = line_up(contenders);
  const std::vector<Racer*> everyone = all_of(racers);
  passes.pass(everyone);
  const int wanted = conditions.timing.fresh_samples_of(shortest_sample(racers));
  for (int taken = 1; taken < wanted && !passes.is_over(); ++taken) passes.pass(everyone);
  std::vector<ProcessSamples> all;
  for (const Racer& racer : racers) {
    const Timing timing = timing_of(racer, racer, 0);
    all.push_back({timing.raw_ns, timing.fma_ns, timing.disturbance});
  }
  return all;
}

}  // namespace nestwright
