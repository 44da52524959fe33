#include "measure/race/race_finalists.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "measure/race/process_range.h"
#include "measure/race/race_passes.h"
#include "nestwright/error.h"

namespace nestwright {

namespace {

constexpr int kMinProcesses = 3;  // fewer do not show how processes differ: the interval would be that of a single one
constexpr double kProcess_s = 0.05;    // start-up of a process, as far as readings are planned by it
constexpr double kPassOverhead = 1.3;  // a pass of short kernels relative to its readings: untimed calls, sentinels

/// Samples, which may be scores or readings, by process.
using ByProcess = std::map<int, std::vector<double>>;

ByProcess by_process(const std::vector<double>& samples, const std::vector<int>& processes) {
  ByProcess groups;
  for (std::size_t i = 0; i < samples.size(); ++i) groups[processes[i]].push_back(samples[i]);
  return groups;
}

std::vector<double> medians_of(const ByProcess& groups) {
  std::vector<double> medians;
  for (const auto& [process, samples] : groups) medians.push_back(median_interval(samples).median);
  return medians;
}

/// The options with readings that are as long as the time allows for.
TimingOptions with_length(TimingOptions options, double seconds, std::size_t racers) {
  const double readings = kPassOverhead * options.finalist_processes * options.finalist_samples *
                          static_cast<double>(std::max<std::size_t>(racers, 1));
  const double longest = std::max(options.sample_ns, options.finalist_sample_ns);
  const double reading_s = (seconds - kProcess_s * options.finalist_processes) / readings;
  options.sample_ns = std::clamp(1e9 * reading_s, options.sample_ns, longest);
  return options;
}

class FinalistRace {
 public:
  FinalistRace(GatedSampler& sampler, const FinalistConditions& conditions, std::span<const Contender> contenders)
      : limits_(conditions.limits),
        clock_(sampler.clock()),
        conditions_{with_length(conditions.timing, seconds_left(), contenders.size()), conditions.seed,
                    [this] { return seconds_left() <= pass_s_; }},
        options_(conditions_.timing),
        passes_(sampler, conditions_),
        racers_(make_racers(contenders)) {
    for (Racer& racer : racers_) racing_.push_back(&racer);
  }

  std::vector<Timing> run() {
    do {
      run_process();
      drop_hopeless();
      if (limits_.on_process) limits_.on_process(progress());
    } while (has_time_for_process() && needs_more_processes());
    return timings();
  }

 private:
  double seconds_left() const {
    return limits_.seconds_left ? limits_.seconds_left() : std::numeric_limits<double>::infinity();
  }
  bool is_over() const { return seconds_left() <= 0; }
  double now_s() const { return 1e-9 * static_cast<double>(clock_.now_ns()); }

  void run_process() {
    const double start_s = now_s(), left_s = seconds_left();
    passes_.start_process();
    start_s_ = now_s() - start_s;
    int taken = 0;
    do {
      passes_.pass(taken == 0 ? racing_ : contending());
      process_s_ = now_s() - start_s;
      pass_s_ = (process_s_ - start_s_) / ++taken;
    } while (wants_another_pass(taken) && has_time_for_pass(taken, left_s));
  }

  /// Those that take part in more than the first pass of each process: without kernels that are far behind.
  std::vector<Racer*> contending() const {
    constexpr double kFarBehind = 3;
    std::vector<Racer*> list = racing_;
    const auto typical = [](const Racer* racer) {
      std::vector<double> readings;
      for (const Sample& sample : racer->samples) readings.push_back(sample.call_ns);
      return median_interval(readings).median;
    };
    double fastest = std::numeric_limits<double>::infinity();
    for (const Racer* racer : racing_) {
      if (racer->running && !racer->samples.empty()) fastest = std::min(fastest, typical(racer));
    }
    std::erase_if(list, [&](const Racer* racer) {
      return racer != reference() && racer->running && typical(racer) > kFarBehind * fastest;
    });
    return list;
  }

  /// Whether the readings of this process are fewer than those that its medians need.
  bool wants_another_pass(int taken) const {
    if (reference() == nullptr) return false;
    const double length = sample_length();
    if (taken >= options_.finalist_max_samples_of(length)) return false;
    return taken < options_.finalist_samples_of(length) || !stands_still();
  }

  /// Whether the process can have one more pass, where `left_s` seconds were left when it was started: fewer passes are
  /// preferred to fewer processes, down to those that a median needs.
  bool has_time_for_pass(int taken, double left_s) const {
    constexpr double kFew_ns = 20e6;
    const int few = static_cast<int>(std::clamp(std::ceil(kFew_ns / sample_length()), 1.0, 3.0));
    const auto share_of = [&](int processes) { return left_s / std::max(1, processes - passes_.processes() + 1); };
    double share_s = share_of(options_.finalist_processes);
    if (start_s_ + few * pass_s_ > share_s) {
      if (taken >= few) return false;
      share_s = share_of(std::min(kMinProcesses, options_.finalist_processes));
    }
    return process_s_ + pass_s_ <= share_s && !is_over();
  }

  bool has_time_for_process() const { return !is_over() && start_s_ + pass_s_ <= seconds_left(); }

  /// The length of the shortest reading: all kernels get as many as that one needs, because the samples of one pass are
  /// compared as pairs.
  double sample_length() const {
    double shortest = std::numeric_limits<double>::infinity();
    for (const Racer* racer : racing_) {
      if (racer->running) shortest = std::min(shortest, racer->sample_length());
    }
    return shortest;
  }

  /// Whether the medians of the fastest kernels in this process are known well enough: their standard error, by the
  /// median absolute deviation of the readings, is at most finalist_steady, or half of what the processes before differ
  /// by, in which case more readings in this one would tell little.
  bool stands_still() const {
    constexpr double kErrorOfMedian = 1.2533;  // relative to that of a mean
    constexpr double kNearFastest = 1.1;
    struct Known {
      double median, error, enough;
    };
    std::vector<Known> kernels;
    double fastest = std::numeric_limits<double>::infinity();
    for (const Racer* racer : racing_) {
      std::map<int, double> medians = medians_by_process(*racer);
      const auto current = medians.find(passes_.processes());
      if (!racer->running || current == medians.end()) continue;
      const std::vector<double> readings = readings_of(*racer, passes_.processes());
      const double median = current->second;
      medians.erase(current);
      std::vector<double> before;
      for (const auto& [process, each] : medians) before.push_back(each);
      const double error = kErrorOfMedian * robust_scatter(readings) / std::sqrt(static_cast<double>(readings.size()));
      kernels.push_back({median, error, std::max(options_.finalist_steady, robust_scatter(before) / 2)});
      fastest = std::min(fastest, median);
    }
    if (kernels.empty()) return false;  // all were disturbed
    return std::all_of(kernels.begin(), kernels.end(), [&](const Known& each) {
      return each.median > kNearFastest * fastest || each.error <= each.enough;
    });
  }

  /// The median of the undisturbed readings in each process that has any.
  std::map<int, double> medians_by_process(const Racer& racer) const {
    std::map<int, double> medians;
    for (int process = 1; process <= passes_.processes(); ++process) {
      const std::vector<double> readings = readings_of(racer, process);
      if (!readings.empty()) medians.emplace(process, median_interval(readings).median);
    }
    return medians;
  }

  /// The undisturbed readings in a process.
  static std::vector<double> readings_of(const Racer& racer, int process) {
    std::vector<double> readings;
    for (const Sample& sample : racer.samples) {
      if (sample.process == process && sample.disturbance.empty()) readings.push_back(sample.call_ns);
    }
    return readings;
  }

  /// Ends the race for kernels that take twice as long as the fastest, once their processes suffice for a time; the
  /// reference kernel, with which the others are paired, stays.
  void drop_hopeless() {
    constexpr double kHopeless = 2;
    if (passes_.processes() < kMinProcesses) return;
    const std::vector<Timing> all = timings();
    const auto median = [&](const Racer* racer) {
      return all[static_cast<std::size_t>(racer - racers_.data())].median_ns;
    };
    double fastest = std::numeric_limits<double>::infinity();
    for (const Racer* racer : racing_) {
      if (racer->running && median(racer) > 0) fastest = std::min(fastest, median(racer));
    }
    std::erase_if(racing_, [&](const Racer* racer) {
      return racer != reference() && median(racer) > kHopeless * fastest &&
             process_medians(all[static_cast<std::size_t>(racer - racers_.data())]).size() >= kMinProcesses;
    });
  }

  bool needs_more_processes() const {
    if (reference() == nullptr || passes_.processes() >= options_.max_finalist_processes) return false;
    if (passes_.processes() - slow_processes() < options_.finalist_processes) return true;
    return options_.finalist_samples_of(sample_length()) == options_.finalist_samples && !is_precise();
  }

  /// The processes that were slow for all kernels together, which are repeated.
  int slow_processes() const {
    std::vector<std::map<int, double>> kernels;
    for (const Racer* racer : racing_) kernels.push_back(medians_by_process(*racer));
    return static_cast<int>(slow_together(kernels).size());
  }

  RaceProgress progress() const {
    RaceProgress progress{.done = passes_.processes(), .of = passes_.processes(), .seconds_left = 0};
    if (!has_time_for_process() || !needs_more_processes()) return progress;
    const double in_time = seconds_left() / process_s_;
    const int wanted = std::max(1, options_.finalist_processes + slow_processes() - progress.done);
    const int to_come = in_time < wanted ? std::max(1, static_cast<int>(in_time)) : wanted;
    progress.of += to_come;
    progress.seconds_left = to_come * process_s_;
    return progress;
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
    const ProcessRange range = process_range(process_medians(timing));
    timing.low_ns = timing.median_ns * range.low / range.median;
    timing.high_ns = timing.median_ns * range.high / range.median;
    const int min_processes = std::min(kMinProcesses, options_.finalist_processes);
    if (range.processes >= min_processes || !timing.disturbance.empty()) return timing;
    timing.disturbance = sound_pairs_of(racer, unit).disturbance;
    if (timing.disturbance.empty()) {
      timing.disturbance = fmt::format("the time was over after {} of {} processes", range.processes, min_processes);
      timing.is_short = true;
    }
    return timing;
  }

  const RaceLimits& limits_;
  Clock& clock_;
  const RaceConditions conditions_;
  const TimingOptions& options_;
  RacePasses passes_;
  std::vector<Racer> racers_;
  std::vector<Racer*> racing_;                       ///< those that take part in further passes
  double start_s_ = 0, pass_s_ = 0, process_s_ = 0;  ///< durations in the latest process
};

}  // namespace

std::vector<Timing> race_finalists(GatedSampler& sampler, const FinalistConditions& conditions,
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
