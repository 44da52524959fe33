#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "measure/race.h"
#include "measure/race_passes.h"
#include "support/error.h"

namespace nestwright {

namespace {

/// Groups samples, which may be scores or readings, by process.
std::vector<std::vector<double>> by_process(const std::vector<double>& samples, const std::vector<int>& processes) {
  std::map<int, std::vector<double>> groups;
  for (std::size_t i = 0; i < samples.size(); ++i) groups[processes[i]].push_back(samples[i]);
  std::vector<std::vector<double>> lists;
  for (auto& [process, list] : groups) lists.push_back(std::move(list));
  return lists;
}

std::vector<double> medians_of(const std::vector<std::vector<double>>& lists) {
  std::vector<double> medians;
  for (const std::vector<double>& list : lists) medians.push_back(median_interval(list).median);
  return medians;
}

class FinalistRace {
 public:
  FinalistRace(GatedSampler& sampler, const RaceConditions& conditions, std::span<const Contender> contenders)
      : options_(conditions.timing), passes_(sampler, conditions), racers_(make_racers(contenders)) {
    for (Racer& racer : racers_) all_.push_back(&racer);
  }

  std::vector<Timing> run() {
    do {
      run_process();
    } while (!passes_.is_over() && needs_more_processes());
    return timings();
  }

 private:
  void run_process() {
    passes_.start_process();
    passes_.pass(all_);
    for (int taken = 1; taken < samples() && !passes_.is_over(); ++taken) passes_.pass(all_);
  }

  /// The samples of each racer in a process: as many as the fastest needs, for all alike, because the samples of one
  /// pass are compared as pairs.
  int samples() const {
    double shortest = std::numeric_limits<double>::infinity();
    for (const Racer& racer : racers_) {
      if (racer.running) shortest = std::min(shortest, racer.sample_length());
    }
    return options_.finalist_samples_of(shortest);
  }

  bool needs_more_processes() const {
    if (reference() == nullptr || passes_.processes() >= options_.max_finalist_processes) return false;
    if (passes_.processes() < options_.finalist_processes) return true;
    return samples() == options_.finalist_samples && !is_precise();
  }

  /// Whether the ratio of the fastest two is known with the requested precision. It depends only on the width of the
  /// interval, not on its position, so that checking often does not find differences that do not exist.
  bool is_precise() const {
    const std::vector<Timing> all = timings();
    std::vector<const Timing*> right;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (racers_[i].running && all[i].median_ns > 0) right.push_back(&all[i]);
    }
    if (right.size() < 2) return true;
    std::partial_sort(right.begin(), right.begin() + 2, right.end(),
                      [](const Timing* a, const Timing* b) { return a->median_ns < b->median_ns; });
    const MedianInterval ratio = ratio_between(*right[1], *right[0]);
    return ratio.high - ratio.low <= 2 * options_.finalist_precision * ratio.median;
  }

  /// The first racer that has not failed; null if all have.
  const Racer* reference() const {
    const auto first = std::find_if(racers_.begin(), racers_.end(), [](const Racer& r) { return r.running; });
    return first == racers_.end() ? nullptr : &*first;
  }

  std::vector<Timing> timings() const {
    const Racer* unit = reference();
    const double unit_ns = unit ? timing(*unit, *unit, 0).median_ns : 0;
    std::vector<Timing> all;
    for (const Racer& racer : racers_) all.push_back(timing(racer, unit ? *unit : racer, unit_ns));
    return all;
  }

  Timing timing(const Racer& racer, const Racer& unit, double unit_ns) const {
    Timing timing = timing_of(racer, unit, unit_ns);
    if (timing.raw_ns.empty()) return timing;
    timing.median_ns = median_interval(medians_of(by_process(timing.samples_ns, timing.processes))).median;
    const std::vector<std::vector<double>> readings = by_process(timing.raw_ns, timing.processes);
    const MedianInterval expected = across_processes(readings);
    timing.low_ns = timing.median_ns * expected.low / expected.median;
    timing.high_ns = timing.median_ns * expected.high / expected.median;
    // Fewer do not show how processes differ: the interval would be that of a single process.
    const int min_processes = std::min(kMinProcesses, options_.finalist_processes);
    if (static_cast<int>(readings.size()) >= min_processes || !timing.disturbance.empty()) return timing;
    timing.disturbance = sound_pairs_of(racer, unit).disturbance;
    if (timing.disturbance.empty()) {
      timing.disturbance = fmt::format("the time was over after {} of {} processes", readings.size(), min_processes);
    }
    return timing;
  }

  static constexpr int kMinProcesses = 3;

  const TimingOptions& options_;
  RacePasses passes_;
  std::vector<Racer> racers_;
  std::vector<Racer*> all_;
};

}  // namespace

std::vector<Timing> race_finalists(GatedSampler& sampler, const RaceConditions& conditions,
                                   std::span<const Contender> contenders) {
  return FinalistRace(sampler, conditions, contenders).run();
}

std::vector<double> process_medians(const Timing& timing) {
  return medians_of(by_process(timing.raw_ns, timing.processes));
}

MedianInterval ratio_between(const Timing& a, const Timing& b) {
  check(a.processes.size() == a.passes.size(), "ratios are of the timings of a race of finalists");
  std::vector<double> pairs;
  std::vector<int> processes;
  for (std::size_t i = 0, j = 0; i < a.passes.size() && j < b.passes.size();) {
    if (a.passes[i] == b.passes[j]) {
      pairs.push_back(a.raw_ns[i] / b.raw_ns[j]);
      processes.push_back(a.processes[i]);
      ++i, ++j;
    } else {
      a.passes[i] < b.passes[j] ? ++i : ++j;
    }
  }
  return ratio_of_processes(medians_of(by_process(pairs, processes)));
}

}  // namespace nestwright
