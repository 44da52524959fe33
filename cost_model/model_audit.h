// Audits a cost model by cross-validation: each trial is scored by a model that was trained without it, and the audit
// counts how many of the fastest trials are among those with the highest scores (recall at k). A model passes where a
// random order would attain that recall with a probability of at most kAuditLevel, by the hypergeometric distribution.
// Thread rule: pure functions, apart from the model that is trained.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cost_model/cost_model.h"

namespace nestwright {

/// Probability that a model without information passes one audit.
inline constexpr double kAuditLevel = 0.05;

struct ModelAudit {
  int trials = 0;  ///< that were scored
  int best = 0;    ///< the fastest of them, k; more where the k-th has equals
  int chosen = 0;  ///< those with the highest scores
  int hits = 0;    ///< of `best`, those among `chosen`
  int needed = 0;  ///< hits to pass; more than `best` where chance reaches even all of them too often

  double recall() const { return static_cast<double>(hits) / best; }
  /// The recall that a random order has on average.
  double chance() const { return static_cast<double>(chosen) / trials; }
  bool passes() const { return hits >= needed; }
  /// 0: no better than chance, 1: perfect.
  double skill() const;
};

/// The probability that `chosen` of `trials`, drawn at random, contain at least `hits` of the `best`.
double chance_of_hits(int trials, int best, int chosen, int hits);

/// The recall of `scores`, higher ones better, for the fastest trials. Equal scores are never to a model's advantage: a
/// trial is chosen where fewer than k others have its score or a higher one. nullopt for too few trials to judge by,
/// and where more than half of them are among the fastest.
std::optional<ModelAudit> recall_audit(std::span<const double> scores, std::span<const double> throughputs);

/// Cross-validates `model`, which is left trained on some of the data: the trials at `judged` are split into
/// kAuditFolds parts, and each is scored by a model that was trained on everything else. Resources, which candidates
/// lack when they are ranked, are used for training only. nullopt as for recall_audit, and where the model cannot be
/// trained.
std::optional<ModelAudit> cross_validate(CostModel& model, std::span<const Observation> observations,
                                         std::span<const std::size_t> judged);

inline constexpr std::size_t kAuditFolds = 5;

}  // namespace nestwright
