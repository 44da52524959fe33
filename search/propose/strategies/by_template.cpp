#include "search/propose/strategies/by_template.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "nestwright/error.h"
#include "search/propose/bandit.h"
#include "search/propose/measured_trials.h"
#include "support/data/hash.h"

namespace nestwright {
namespace {

class StrategyByTemplate final : public SearchStrategy {
 public:
  StrategyByTemplate(std::vector<SearchSpace::Part> parts, const StrategyInput& input, MakeStrategy make)
      : parts_(std::move(parts)), ranker_(input.ranker) {
    // The template of the default is the first arm, so that the default is the first point of every search.
    if (const std::vector<Point>& seeds = input.space->seeds(); !seeds.empty()) {
      std::stable_partition(parts_.begin(), parts_.end(), [&](const SearchSpace::Part& part) {
        return part.template_name == seeds.front().template_name;
      });
    }
    for (const auto& [name, space] : parts_) {
      arm_of_.emplace(name, strategies_.size());
      StrategyInput of_part = input;
      of_part.space = space.get();
      of_part.seed = hash_combine(input.seed, stable_hash(name));
      of_part.share = input.share / static_cast<double>(parts_.size());
      of_part.is_part = true;
      arms_.push_back({.first_pulls = first_pulls(space->seeds().size())});
      strategies_.push_back(make(of_part));
    }
  }

  std::vector<Point> propose(int batch, int n) override {
    std::vector<BanditArm> arms = arms_;
    for (std::size_t arm = 0; arm < arms.size(); ++arm) arms[arm].is_open = !strategies_[arm]->is_exhausted();
    const std::vector<std::size_t> measured_arms = arms_of_measured();
    std::vector<Point> points;
    while (static_cast<int>(points.size()) < n) {
      const std::vector<std::size_t> next =
          allocate_trials(measured_.all(), measured_arms, arms, n - static_cast<int>(points.size()));
      if (next.empty()) break;
      add_points(batch, next, arms, points);
    }
    return points;
  }

  void observe(std::span<const SessionTrial> batch) override {
    pass_on(batch, &SearchStrategy::observe);
    measured_.record(batch);
    if (ranker_ == nullptr) return;
    for (const SessionTrial& trial : batch) ranker_->observe(trial);
    ranker_->end_batch();
  }

  void amend(std::span<const SessionTrial> trials) override {
    std::vector<SessionTrial> known;
    std::copy_if(trials.begin(), trials.end(), std::back_inserter(known),
                 [this](const SessionTrial& trial) { return measured_.contains(trial.point); });
    pass_on(known, &SearchStrategy::amend);
    measured_.record(known);
    if (ranker_ == nullptr) return;
    for (const SessionTrial& trial : known) ranker_->amend(trial);
  }

  void transfer(std::vector<Point> points) override {
    for (std::size_t arm = 0; arm < strategies_.size(); ++arm) {
      std::vector<Point> of_arm;
      std::ranges::copy_if(points, std::back_inserter(of_arm),
                           [&](const Point& point) { return point.template_name == parts_[arm].template_name; });
      arms_[arm].first_pulls = first_pulls(parts_[arm].space->seeds().size() + of_arm.size());
      strategies_[arm]->transfer(std::move(of_arm));
    }
  }

  bool is_exhausted() const override {
    return std::all_of(strategies_.begin(), strategies_.end(), [](const auto& s) { return s->is_exhausted(); });
  }

  SearchOutlook outlook() const override {
    SearchOutlook outlook{.templates = 0};
    const SessionTrial* best = measured_.best();
    std::vector<double> best_ns(strategies_.size(), 0);
    std::vector<std::size_t> trials(strategies_.size(), 0);
    for (const SessionTrial& trial : measured_.all()) {
      double& ns = best_ns[arm_of(trial)];
      if (trial.is_sound() && (ns == 0 || trial.ns < ns)) ns = trial.ns;
      ++trials[arm_of(trial)];
    }
    for (std::size_t arm = 0; arm < strategies_.size(); ++arm) {
      const SearchOutlook part = strategies_[arm]->outlook();
      outlook.templates += part.templates;
      if (part.model_skill) outlook.model_skill = part.model_skill;
      // The part's prediction is relative to the best trial of its own template.
      if (part.predicted_gain && best_ns[arm] > 0) {
        const double gain = (1 + *part.predicted_gain) * best->ns / best_ns[arm] - 1;
        outlook.predicted_gain = std::max(gain, outlook.predicted_gain.value_or(gain));
      }
      // A template that was tried and is not the best keeps no search going for its seeds.
      const bool matters = trials[arm] < arms_[arm].first_pulls || best == nullptr || arm_of(*best) == arm;
      outlook.has_starting_points |= matters && part.has_starting_points;
    }
    return outlook;
  }

 private:
  /// The trials of an arm that tell what it is worth: its starting points, among which strategies mix samples, but not
  /// so many that the others wait for long.
  static std::size_t first_pulls(std::size_t starting_points) {
    return std::clamp(starting_points + starting_points / 2, kFirstPulls, 2 * kFirstPulls);
  }

  /// Adds a point for each entry of `order`, in its order. Closes the arms that find too few.
  void add_points(int batch, const std::vector<std::size_t>& order, std::vector<BanditArm>& arms,
                  std::vector<Point>& points) {
    std::vector<std::vector<Point>> of_arm(strategies_.size());
    for (std::size_t arm = 0; arm < strategies_.size(); ++arm) {
      const auto wanted = std::count(order.begin(), order.end(), arm);
      if (wanted == 0) continue;
      of_arm[arm] = strategies_[arm]->propose(batch, static_cast<int>(wanted));
      if (std::ssize(of_arm[arm]) < wanted) arms[arm].is_open = false;
    }
    std::vector<std::size_t> next(strategies_.size(), 0);
    for (const std::size_t arm : order) {
      if (next[arm] < of_arm[arm].size()) points.push_back(std::move(of_arm[arm][next[arm]++]));
    }
  }

  void pass_on(std::span<const SessionTrial> trials, void (SearchStrategy::*take)(std::span<const SessionTrial>)) {
    std::vector<std::vector<SessionTrial>> of_arm(strategies_.size());
    for (const SessionTrial& trial : trials) of_arm[arm_of(trial)].push_back(trial);
    for (std::size_t arm = 0; arm < strategies_.size(); ++arm) (strategies_[arm].get()->*take)(of_arm[arm]);
  }

  std::size_t arm_of(const SessionTrial& trial) const {
    const auto arm = arm_of_.find(trial.point.template_name);
    check(arm != arm_of_.end(), "a trial is of a template that is not searched");
    return arm->second;
  }

  std::vector<std::size_t> arms_of_measured() const {
    std::vector<std::size_t> arms;
    for (const SessionTrial& trial : measured_.all()) arms.push_back(arm_of(trial));
    return arms;
  }

  std::vector<SearchSpace::Part> parts_;
  std::map<std::string, std::size_t> arm_of_;  // by the template's name
  std::vector<BanditArm> arms_;
  std::vector<std::unique_ptr<SearchStrategy>> strategies_;
  MeasuredTrials measured_;
  Ranker* ranker_;
};

}  // namespace

std::unique_ptr<SearchStrategy> make_strategy_by_template(std::vector<SearchSpace::Part> parts,
                                                          const StrategyInput& input, MakeStrategy make) {
  return std::make_unique<StrategyByTemplate>(std::move(parts), input, make);
}

}  // namespace nestwright
