#include "search/propose/ranker.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>

#include "nestwright/error.h"
#include "search/budget/stopwatch.h"
#include "support/data/hash.h"

namespace nestwright {
namespace {

constexpr std::size_t kFirstTraining = 24;  // observations before the first training
// The model is trained again when the observations have grown by this factor, as its cost grows with their number.
constexpr double kGrowth = 1.25, kLaterGrowth = 1.5;
constexpr std::size_t kLater = 200;  // observations from which on kLaterGrowth applies

// The weight of other tasks' trials halves with every kHalfLife trials of this task and is 0 below kMinWeight. This
// is AutoTVM's discount of a base model (autotvm/tuner/xgboost_cost_model.py, 0.5^(trials / plan size)).
constexpr double kHalfLife = 64, kMinWeight = 0.05;  // reached after 277 trials that can be lowered

constexpr float kLikenessSteps = 64;  // per unit of a feature, a logarithm to base 2: one percent

}  // namespace

Ranker::Ranker(std::unique_ptr<CostModel> model, std::unique_ptr<CostModel> auditor, FeatureSource features)
    : model_(std::move(model)), auditor_(std::move(auditor)), source_(std::move(features)) {}

void Ranker::set_other_tasks(std::vector<Observation> other_tasks) {
  has_new_others_ = !(other_tasks.empty() && other_tasks_.empty());
  other_tasks_ = std::move(other_tasks);
}

void Ranker::record_resources(const Point& point, const DeviceResources& resources) {
  resources_.insert_or_assign(point.key(), resources);
}

std::optional<DeviceResources> Ranker::resources_of(const Point& point) const {
  const auto known = resources_.empty() ? resources_.end() : resources_.find(point.key());
  return known == resources_.end() ? std::nullopt : std::optional(known->second);
}

void Ranker::observe(const SessionTrial& trial) {
  index_of_.insert_or_assign(trial.point.key(), observed_.size());
  observed_.push_back(trial);
}

void Ranker::amend(const SessionTrial& trial) {
  const auto known = index_of_.find(trial.point.key());
  check(known != index_of_.end(), "a trial's label is amended before it was observed");
  SessionTrial& observed = observed_[known->second];
  if (trial.weight() >= observed.weight()) observed = trial;
}

void Ranker::end_batch() {
  if (observed_.size() < kFirstTraining) return;
  const double growth = learn_from_ < kLater ? kGrowth : kLaterGrowth;
  if (static_cast<double>(observed_.size()) >= growth * static_cast<double>(learn_from_)) {
    learn_from_ = observed_.size();
  }
}

std::vector<const std::optional<Features>*> Ranker::features_of(std::span<const Point> points) {
  const Stopwatch watch(feature_ns_);
  std::vector<const std::optional<Features>*> result;
  std::vector<std::pair<const Point*, std::optional<Features>*>> missing;
  for (const Point& point : points) {
    const auto [entry, inserted] = cache_.try_emplace(point.key());
    if (inserted) missing.emplace_back(&point, &entry->second);
    result.push_back(&entry->second);
  }
  tbb::parallel_for(std::size_t{0}, missing.size(),
                    [&](std::size_t i) { *missing[i].second = source_(*missing[i].first); });
  return result;
}

std::vector<std::size_t> Ranker::chosen_of(std::size_t count) const {
  std::vector<std::size_t> chosen(count);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  const std::size_t replayed = std::min(count, replayed_);
  if (replayed <= kMaxReplayed) return chosen;
  const auto latest = chosen.begin() + static_cast<std::ptrdiff_t>(replayed - kMaxReplayed / 2);
  const auto fastest = chosen.begin() + kMaxReplayed / 2;
  std::nth_element(chosen.begin(), fastest, latest, [this](std::size_t a, std::size_t b) {
    return std::tuple(-observed_[a].throughput(), b) < std::tuple(-observed_[b].throughput(), a);
  });
  chosen.erase(fastest, latest);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

Ranker::TrainingSet Ranker::training_set(std::size_t count) {
  const std::vector<std::size_t> chosen = chosen_of(count);
  std::vector<Point> points;
  for (const std::size_t i : chosen) points.push_back(observed_[i].point);
  const auto features = features_of(points);

  // The fastest reliable reading, or the fastest of all where none is reliable.
  double best = 0, best_trusted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    best = std::max(best, observed_[i].throughput());
    if (observed_[i].weight() >= 1) best_trusted = std::max(best_trusted, observed_[i].throughput());
  }
  if (best_trusted > 0) best = best_trusted;
  TrainingSet set;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (!features[i]->has_value() || best == 0) continue;
    const SessionTrial& trial = observed_[chosen[i]];
    const double share = std::min(trial.throughput() / best, 1.0);
    set.own.push_back({**features[i], share, trial.weight(), resources_of(points[i])});
  }
  const double discount = std::exp2(-static_cast<double>(set.own.size()) / kHalfLife);
  if (discount >= kMinWeight) set.others = other_tasks_;
  for (Observation& observation : set.others) observation.weight *= discount;
  return set;
}

void Ranker::learn() {
  if (learn_from_ == learnt_from_ && !has_new_others_) return;
  has_new_others_ = false;
  ++generation_;
  TrainingSet set = training_set(learn_from_);
  audit(set);
  const Stopwatch watch(train_ns_);
  std::vector<Observation> all = std::move(set.own);
  std::move(set.others.begin(), set.others.end(), std::back_inserter(all));
  model_->update(with_and_without_resources(std::move(all)));
  learnt_from_ = learn_from_;
}

void Ranker::audit(TrainingSet set) {
  const Stopwatch watch(train_ns_);
  // Disturbed readings must not judge a model.
  std::vector<std::size_t> judged;
  const bool judges_own = set.own.size() >= kFirstTraining;
  for (std::size_t i = 0; judges_own && i < set.own.size(); ++i) {
    if (set.own[i].weight >= 1) judged.push_back(i);
  }
  for (std::size_t i = 0; !judges_own && i < set.others.size(); ++i) judged.push_back(set.own.size() + i);
  std::vector<Observation> all = std::move(set.own);
  std::move(set.others.begin(), set.others.end(), std::back_inserter(all));
  audit_ = cross_validate(*auditor_, all, judged);
}

bool Ranker::can_rank() {
  learn();
  return model_->is_trained() && audit_ && audit_->passes();
}

std::vector<std::optional<std::uint64_t>> Ranker::likeness(std::span<const Point> points) {
  std::vector<std::optional<std::uint64_t>> result;
  for (const auto* features : features_of(points)) {
    if (!features->has_value()) {
      result.emplace_back();
      continue;
    }
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < std::min(program_feature_count(), (*features)->size()); ++i) {
      const float value = (**features)[i];
      hash = hash_combine(hash, std::isnan(value) ? ~std::uint64_t{0}
                                                  : static_cast<std::uint64_t>(std::lround(value * kLikenessSteps)));
    }
    result.emplace_back(hash);
  }
  return result;
}

void Ranker::count(const Point& point, const std::optional<Features>& features) {
  if (considered_ == nullptr || !counted_.insert(&features).second) return;
  if (features) {
    considered_->add_ranked(point);
  } else {
    considered_->add_not_lowered(point);
  }
}

std::vector<double> Ranker::score(std::span<const Point> points) {
  learn();
  const auto features = features_of(points);
  std::vector<Features> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    count(points[i], *features[i]);
    if (!features[i]->has_value()) continue;
    const std::optional<DeviceResources> resources = resources_of(points[i]);
    rows.push_back(resources ? with_resources(**features[i], *resources) : **features[i]);
  }
  const std::vector<double> predicted = model_->predict(rows);
  std::vector<double> scores;
  auto next = predicted.begin();
  for (const auto* f : features) {
    scores.push_back(f->has_value() ? *next++ : -std::numeric_limits<double>::infinity());
  }
  return scores;
}

}  // namespace nestwright
