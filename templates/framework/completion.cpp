#include "templates/framework/completion.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "space/branch_points.h"
#include "support/error.h"
#include "templates/framework/parallel_worth.h"
#include "templates/framework/recording.h"

namespace nestwright {
namespace {

constexpr int kRepairs = 32;

/// How far a candidate is from a wish: 0 equal; sizes are compared by ratio. Knobs without a wish move the most easily.
double distance(const Knob& knob, int candidate, const ConfigEntry* wish) {
  if (wish == nullptr) return 0.1 * candidate;
  if (!wish->label.empty()) return !knob.labels.empty() && knob.labels[candidate] == wish->label ? 0 : 100;
  const KnobValue& value = knob.candidates[candidate];
  if (value.size() != wish->value.size()) return 100;
  double sum = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    sum +=
        std::abs(std::log2(1.0 + static_cast<double>(value[i])) - std::log2(1.0 + static_cast<double>(wish->value[i])));
  }
  return sum;
}

/// Whether the choice `parallel`, the first option of which means one thread, is another one.
bool has_parallel_choice(const Config& config) {
  const ConfigEntry* const choice = config.find("parallel");
  return choice != nullptr && choice->label != "none";
}

std::vector<int> violations(const Branch& branch, const std::vector<std::vector<int>>& positions,
                            const CandidateIndices& chosen) {
  std::vector<int> violated;
  for (std::size_t c = 0; c < positions.size(); ++c) {
    if (!constraint_holds(branch, branch.constraints[c], positions[c], chosen)) violated.push_back(static_cast<int>(c));
  }
  return violated;
}

}  // namespace

std::optional<Config> complete_config(const Template& t, const Workload& workload, const Target& target,
                                      const Config& wishes) {
  RecordingTuning tuning([&](const std::string& name, const std::vector<std::string>& options) -> std::size_t {
    const ConfigEntry* wish = wishes.find(name);
    const auto found = wish == nullptr ? options.end() : std::find(options.begin(), options.end(), wish->label);
    return found == options.end() ? 0 : static_cast<std::size_t>(found - options.begin());
  });
  Definition definition = t.op.define(workload);
  t.schedule(tuning, workload, definition, target);
  const Branch branch = tuning.branch();
  const auto positions = all_constraint_positions(branch);

  CandidateIndices chosen;
  for (const Knob& knob : branch.knobs) {
    int nearest = 0;
    for (int i = 1; i < static_cast<int>(knob.candidates.size()); ++i) {
      if (distance(knob, i, wishes.find(knob.name)) < distance(knob, nearest, wishes.find(knob.name))) nearest = i;
    }
    chosen.push_back(nearest);
  }
  // One knob at a time moves to where the fewest constraints are violated, by the least distance.
  for (int step = 0; step < kRepairs; ++step) {
    const std::vector<int> violated = violations(branch, positions, chosen);
    if (violated.empty()) return make_config(branch, chosen);
    std::pair<std::size_t, double> best{std::numeric_limits<std::size_t>::max(), 0};
    CandidateIndices next;
    for (const int constraint : violated) {
      for (const int knob : positions[constraint]) {
        CandidateIndices trial = chosen;
        for (int i = 0; i < static_cast<int>(branch.knobs[knob].candidates.size()); ++i) {
          if (i == chosen[knob]) continue;
          trial[knob] = i;
          const std::pair score{violations(branch, positions, trial).size(),
                                distance(branch.knobs[knob], i, wishes.find(branch.knobs[knob].name))};
          if (score >= best) continue;
          best = score;
          next = trial;
        }
      }
    }
    if (next.empty()) return std::nullopt;
    chosen = std::move(next);
  }
  return std::nullopt;
}

std::vector<Config> complete_each(const Template& t, const Workload& workload, const Target& target,
                                  const std::vector<Config>& wishes) {
  std::vector<Config> configs;
  for (const Config& wish : wishes) {
    const auto config = complete_config(t, workload, target, wish);
    if (config && std::find(configs.begin(), configs.end(), *config) == configs.end()) configs.push_back(*config);
  }
  if (target.device != DeviceKind::kCpu) return configs;
  const bool is_worth = is_worth_parallel_loop(t.op.define(workload), target);
  const auto is_suitable = [&](const Config& config) { return has_parallel_choice(config) == is_worth; };
  auto first = std::find_if(configs.begin(), configs.end(), is_suitable);
  for (std::size_t i = 0; first == configs.end() && !is_worth && i < configs.size(); ++i) {
    Config serial = configs[i];
    serial.set("parallel", {}, "none");
    const auto config = complete_config(t, workload, target, serial);
    if (config) first = configs.insert(configs.end(), *config);
  }
  if (first != configs.end()) std::rotate(configs.begin(), first, first + 1);
  return configs;
}

std::vector<Config> complete_seeds(const Template& t, const Workload& workload, const Target& target,
                                   const std::vector<Config>& wishes) {
  std::vector<Config> configs = complete_each(t, workload, target, wishes);
  if (configs.empty()) {
    const auto config = complete_config(t, workload, target, Config());
    if (!config) throw InternalError("the template " + t.name + " has no seed for " + workload.str());
    configs.push_back(*config);
  }
  return configs;
}

}  // namespace nestwright
