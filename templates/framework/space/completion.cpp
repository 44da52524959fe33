#include "templates/framework/space/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "nestwright/config_space.h"
#include "nestwright/error.h"
#include "space/branch_points.h"
#include "templates/framework/space/discover.h"
#include "templates/framework/template/parallel_worth.h"

namespace nestwright {
namespace {

constexpr int kMaxRepairs = 32;
constexpr std::size_t kMaxTriedBranches = 64;  // of a part of a space

/// The distance of a candidate from what is `wanted`, 0 if they are equal; sizes are compared by ratio. If nothing is
/// wanted of the knob (nullptr), distances are small, so that such knobs move first.
double distance(const Knob& knob, int candidate, const ConfigEntry* wanted) {
  if (wanted == nullptr) return 0.1 * candidate;
  if (!wanted->label.empty()) return !knob.labels.empty() && knob.labels[candidate] == wanted->label ? 0 : 100;
  const KnobValue& value = knob.candidates[candidate];
  if (value.size() != wanted->value.size()) return 100;
  const auto order = [](std::int64_t number) { return std::log2(1.0 + static_cast<double>(number)); };
  double sum = 0;
  for (std::size_t i = 0; i < value.size(); ++i) sum += std::abs(order(value[i]) - order(wanted->value[i]));
  return sum;
}

/// Whether the configuration has a choice `parallel` and takes another option than "none".
bool is_parallel(const Config& config) {
  const ConfigEntry* const choice = config.find("parallel");
  return choice != nullptr && choice->label != "none";
}

/// What the template defines with the choices of `partial`; where that names no option, with the first one.
BranchRun run_near(const Template& t, const Workload& workload, const Target& target, const Config& partial) {
  return run_branch(t, workload, target, [&](const std::string& name, const std::vector<std::string>& options) {
    const ConfigEntry* wanted = partial.find(name);
    const auto found = wanted == nullptr ? options.end() : std::find(options.begin(), options.end(), wanted->label);
    return found == options.end() ? std::size_t{0} : static_cast<std::size_t>(found - options.begin());
  });
}

/// Points of a branch near a partial configuration.
class Neighbourhood {
 public:
  Neighbourhood(const Branch& branch, const Config& partial)
      : branch_(branch), partial_(partial), positions_(all_constraint_positions(branch)) {}

  /// Each knob by itself at the candidate that is nearest, whatever the constraints.
  CandidateIndices nearest() const {
    CandidateIndices point;
    for (const Knob& knob : branch_.knobs) {
      int best = 0;
      for (int i = 1; i < static_cast<int>(knob.candidates.size()); ++i) {
        if (distance_of(knob, i) < distance_of(knob, best)) best = i;
      }
      point.push_back(best);
    }
    return point;
  }

  std::vector<int> violations(const CandidateIndices& point) const {
    std::vector<int> violated;
    for (std::size_t c = 0; c < positions_.size(); ++c) {
      if (!constraint_holds(branch_, branch_.constraints[c], positions_[c], point)) {
        violated.push_back(static_cast<int>(c));
      }
    }
    return violated;
  }

  /// `point` with another candidate for one of the knobs that the `violated` constraints read: the one that leaves the
  /// fewest constraints violated, then the nearest one. Skips the points `visited`, so that several knobs move where
  /// one is not enough. nullopt if there is no such point.
  std::optional<CandidateIndices> repaired(const CandidateIndices& point, const std::vector<int>& violated,
                                           const std::set<CandidateIndices>& visited) const {
    Repair best;
    for (const int constraint : violated) {
      for (const int knob : positions_[static_cast<std::size_t>(constraint)])
        try_candidates(knob, point, visited, best);
    }
    return best.point;
  }

 private:
  struct Repair {
    std::pair<std::size_t, double> score{std::numeric_limits<std::size_t>::max(), 0};
    std::optional<CandidateIndices> point;
  };

  double distance_of(const Knob& knob, int candidate) const {
    return distance(knob, candidate, partial_.find(knob.name));
  }

  void try_candidates(int position, const CandidateIndices& point, const std::set<CandidateIndices>& visited,
                      Repair& best) const {
    const auto at = static_cast<std::size_t>(position);
    const Knob& knob = branch_.knobs[at];
    CandidateIndices trial = point;
    for (int i = 0; i < static_cast<int>(knob.candidates.size()); ++i) {
      if (i == point[at]) continue;
      trial[at] = i;
      const std::pair score{violations(trial).size(), distance_of(knob, i)};
      if (score >= best.score || visited.contains(trial)) continue;
      best = {score, trial};
    }
  }

  const Branch& branch_;
  const Config& partial_;
  std::vector<std::vector<int>> positions_;
};

/// A valid configuration of the branch near `partial`. nullopt where none was found nearby.
std::optional<Config> complete_in(const Branch& branch, const Config& partial) {
  const Neighbourhood neighbourhood(branch, partial);
  std::optional<CandidateIndices> point = neighbourhood.nearest();
  std::set<CandidateIndices> visited;
  for (int step = 0; step < kMaxRepairs && point; ++step) {
    const std::vector<int> violated = neighbourhood.violations(*point);
    if (violated.empty()) return make_config(branch, *point);
    visited.insert(*point);
    point = neighbourhood.repaired(*point, violated, visited);
  }
  return std::nullopt;
}

/// The branches, sorted by the number of choices in which they differ from `partial`.
std::vector<const Branch*> by_agreement(const std::vector<Branch>& branches, const Config& partial) {
  std::vector<std::pair<int, const Branch*>> order;
  for (const Branch& branch : branches) {
    int different = 0;
    for (const Knob& knob : branch.knobs) {
      const ConfigEntry* wanted = knob.kind == KnobKind::kChoice ? partial.find(knob.name) : nullptr;
      if (wanted != nullptr && candidate_index(knob, *wanted) < 0) ++different;
    }
    order.emplace_back(different, &branch);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const Branch*> sorted;
  for (const auto& [different, branch] : order) sorted.push_back(branch);
  return sorted;
}

/// Why no configuration of the branch was found near `partial`: a constraint that the nearest point violates.
std::string nearest_violation(const Branch& branch, const Config& partial) {
  const Neighbourhood neighbourhood(branch, partial);
  const CandidateIndices nearest = neighbourhood.nearest();
  const int violated = neighbourhood.violations(nearest).at(0);
  return violation_text(branch.constraints[static_cast<std::size_t>(violated)], make_config(branch, nearest));
}

/// What a refusal of given values adds where they may belong to a branch that was left out.
std::string also_left_out(const Template& t, const ConfigSpace& space) {
  const std::string text = left_out_text(t, space.left_out());
  return text.empty() ? text : " (" + text + ")";
}

/// `given`, and the values of the default for the knobs that it leaves out.
Config with_defaults(const Config& given, const std::vector<Config>& seeds) {
  Config config = seeds.empty() ? Config() : seeds.front();
  for (const ConfigEntry& entry : given.entries()) config.set(entry.knob, entry.value, entry.label);
  return config;
}

}  // namespace

std::optional<Config> complete_config(const Template& t, const Workload& workload, const Target& target,
                                      const Config& partial) {
  const BranchRun found = run_near(t, workload, target, partial);
  return found.refusal.empty() ? complete_in(found.branch, partial) : std::nullopt;
}

std::optional<Config> complete_within(const ConfigSpace& space, const Config& partial) {
  const std::vector<const Branch*> branches = by_agreement(space.branches(), partial);
  for (std::size_t b = 0; b < std::min(branches.size(), kMaxTriedBranches); ++b) {
    if (auto config = complete_in(*branches[b], partial)) return config;
  }
  return std::nullopt;
}

Config complete_given(const Template& t, const Workload& workload, const ConfigSpace& space,
                      const std::vector<Config>& seeds, const Config& given) {
  const Restriction restriction{given, {}};
  const ConfigSpace* const spaces[] = {&space};
  try {
    check_restriction(restriction, spaces);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("template {}: {}{}", t.name, error.what(), also_left_out(t, space)));
  }
  const ConfigSpace part = restrict_space(space, restriction);
  if (part.branches().empty()) {
    throw UsageError(
        fmt::format("template {} has no configuration with {} together{}: nestwright space --json lists the "
                    "knobs of each branch",
                    t.name, given.str(), also_left_out(t, space)));
  }
  const Config wanted = with_defaults(given, seeds);
  if (auto config = complete_within(part, wanted)) return *config;
  throw UsageError(fmt::format("template {}: the configuration is not valid for {}: {}", t.name, workload.str(),
                               nearest_violation(*by_agreement(part.branches(), wanted).front(), wanted)));
}

std::vector<Config> complete_each(const Template& t, const Workload& workload, const Target& target,
                                  const std::vector<Config>& partial) {
  std::vector<Config> configs;
  for (const Config& each : partial) {
    const auto config = complete_config(t, workload, target, each);
    if (config && std::find(configs.begin(), configs.end(), *config) == configs.end()) configs.push_back(*config);
  }
  if (target.device != DeviceKind::kCpu) return configs;
  const bool is_worth = is_worth_parallel_loop(*workload.definition, target);
  const auto is_suitable = [&](const Config& config) { return is_parallel(config) == is_worth; };
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
                                   const std::vector<Config>& partial) {
  std::vector<Config> configs = complete_each(t, workload, target, partial);
  if (configs.empty()) {
    auto config = complete_config(t, workload, target, Config());
    if (!config) {
      std::mt19937_64 random(1);
      config = discover_space(t, workload, target).sample(random);
    }
    if (config) configs.push_back(*config);
  }
  return configs;
}

std::vector<Config> seeds_of(const Template& t, const Workload& workload, const Target& target) {
  return t.seeds ? t.seeds(workload, target) : complete_seeds(t, workload, target, {});
}

}  // namespace nestwright
