// Ranks unmeasured points: features of each, computed on all cores and kept, and a cost model that learns from what was
// observed. It audits its model: the newest trials are predicted by a model that has not seen them, and where that does
// not rank them, ranks() is false and the strategies do without. Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cost_model/cost_model.h"
#include "search/search_space.h"

namespace nestwright {

/// Features of a point; nullopt where it cannot be lowered.
using FeatureSource = std::function<std::optional<Features>(const Point&)>;

class Ranker {
 public:
  /// `features` is called from several threads at once.
  Ranker(std::unique_ptr<CostModel> model, std::unique_ptr<CostModel> auditor, FeatureSource features);

  /// Trials of other tasks, with the throughput relative to the best of their own: what is ranked by until there are
  /// trials of this one, and less and less after. To be called before anything else.
  void warm_start(std::vector<Observation> lessons);
  /// False where trials of other tasks have no weight any more beside so many of this one.
  static bool weighs_lessons(std::size_t own_trials) { return own_trials < kMaxReplayed; }
  /// What the compiler told of a point, measured or about to be: it is part of its features from now on. Requires
  /// `features` to have left room for it (cost_model/device_needs.h).
  void tell_needs(const Point& point, const DeviceNeeds& needs);
  /// One measured point; throughput in runs per second, 0 for a failure; `weight` below 1 for a reading that is not
  /// trusted: it counts less, never as the best, and the audit does not judge by it. Cheap: learning waits until it is
  /// needed.
  void observe(const Point& point, double throughput, double weight = 1);
  /// To be called where what was observed so far was recorded by earlier sessions: of a long history not all is lowered
  /// again for the model.
  void end_replay() { replayed_ = observed_.size(); }
  /// A new label of a point that was observed, for the next training; one of less weight than the old changes nothing.
  void amend(const Point& point, double throughput, double weight = 1);
  /// To be called where a batch ends: decides whether the model has become stale. A function of the number of
  /// observations alone, so that a resumed search decides as the interrupted one did.
  void end_batch();

  /// Higher is better; -infinity for points that cannot be lowered. Learns first where the model is stale.
  std::vector<double> score(std::span<const Point> points);
  /// Changes whenever scores do.
  std::size_t generation() const { return generation_; }
  /// Whether scores mean something: trained, and the audit found that it ranks.
  bool ranks();

  /// Equal for points whose programs have the same features but for the knobs, as good as: near-duplicates. nullopt for
  /// points that cannot be lowered.
  std::vector<std::optional<std::uint64_t>> likeness(std::span<const Point> points);

  /// Rank correlation on held-out trials at the last audit; nullopt before there were enough.
  std::optional<double> audit() const { return audit_; }
  std::int64_t feature_ns() const { return feature_ns_; }
  std::int64_t train_ns() const { return train_ns_; }

 private:
  static constexpr std::size_t kMaxReplayed = 512;  // earlier trials that are lowered again for the model, 1 ms each

  struct Label {
    Point point;
    double throughput = 0, weight = 1;
  };

  /// What there is to learn from: trials of this task and, discounted, those of others.
  struct Lessons {
    std::vector<Observation> own, others;
  };

  void learn();
  /// Those of the first `count` observations that are learnt from, in order: of what was replayed up to 512, the latest
  /// and, of the others, the fastest, half each; all the rest.
  std::vector<std::size_t> chosen_of(std::size_t count) const;
  /// From the first `count` observations.
  Lessons lessons_of(std::size_t count);
  /// Judges the model by one that has not seen all of this task's trials, or of the others' where those are too few.
  void audit(const Lessons& lessons);
  /// Without what the compiler told.
  std::vector<const std::optional<Features>*> features_of(std::span<const Point> points);
  std::optional<DeviceNeeds> needs_of(const Point& point) const;

  std::unique_ptr<CostModel> model_, auditor_;
  FeatureSource source_;
  std::unordered_map<std::string, std::optional<Features>> cache_;
  std::unordered_map<std::string, DeviceNeeds> needs_;
  std::vector<Observation> lessons_;
  std::vector<Label> observed_;
  std::unordered_map<std::string, std::size_t> label_of_;  ///< index into observed_ by the point's key
  std::size_t replayed_ = 0;                               ///< the first of observed_, by earlier sessions
  std::size_t learn_from_ = 0;                             ///< observations that the next training takes
  std::size_t learnt_from_ = 0;                            ///< observations that the last training took
  std::size_t audit_from_ = 0, audited_from_ = 0;          ///< the same of audits
  std::size_t generation_ = 0;                             ///< trainings so far
  std::optional<double> audit_;
  std::int64_t feature_ns_ = 0, train_ns_ = 0;
};

}  // namespace nestwright
