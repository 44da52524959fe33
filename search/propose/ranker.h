// Ranks unmeasured points by a cost model that it trains on the observed ones. Features are computed on all cores and
// cached. It audits the model by cross-validation (cost_model/model_audit.h); where the model fails, can_rank() is
// false and strategies do without it. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cost_model/cost_model.h"
#include "cost_model/model_audit.h"
#include "search/propose/considered_counter.h"
#include "search/propose/session_trial.h"
#include "search/space/search_space.h"

namespace nestwright {

/// Computes the features of a point; nullopt where it cannot be lowered.
using FeatureSource = std::function<std::optional<Features>(const Point&)>;

class Ranker {
 public:
  /// `features` is called from several threads at once. `auditor` is an untrained model of the same kind as `model`.
  Ranker(std::unique_ptr<CostModel> model, std::unique_ptr<CostModel> auditor, FeatureSource features);

  /// Replaces the trials of other tasks, with throughput relative to the best of their own task. They determine the
  /// ranking until this task has trials, and lose weight as these accumulate. Cheap: see observe().
  void set_other_tasks(std::vector<Observation> other_tasks);
  /// False where trials of other tasks have no weight any more, given the number of this task's trials.
  static bool uses_other_tasks(std::size_t own_trials) { return own_trials < kMaxReplayed; }
  /// Counts each point when it is first scored, as ranked or as not lowered. `considered` outlives the ranker.
  void count_ranked_in(ConsideredCounter& considered) { considered_ = &considered; }
  /// Adds the resources that the compiler reported for a point, measured or not, to its features. Requires features
  /// with columns for them (cost_model/device_resources.h).
  void record_resources(const Point& point, const DeviceResources& resources);
  /// Adds a trial. One that is not sound counts less, is never taken for the best, and is not held out for the audit.
  /// Cheap: training is deferred until scores are needed.
  void observe(const SessionTrial& trial);
  /// Declares the observations so far to be those of earlier sessions: of a long history, only a part is lowered again.
  void end_replay() { replayed_ = observed_.size(); }
  /// Replaces the label of an observed point from the next training on. A label of less weight than the old is ignored.
  void amend(const SessionTrial& trial);
  /// Ends a batch and decides whether the model is stale. This depends only on the number of observations, so that a
  /// resumed search decides as the interrupted one did.
  void end_batch();

  /// One score for each point; higher is better, -infinity where a point cannot be lowered. Trains a stale model first.
  std::vector<double> score(std::span<const Point> points);
  /// Changes whenever the scores change.
  std::size_t generation() const { return generation_; }
  /// Whether scores are meaningful: the model is trained, and the audit found that it ranks.
  bool can_rank();

  /// A hash that is equal for near-duplicates: points whose programs have the same features, up to rounding and apart
  /// from the knobs. nullopt for points that cannot be lowered.
  std::vector<std::optional<std::uint64_t>> likeness(std::span<const Point> points);

  /// The last audit; nullopt before the first one, and where it had too little to judge by.
  const std::optional<ModelAudit>& audit() const { return audit_; }
  std::int64_t feature_ns() const { return feature_ns_; }
  std::int64_t train_ns() const { return train_ns_; }

 private:
  static constexpr std::size_t kMaxReplayed = 512;  // earlier trials that are lowered again for the model, 1 ms each

  /// The trials of this task and, with discounted weights, those of others.
  struct TrainingSet {
    std::vector<Observation> own, others;
  };

  void learn();
  /// The observations to train on, as ascending indices below `count`: all of this run, and all of earlier sessions if
  /// they are at most 512; else the latest 256 of these and as many of the fastest others.
  std::vector<std::size_t> chosen_of(std::size_t count) const;
  /// The training data of the first `count` observations.
  TrainingSet training_set(std::size_t count);
  /// Audits the model on the trials of this task or, where it has too few, on those of others.
  void audit(TrainingSet set);
  /// Features without the resources that the compiler reports.
  std::vector<const std::optional<Features>*> features_of(std::span<const Point> points);
  std::optional<DeviceResources> resources_of(const Point& point) const;
  /// Counts a point that is scored, when it is scored first. `features` is its entry of cache_.
  void count(const Point& point, const std::optional<Features>& features);

  std::unique_ptr<CostModel> model_, auditor_;
  FeatureSource source_;
  std::unordered_map<std::string, std::optional<Features>> cache_;
  ConsideredCounter* considered_ = nullptr;
  std::unordered_set<const std::optional<Features>*> counted_;  ///< entries of cache_ whose points were counted
  std::unordered_map<std::string, DeviceResources> resources_;
  std::vector<Observation> other_tasks_;
  bool has_new_others_ = false;  ///< other_tasks_ were replaced since the last training
  std::vector<SessionTrial> observed_;
  std::unordered_map<std::string, std::size_t> index_of_;  ///< into observed_, by the point's key
  std::size_t replayed_ = 0;                               ///< how many of observed_ are of earlier sessions
  std::size_t learn_from_ = 0;                             ///< observations that the next training uses
  std::size_t learnt_from_ = 0;                            ///< observations that the last training used
  std::size_t generation_ = 0;                             ///< trainings so far
  std::optional<ModelAudit> audit_;
  std::int64_t feature_ns_ = 0, train_ns_ = 0;
};

}  // namespace nestwright
