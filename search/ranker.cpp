#include "search/ranker.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>

#include "search/stopwatch.h"

namespace nestwright {
namespace {

constexpr std::size_t kFirstTraining = 24;  // observations before the model is asked at all
constexpr double kGrowth = 1.25;            // retrain when there are this many times as many observations
constexpr std::size_t kHeldOut = 5;         // every fifth observation is held out for the audit
constexpr double kUseful = 0.2;             // rank correlation below which the model steps aside

}  // namespace

Ranker::Ranker(std::unique_ptr<CostModel> model, std::unique_ptr<CostModel> auditor, FeatureSource features)
    : model_(std::move(model)), auditor_(std::move(auditor)), source_(std::move(features)) {}

void Ranker::observe(const Point& point, double throughput) { observed_.emplace_back(point, throughput); }

void Ranker::end_batch() {
  if (observed_.size() < kFirstTraining) return;
  if (static_cast<double>(observed_.size()) >= kGrowth * static_cast<double>(learn_from_))
    learn_from_ = observed_.size();
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

void Ranker::learn() {
  if (learn_from_ == learnt_from_) return;
  std::vector<Point> points;
  for (std::size_t i = 0; i < learn_from_; ++i) points.push_back(observed_[i].first);
  const auto features = features_of(points);

  const Stopwatch watch(train_ns_);
  std::vector<Observation> all, kept;
  std::vector<Features> held_out;
  std::vector<double> truth;
  for (std::size_t i = 0; i < learn_from_; ++i) {
    if (!features[i]->has_value()) continue;
    const Observation observation{**features[i], observed_[i].second};
    all.push_back(observation);
    if (i % kHeldOut == kHeldOut - 1) {
      held_out.push_back(observation.features);
      truth.push_back(observation.throughput);
    } else {
      kept.push_back(observation);
    }
  }
  auditor_->update(kept);
  audit_ = auditor_->trained() ? rank_correlation(auditor_->predict(held_out), truth) : std::nullopt;
  model_->update(all);
  learnt_from_ = learn_from_;
}

bool Ranker::ranks() {
  learn();
  return model_->trained() && audit_.value_or(0) >= kUseful;
}

std::vector<double> Ranker::score(std::span<const Point> points) {
  learn();
  const auto features = features_of(points);
  std::vector<Features> rows;
  for (const auto* f : features) {
    if (f->has_value()) rows.push_back(**f);
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
