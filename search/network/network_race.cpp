#include "search/network/network_race.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lookup/provenance.h"
#include "measure/race/quiet_estimate.h"
#include "measure/sequence/alternatives.h"
#include "measure/sequence/sequence_race.h"
#include "nestwright/error.h"
#include "network/candidates.h"
#include "network/identity.h"
#include "search/budget/effort.h"
#include "search/network/kernel_candidates.h"
#include "search/network/network_sequence.h"
#include "search/task/timing_lock.h"
#include "support/os/machine_lock.h"

namespace nestwright {
namespace {

constexpr double kCompile_s = 0.4;          // of a candidate, on all cores together
constexpr double kCompileShare = 0.4;       // of the time, for compiling candidates
constexpr std::size_t kMaxCandidates = 96;  // more take too long where time is not limited
constexpr double kCompareShare = 0.5;       // of the time that is left after that, for comparing them
constexpr int kMinBlocks = 7, kMaxBlocks = 40;
constexpr int kLeastBlocks = 6;  // that show a difference with 95% confidence
constexpr int kStepBlocks = 15;  // runs for the times of the steps
constexpr double kRun_s = 2e-3;  // of a run beside its calls: sentinels, messages

class NetworkRace {
 public:
  NetworkRace(const RacedNetwork& network, const Target& target, TuningLog& log, const NetworkRaceOptions& options)
      : network_(network), graph_(*network.kernels), target_(target), log_(log), options_(options) {}

  NetworkRecord run() {
    NetworkRecord record;
    record.key = network_key(identity_of(graph_), target_, options_.caches);
    record.model_graph = network_.model_graph;
    record.model = network_.model;
    record.variant = network_.variant;
    record.code_generator = current_provenance(nullptr).code_generator;

    find_candidates();
    if (seconds_left() < kCompile_s * static_cast<double>(tasks_.size())) return record;
    report("compiling kernels of the network", {});
    const CompiledNetwork compiled =
        compile_candidates(graph_, target_, tasks_, "network", {.caches = options_.caches});
    const NetworkSequence sequence = sequence_of(compiled, graph_);
    group_steps(compiled);
    MachineLock lock(timing_lock_name(target_));
    const MachineLock::Hold turn = lock.hold([&] { return seconds_left() <= 0; });
    if (!turn.is_granted() || seconds_left() <= 0) return record;

    SequenceWorker worker(sequence.setup, sequence.data.get());
    const std::vector<std::size_t> chosen = compare(worker, record);
    worker.drop();  // it would take the cores from those of the race
    race(sequence, chosen, record);
    if (record.timing.median_ns > 0) log_.record_network(record);
    return record;
  }

 private:
  double seconds_left() const { return options_.seconds_left ? options_.seconds_left() : INFINITY; }

  void report(const std::string& phase, const RaceProgress& progress) const {
    if (options_.on_progress) options_.on_progress(phase, progress);
  }

  void find_candidates() {
    tasks_ = look_up_network(graph_, target_, &log_, options_.caches);
    std::vector<std::size_t> calls;
    for (const NetworkTask& task : network_tasks(graph_)) calls.push_back(task.nodes.size());
    // An earlier choice competes again, and the task's best is the one to beat.
    for (TaskCandidates& task : tasks_) {
      Lookup best = look_up(task.context, &log_);
      const bool is_same =
          !best.record || !task.lookups[0].record || best.record->trial == task.lookups[0].record->trial;
      if (!is_same) task.lookups.insert(task.lookups.begin(), std::move(best));
    }
    const double affordable = kCompileShare * seconds_left() / kCompile_s;
    const auto most = affordable < static_cast<double>(kMaxCandidates)
                          ? static_cast<std::size_t>(std::max(affordable, 0.0))
                          : kMaxCandidates;
    add_kernel_candidates(tasks_, calls, log_, most);
  }

  void group_steps(const CompiledNetwork& compiled) {
    groups_.resize(tasks_.size());
    for (std::size_t s = 0; s < compiled.plan.steps.size(); ++s) groups_[compiled.plan.steps[s].task].push_back(s);
    steps_ = compiled.steps.size();
  }

  /// The choice of each step, given that of each task.
  std::vector<std::int64_t> choice_of(const std::vector<std::size_t>& chosen) const {
    std::vector<std::int64_t> choice(steps_);
    for (std::size_t t = 0; t < groups_.size(); ++t) {
      for (const std::size_t step : groups_[t]) choice[step] = static_cast<std::int64_t>(chosen[t]);
    }
    return choice;
  }

  /// Compares the candidates, fills in the record's kernels, and returns the choice of each task.
  std::vector<std::size_t> compare(SequenceWorker& worker, NetworkRecord& record) {
    std::vector<std::size_t> chosen(tasks_.size(), 0);
    const bool has_candidates =
        std::any_of(tasks_.begin(), tasks_.end(), [](const TaskCandidates& task) { return task.lookups.size() > 1; });
    if (!has_candidates) return chosen;
    report("timing kernels in the network", {});
    const AlternativesResult compared =
        time_alternatives(worker, groups_, blocks_for(worker), [this] { return seconds_left() <= 0; });
    if (compared.blocks == 0) throw Error("a kernel failed while the network ran: " + worker.failure());
    if (compared.blocks < kLeastBlocks) return chosen;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const std::vector<Lookup>& lookups = tasks_[t].lookups;
      if (lookups.size() < 2) continue;
      NetworkKernelChoice kernel{tasks_[t].context.key().workload.text, {}, {}, 0};
      for (const Lookup& lookup : lookups) kernel.compared.push_back(lookup.record->point);
      double ratio = 1;
      for (std::size_t a = 1; a < lookups.size(); ++a) {
        const MedianInterval r = paired_ratio(compared.times[t][a], compared.times[t][0]);
        if (r.high >= 1 || r.median >= ratio) continue;
        ratio = r.median;
        chosen[t] = a;
      }
      kernel.point = kernel.compared[chosen[t]];
      kernel.saved_ns = (1 - ratio) * median_interval(compared.times[t][0]).median;
      record.kernels.push_back(std::move(kernel));
    }
    return chosen;
  }

  /// As many blocks as half of the time that is left allows for.
  int blocks_for(SequenceWorker& worker) const {
    const auto reply = worker.ask({choice_of(std::vector<std::size_t>(tasks_.size(), 0)), 2, true, false}, 60);
    if (!reply) throw Error("a kernel failed while the network ran: " + worker.failure());
    std::size_t in_block = 1;
    for (const TaskCandidates& task : tasks_) in_block = std::max(in_block, task.lookups.size());
    const double block_s = static_cast<double>(in_block) * (reply->reading.ns * 1e-9 + kRun_s);
    const double affordable = kCompareShare * seconds_left() / block_s;
    return affordable >= kMaxBlocks ? kMaxBlocks : std::max(kMinBlocks, static_cast<int>(affordable));
  }

  /// Races the network with the choices against that with the best of each task, and fills in the record's times.
  /// Removes the choices if they are not faster.
  void race(const NetworkSequence& sequence, const std::vector<std::size_t>& chosen, NetworkRecord& record) {
    const std::vector<std::size_t> bests(tasks_.size(), 0);
    std::vector<SequenceContender> contenders{{&sequence.setup, sequence.data.get(), choice_of(bests)}};
    if (chosen != bests) contenders.push_back({&sequence.setup, sequence.data.get(), choice_of(chosen)});
    report("racing the network", {});
    const TimingOptions timing = timing_on(target_.device, target_.threads, timing_of(options_.effort));
    const std::vector<Timing> timings =
        race_sequences(contenders, timing,
                       {[this] { return seconds_left(); },
                        [this](const RaceProgress& progress) { report("racing the network", progress); }});
    if (timings[0].raw_ns.empty() && seconds_left() > 0) throw Error("a kernel failed while the network ran");
    const bool has_choices = timings.size() > 1 && are_faster(timings[1], timings[0]);
    if (!has_choices) {
      for (NetworkKernelChoice& kernel : record.kernels) {
        kernel.point = kernel.compared.front();
        kernel.saved_ns = 0;
      }
    }
    const Timing& timed = timings[has_choices ? 1 : 0];
    record.process_medians_ns = process_medians(timed);
    record.timing = of_quiet_machine(timed);
    record.before_ns = of_quiet_machine(timings[0]).median_ns * network_.default_ratio;
    record.kernels_ns = sum_of_steps(sequence, contenders[has_choices ? 1 : 0].choice);
  }

  static Timing of_quiet_machine(Timing timing) {
    if (timing.is_disturbed() && !timing.is_short) estimate_quiet_time(timing);
    return timing;
  }

  static bool are_faster(const Timing& choices, const Timing& bests) {
    if (choices.is_disturbed() || bests.is_disturbed() || choices.median_ns <= 0) return false;
    const MedianInterval ratio = ratio_between(choices, bests);
    return ratio.median > 0 && ratio.high < 1;
  }

  /// The sum of the times of the kernels while the network runs with these choices; 0 if it was not measured.
  double sum_of_steps(const NetworkSequence& sequence, const std::vector<std::int64_t>& choice) const {
    SequenceSetup setup = sequence.setup;
    for (std::size_t s = 0; s < choice.size(); ++s) {
      setup.sequence.steps[s] = {setup.sequence.steps[s][static_cast<std::size_t>(choice[s])]};
    }
    SequenceWorker worker(setup, sequence.data.get());
    const AlternativesResult result =
        time_alternatives(worker, {}, kStepBlocks, [this] { return seconds_left() <= 0; });
    return std::accumulate(result.step_ns.begin(), result.step_ns.end(), 0.0);
  }

  const RacedNetwork& network_;
  const Graph& graph_;
  const Target& target_;
  TuningLog& log_;
  const NetworkRaceOptions& options_;
  std::vector<TaskCandidates> tasks_;
  std::vector<StepGroup> groups_;  ///< of each task
  std::size_t steps_ = 0;
};

}  // namespace

std::optional<std::size_t> race_variants(std::span<RacedNetwork> networks, const Target& target, TuningLog& log,
                                         const NetworkRaceOptions& options) {
  const auto seconds_left = [&] { return options.seconds_left ? options.seconds_left() : INFINITY; };
  const auto report = [&](const RaceProgress& progress) {
    if (options.on_progress) options.on_progress("racing groupings and layouts", progress);
  };
  report({});
  std::vector<NetworkSequence> sequences;
  for (const RacedNetwork& network : networks) {
    if (seconds_left() <= 0) return std::nullopt;
    const auto tasks = look_up_network(*network.kernels, target, &log, options.caches);
    const CompiledNetwork compiled =
        compile_candidates(*network.kernels, target, tasks, "network", {.caches = options.caches});
    sequences.push_back(sequence_of(compiled, *network.kernels));
  }
  MachineLock lock(timing_lock_name(target));
  const MachineLock::Hold turn = lock.hold([&] { return seconds_left() <= 0; });
  if (!turn.is_granted() || seconds_left() <= 0) return std::nullopt;
  std::vector<SequenceContender> contenders;
  for (const NetworkSequence& sequence : sequences) {
    contenders.push_back(
        {&sequence.setup, sequence.data.get(), std::vector<std::int64_t>(sequence.setup.sequence.steps.size(), 0)});
  }
  const TimingOptions timing = timing_on(target.device, target.threads, timing_of(options.effort));
  const std::vector<Timing> timings = race_sequences(contenders, timing, {seconds_left, report});
  const auto counts = [](const Timing& raced) { return !raced.is_disturbed() && raced.median_ns > 0; };
  if (!std::all_of(timings.begin(), timings.end(), counts)) return std::nullopt;
  std::size_t fastest = 0;
  double least = 1;
  for (std::size_t n = 1; n < timings.size(); ++n) {
    const MedianInterval ratio = ratio_between(timings[n], timings[0]);
    if (ratio.median > 0) networks[n].default_ratio = 1 / ratio.median;
    if (ratio.median <= 0 || ratio.high >= 1 || ratio.median >= least) continue;
    least = ratio.median;
    fastest = n;
  }
  return fastest;
}

NetworkRecord race_network(const RacedNetwork& network, const Target& target, TuningLog& log,
                           const NetworkRaceOptions& options) {
  return NetworkRace(network, target, log, options).run();
}

}  // namespace nestwright
