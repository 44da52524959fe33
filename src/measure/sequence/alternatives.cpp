#include "measure/sequence/alternatives.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "measure/race/disturbance_gate.h"
#include "measure/race/timing.h"

namespace nestwright {
namespace {

constexpr double kLimit_s = 60;     // of a request
constexpr std::int64_t kCalls = 2;  // the second one finds in the caches what a run of the same kernels leaves there

/// A run: the alternative of each group, and the time of each step.
struct Run {
  std::vector<std::size_t> choice;
  std::vector<double> step_ns;
};

class Experiment {
 public:
  Experiment(SequenceWorker& worker, const std::vector<StepGroup>& groups) : worker_(worker), groups_(groups) {
    const auto& steps = worker.setup().sequence.steps;
    group_of_.assign(steps.size(), groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const std::size_t step : groups[g]) group_of_[step] = g;
      alternatives_.push_back(steps[groups[g].front()].size());
      in_block_ = std::max(in_block_, alternatives_.back());
    }
  }

  /// False if a kernel failed.
  bool take_block() {
    std::vector<std::vector<std::size_t>> order(groups_.size());  // by group: the alternative of each run
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      order[g].resize(in_block_);
      for (std::size_t r = 0; r < in_block_; ++r) order[g][r] = r % alternatives_[g];
      std::shuffle(order[g].begin(), order[g].end(), random_);
    }
    std::vector<Run> runs;
    bool is_disturbed = false;
    for (std::size_t r = 0; r < in_block_; ++r) {
      Run run;
      for (const std::vector<std::size_t>& of_group : order) run.choice.push_back(of_group[r]);
      const auto reply = worker_.ask({choice_of(run), kCalls, blocks_.empty() && r == 0, true}, kLimit_s);
      if (!reply) return false;
      is_disturbed = is_disturbed || !gate_.classify(reply->reading).empty();
      run.step_ns = reply->step_ns;
      runs.push_back(std::move(run));
    }
    blocks_.push_back({std::move(runs), is_disturbed});
    return true;
  }

  AlternativesResult result() {
    AlternativesResult result;
    const auto is_disturbed = [](const Block& block) { return block.is_disturbed; };
    result.disturbed = static_cast<int>(std::count_if(blocks_.begin(), blocks_.end(), is_disturbed));
    if (static_cast<std::size_t>(result.disturbed) < blocks_.size()) std::erase_if(blocks_, is_disturbed);
    result.blocks = static_cast<int>(blocks_.size());
    for (std::size_t s = 0; s < group_of_.size(); ++s) result.step_ns.push_back(usual_ns(s, {}));
    find_usual_times();
    for (std::size_t g = 0; g < groups_.size(); ++g) result.times.push_back(times_of(g));
    return result;
  }

 private:
  struct Block {
    std::vector<Run> runs;
    bool is_disturbed = false;
  };

  std::vector<std::int64_t> choice_of(const Run& run) const {
    std::vector<std::int64_t> choice;
    for (const std::size_t group : group_of_) {
      choice.push_back(group < groups_.size() ? static_cast<std::int64_t>(run.choice[group]) : 0);
    }
    return choice;
  }

  /// The median time of a step, in all runs or in those that took this alternative of it.
  double usual_ns(std::size_t step, std::optional<std::size_t> alternative) const {
    std::vector<double> times;
    for (const Block& block : blocks_) {
      for (const Run& run : block.runs) {
        if (!alternative || run.choice[group_of_[step]] == *alternative) times.push_back(run.step_ns[step]);
      }
    }
    return median_interval(times).median;
  }

  void find_usual_times() {
    for (std::size_t s = 0; s < group_of_.size(); ++s) {
      std::vector<double>& usual = usual_.emplace_back();
      const std::size_t group = group_of_[s];
      if (group == groups_.size()) {
        usual.push_back(usual_ns(s, {}));
      } else {
        for (std::size_t a = 0; a < alternatives_[group]; ++a) usual.push_back(usual_ns(s, a));
      }
    }
  }

  /// The time of the group's steps in a run, and of the steps after them beyond what they usually take.
  double time_of(std::size_t group, const Run& run) const {
    double ns = 0;
    for (const std::size_t step : groups_[group]) {
      ns += run.step_ns[step];
      const std::size_t next = step + 1;
      if (next == group_of_.size() || group_of_[next] == group) continue;
      const std::size_t alternative = group_of_[next] < groups_.size() ? run.choice[group_of_[next]] : 0;
      ns += run.step_ns[next] - usual_[next][alternative];
    }
    return ns;
  }

  std::vector<std::vector<double>> times_of(std::size_t group) const {
    std::vector<std::vector<double>> times(alternatives_[group]);
    if (times.size() < 2) return {};
    for (const Block& block : blocks_) {
      for (std::size_t a = 0; a < times.size(); ++a) {
        double sum = 0;
        int count = 0;
        for (const Run& run : block.runs) {
          if (run.choice[group] != a) continue;
          sum += time_of(group, run);
          ++count;
        }
        times[a].push_back(sum / count);
      }
    }
    return times;
  }

  SequenceWorker& worker_;
  const std::vector<StepGroup>& groups_;
  std::vector<std::size_t> group_of_;      ///< of each step; groups_.size(): none
  std::vector<std::size_t> alternatives_;  ///< of each group: how many
  std::size_t in_block_ = 1;               ///< runs
  std::vector<Block> blocks_;
  std::vector<std::vector<double>> usual_;  ///< by step and alternative
  DisturbanceGate gate_;
  std::mt19937_64 random_{1};
};

}  // namespace

AlternativesResult time_alternatives(SequenceWorker& worker, const std::vector<StepGroup>& groups, int blocks,
                                     const std::function<bool()>& is_over) {
  constexpr int kLeastBlocks = 2;
  Experiment experiment(worker, groups);
  for (int taken = 0; taken < blocks; ++taken) {
    if (taken >= kLeastBlocks && is_over && is_over()) break;
    if (!experiment.take_block()) return {};
  }
  return experiment.result();
}

}  // namespace nestwright
