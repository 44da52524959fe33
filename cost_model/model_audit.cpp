#include "cost_model/model_audit.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr int kMinTrials = 20;        // fewer are not judged
constexpr int kMinBest = 5;           // k is at least this,
constexpr double kBestShare = 0.125;  // and this share of the trials

double log_choose(int n, int k) { return std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0); }

}  // namespace

double ModelAudit::skill() const {
  if (chosen == trials) return 0;
  return std::clamp((recall() - chance()) / (1 - chance()), 0.0, 1.0);
}

double chance_of_hits(int trials, int best, int chosen, int hits) {
  check(trials > 0 && best >= 0 && best <= trials && chosen >= 0 && chosen <= trials,
        "chance_of_hits needs subsets of the trials");
  double tail = 0;
  for (int h = std::max({hits, 0, best + chosen - trials}); h <= std::min(best, chosen); ++h) {
    tail += std::exp(log_choose(best, h) + log_choose(trials - best, chosen - h) - log_choose(trials, chosen));
  }
  return std::min(tail, 1.0);
}

std::optional<ModelAudit> recall_audit(std::span<const double> scores, std::span<const double> throughputs) {
  check(scores.size() == throughputs.size(), "an audit needs a score for each trial");
  ModelAudit audit{.trials = static_cast<int>(scores.size())};
  if (audit.trials < kMinTrials) return std::nullopt;
  const auto k = std::max(kMinBest, static_cast<int>(std::ceil(kBestShare * audit.trials)));
  // A trial belongs to the k best where the k-th is not better than it.
  std::vector<double> fastest(throughputs.begin(), throughputs.end());
  std::nth_element(fastest.begin(), fastest.begin() + (k - 1), fastest.end(), std::greater<>());
  const double least = fastest[static_cast<std::size_t>(k - 1)];
  std::vector<double> ordered(scores.begin(), scores.end());
  std::sort(ordered.begin(), ordered.end());
  audit.chosen = k;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (throughputs[i] < least) continue;
    ++audit.best;
    const auto at_least = ordered.end() - std::lower_bound(ordered.begin(), ordered.end(), scores[i]);
    audit.hits += at_least <= k ? 1 : 0;
  }
  if (2 * audit.best > audit.trials) return std::nullopt;
  while (audit.needed <= audit.best &&
         chance_of_hits(audit.trials, audit.best, audit.chosen, audit.needed) > kAuditLevel) {
    ++audit.needed;
  }
  return audit;
}

std::optional<ModelAudit> cross_validate(CostModel& model, std::span<const Observation> observations,
                                         std::span<const std::size_t> judged) {
  std::vector<double> scores(judged.size()), throughputs(judged.size());
  for (std::size_t fold = 0; fold < std::min(kAuditFolds, judged.size()); ++fold) {
    std::vector<char> is_held_out(observations.size(), 0);
    std::vector<Features> held_out;
    for (std::size_t i = fold; i < judged.size(); i += kAuditFolds) {
      is_held_out[judged[i]] = 1;
      held_out.push_back(observations[judged[i]].features);
    }
    std::vector<Observation> kept;
    for (std::size_t i = 0; i < observations.size(); ++i) {
      if (is_held_out[i] == 0) kept.push_back(observations[i]);
    }
    model.update(with_and_without_resources(std::move(kept)));
    if (!model.is_trained()) return std::nullopt;
    const std::vector<double> predicted = model.predict(held_out);
    for (std::size_t i = fold, n = 0; i < judged.size(); i += kAuditFolds, ++n) {
      scores[i] = predicted[n];
      throughputs[i] = observations[judged[i]].throughput;
    }
  }
  return recall_audit(scores, throughputs);
}

}  // namespace nestwright
