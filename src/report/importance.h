// What the knobs of a task are worth, by a model that learns the throughput of its trials from their knobs alone.
//
// Each template has a model of its own, so that a knob does not stand for the template that has it, and values are
// permuted among the trials that have the knob. The importance of a knob is the drop of Spearman's rank correlation
// between predicted and measured throughput where the knob's values are permuted among trials that the model was not
// trained on (Breiman's permutation importance, cross-validated). The interaction of two knobs is the standard
// deviation of what their joint partial dependence has beyond the sum of each one's (Friedman and Popescu's H
// statistic, before its division). Thread rule: pure functions of their arguments.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost_model/model_audit.h"
#include "logs/listing/log_reader.h"

namespace nestwright::report {

struct KnobImportance {
  std::size_t knob = 0;  ///< an index into TrialColumns::knobs
  double drop = 0;       ///< mean over the folds
  double least = 0, most = 0;
};

struct Interaction {
  std::size_t first = 0, second = 0;  ///< indices into TrialColumns::knobs
  double strength = 0;                ///< as a share of the best throughput
};

struct Importance {
  std::size_t space = 0;              ///< of the template, an index into TrialColumns::spaces
  std::size_t trials = 0;             ///< that the model learned from
  std::optional<ModelAudit> audit;    ///< absent: too few trials
  std::vector<KnobImportance> knobs;  ///< the most important first; empty unless the audit passes
  std::optional<Interaction> interaction;
};

/// Learns from at most 1000 trials of the template, the fastest third of them and a sample of the others. `compared_ns`
/// has the time of each trial in a common unit; 0: not to be learned from.
Importance knob_importance(const TrialColumns& trials, std::span<const double> compared_ns, std::size_t space);

}  // namespace nestwright::report
