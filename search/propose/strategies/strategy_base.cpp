#include "search/propose/strategies/strategy_base.h"

#include <algorithm>
#include <iterator>

#include "search/propose/quota.h"

namespace nestwright {

std::mt19937_64 batch_random(std::uint64_t seed, int batch) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(batch)};
  return std::mt19937_64(sequence);
}

StrategyBase::StrategyBase(const StrategyInput& input) : input_(input), unseen_(*input.space, input.seed) {}

std::vector<Point> StrategyBase::propose(int batch, int n) {
  std::mt19937_64 random = batch_random(input_.seed, batch);
  std::vector<Point> points;
  choose(batch, n, random, points);
  const std::size_t chosen = points.size();
  const std::size_t sampled = unseen_.add(n - static_cast<int>(chosen), random, seen_, points);
  count_sampled(std::span(points).subspan(chosen, sampled));
  seen_valid_ += std::count_if(points.begin(), points.end(), [this](const Point& p) { return space().is_valid(p); });
  return points;
}

void StrategyBase::observe(std::span<const SessionTrial> batch) {
  for (const SessionTrial& trial : batch) {
    if (seen_.insert(trial.point) && space().is_valid(trial.point)) ++seen_valid_;
    if (trains_ranker()) ranker().observe(trial);
  }
  measured_.record(batch);
  if (trains_ranker()) ranker().end_batch();
}

void StrategyBase::amend(std::span<const SessionTrial> trials) {
  std::vector<SessionTrial> known;
  std::copy_if(trials.begin(), trials.end(), std::back_inserter(known),
               [this](const SessionTrial& trial) { return measured_.contains(trial.point); });
  for (const SessionTrial& trial : known) {
    if (trains_ranker()) ranker().amend(trial);
  }
  measured_.record(known);
}

bool StrategyBase::is_exhausted() const { return unseen_.is_exhausted(seen_valid_); }

SearchOutlook StrategyBase::outlook() const {
  if (is_exhausted()) return {.templates = 0};
  SearchOutlook outlook{.predicted_gain = predicted_gain_};
  if (input_.ranker != nullptr && input_.ranker->audit()) outlook.model_skill = input_.ranker->audit()->skill();
  outlook.has_starting_points = uses_starting_points_ && has_starting_points();
  return outlook;
}

bool StrategyBase::has_starting_points() const {
  const auto is_unseen = [this](const Point& point) { return !seen_.contains(point); };
  const std::vector<Point>& seeds = space().seeds();
  return std::any_of(seeds.begin(), seeds.end(), is_unseen) ||
         std::any_of(transferred_.begin(), transferred_.end(), is_unseen);
}

void StrategyBase::add_starting_points(double share, int n, std::mt19937_64& random, std::vector<Point>& out) {
  uses_starting_points_ = true;
  const int quota = draw_quota(share, n, random);
  const auto limit = static_cast<std::size_t>(std::max(quota, seen_.empty() ? std::min(n, 1) : 0));
  const std::vector<Point>& seeds = space().seeds();
  const auto add = [&](const std::vector<Point>& points, std::size_t i) {
    if (i < points.size() && out.size() < limit && seen_.insert(points[i])) out.push_back(points[i]);
  };
  for (std::size_t i = 0; i < std::max(seeds.size(), transferred_.size()); ++i) {
    add(seeds, i);
    add(transferred_, i);
  }
}

void StrategyBase::draw_samples(int n, std::mt19937_64& random, SeenPoints& in, std::vector<Point>& out) {
  const std::size_t before = out.size();
  add_samples(space(), n, random, in, out);
  count_sampled(std::span(out).subspan(before));
}

void StrategyBase::count_sampled(std::span<const Point> points) {
  if (input_.considered != nullptr) input_.considered->add_sampled(points);
}

void StrategyBase::note_prediction(double best_unmeasured, double incumbent) {
  if (incumbent > 0) predicted_gain_ = best_unmeasured / incumbent - 1;
}

}  // namespace nestwright
