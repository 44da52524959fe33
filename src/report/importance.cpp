#include "report/importance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "nestwright/error.h"

namespace nestwright::report {
namespace {

constexpr std::size_t kMaxTrials = 1000;
constexpr std::size_t kMaxInteracting = 6;   // of the most important knobs
constexpr std::size_t kDependenceRows = 60;  // that a partial dependence is averaged over

/// The features that belong to one knob.
struct Group {
  std::size_t knob = 0, first = 0, count = 1;
};

/// The trials that the model learns from, as rows of features.
struct Rows {
  std::vector<std::size_t> trials;
  std::vector<Group> groups;
  std::vector<Observation> observations;
};

/// The timed trials to learn from: of many, the fastest third and a sample of the others.
std::vector<std::size_t> chosen_trials(const TrialColumns& trials, std::span<const double> ns, std::size_t space) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials.space[i] == space && ns[i] > 0 && !trials.has(i, kIsCopy)) chosen.push_back(i);
  }
  if (chosen.size() <= kMaxTrials) return chosen;
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) { return ns[a] < ns[b]; });
  std::mt19937_64 random(1);
  std::shuffle(chosen.begin() + kMaxTrials / 3, chosen.end(), random);
  chosen.resize(kMaxTrials);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

/// The numbers of each value of a knob: logarithms of sizes, the place of an option.
std::vector<Features> value_features(const KnobColumn& column) {
  std::vector<Features> features;
  std::size_t width = 1;
  for (const std::string& text : column.values) {
    Features of;
    for (const std::int64_t number : value_numbers(text)) {
      of.push_back(static_cast<float>(std::copysign(std::log2(1 + std::abs(static_cast<double>(number))), number)));
    }
    if (of.empty()) of.push_back(static_cast<float>(features.size()));
    width = std::max(width, of.size());
    features.push_back(std::move(of));
  }
  for (Features& of : features) of.resize(width, std::numeric_limits<float>::quiet_NaN());
  return features;
}

Rows rows_of(const TrialColumns& trials, std::span<const double> ns, std::size_t space) {
  Rows rows;
  rows.trials = chosen_trials(trials, ns, space);
  rows.observations.resize(rows.trials.size());
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t trial : rows.trials) best = std::min(best, ns[trial]);
  for (std::size_t r = 0; r < rows.trials.size(); ++r) {
    rows.observations[r].throughput = best / ns[rows.trials[r]];
  }
  std::size_t first = 0;
  for (std::size_t k = 0; k < trials.knobs.size(); ++k) {
    const KnobColumn& column = trials.knobs[k];
    if (column.space != space || column.values.size() < 2) continue;
    const std::vector<Features> of_value = value_features(column);
    const std::size_t width = of_value.front().size();
    for (std::size_t r = 0; r < rows.trials.size(); ++r) {
      const std::int32_t value = column.value[rows.trials[r]];
      Features& features = rows.observations[r].features;
      if (value < 0) {
        features.insert(features.end(), width, std::numeric_limits<float>::quiet_NaN());
      } else {
        const Features& of = of_value[static_cast<std::size_t>(value)];
        features.insert(features.end(), of.begin(), of.end());
      }
    }
    rows.groups.push_back({k, first, width});
    first += width;
  }
  return rows;
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t at = 0; at < order.size();) {
    std::size_t end = at;
    while (end < order.size() && values[order[end]] == values[order[at]]) ++end;
    for (std::size_t k = at; k < end; ++k) ranks[order[k]] = 0.5 * static_cast<double>(at + end - 1);
    at = end;
  }
  return ranks;
}

/// Spearman's rank correlation; 0 if one of them is constant.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double middle = 0.5 * (static_cast<double>(x.size()) - 1);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - middle) * (y[i] - middle);
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

void copy_group(const Group& group, const Features& from, Features& to) {
  std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(group.first), group.count,
              to.begin() + static_cast<std::ptrdiff_t>(group.first));
}

/// Whether the configuration has the knob: a branch may lack it.
bool has_knob(const Features& features, const Group& group) { return !std::isnan(features[group.first]); }

std::vector<KnobImportance> permutation_importance(const Rows& rows) {
  std::vector<KnobImportance> result;
  for (const Group& group : rows.groups) result.push_back({group.knob, 0, 1, -1});
  std::vector<std::size_t> order(rows.observations.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(1);
  std::shuffle(order.begin(), order.end(), random);
  for (std::size_t fold = 0; fold < kAuditFolds; ++fold) {
    std::vector<Observation> training;
    std::vector<Features> held_out;
    std::vector<double> measured;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Observation& observation = rows.observations[order[i]];
      if (i % kAuditFolds != fold) {
        training.push_back(observation);
        continue;
      }
      held_out.push_back(observation.features);
      measured.push_back(observation.throughput);
    }
    const auto model = make_cost_model("xgboost", 1);
    model->update(training);
    const double whole = rank_correlation(model->predict(held_out), measured);
    for (std::size_t g = 0; g < rows.groups.size(); ++g) {
      std::vector<std::size_t> with_knob;
      for (std::size_t i = 0; i < held_out.size(); ++i) {
        if (has_knob(held_out[i], rows.groups[g])) with_knob.push_back(i);
      }
      std::vector<std::size_t> permutation = with_knob;
      std::shuffle(permutation.begin(), permutation.end(), random);
      std::vector<Features> permuted = held_out;
      for (std::size_t i = 0; i < with_knob.size(); ++i) {
        copy_group(rows.groups[g], held_out[permutation[i]], permuted[with_knob[i]]);
      }
      const double drop = whole - rank_correlation(model->predict(permuted), measured);
      result[g].drop += drop / kAuditFolds;
      result[g].least = std::min(result[g].least, drop);
      result[g].most = std::max(result[g].most, drop);
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const KnobImportance& a, const KnobImportance& b) { return a.drop > b.drop; });
  return result;
}

/// One row of features for each value of a group that occurs.
std::vector<const Features*> examples_of(const Rows& rows, const TrialColumns& trials, const Group& group) {
  std::vector<const Features*> examples(trials.knobs[group.knob].values.size(), nullptr);
  for (std::size_t r = 0; r < rows.trials.size(); ++r) {
    const std::int32_t value = trials.knobs[group.knob].value[rows.trials[r]];
    if (value >= 0) examples[static_cast<std::size_t>(value)] = &rows.observations[r].features;
  }
  std::erase(examples, nullptr);
  return examples;
}

/// The standard deviation of the joint partial dependence beyond the sum of each one's.
double interaction_strength(const CostModel& model, const Rows& rows, const TrialColumns& trials, const Group& a,
                            const Group& b) {
  const auto of_a = examples_of(rows, trials, a), of_b = examples_of(rows, trials, b);
  std::vector<const Features*> with_both;
  for (const Observation& row : rows.observations) {
    if (has_knob(row.features, a) && has_knob(row.features, b)) with_both.push_back(&row.features);
  }
  if (with_both.empty()) return 0;
  const std::size_t step = std::max<std::size_t>(1, with_both.size() / kDependenceRows);
  std::vector<Features> probes;
  for (const Features* x : of_a) {
    for (const Features* y : of_b) {
      for (std::size_t r = 0; r < with_both.size(); r += step) {
        probes.push_back(*with_both[r]);
        copy_group(a, *x, probes.back());
        copy_group(b, *y, probes.back());
      }
    }
  }
  const std::vector<double> predicted = model.predict(probes);
  const std::size_t cells = of_a.size() * of_b.size(), samples = predicted.size() / cells;
  std::vector<double> joint(cells), by_a(of_a.size()), by_b(of_b.size());
  double mean = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    for (std::size_t s = 0; s < samples; ++s) joint[c] += predicted[c * samples + s] / static_cast<double>(samples);
    by_a[c / of_b.size()] += joint[c] / static_cast<double>(of_b.size());
    by_b[c % of_b.size()] += joint[c] / static_cast<double>(of_a.size());
    mean += joint[c] / static_cast<double>(cells);
  }
  double squares = 0;
  for (std::size_t c = 0; c < cells; ++c) {
    const double beyond = joint[c] - by_a[c / of_b.size()] - by_b[c % of_b.size()] + mean;
    squares += beyond * beyond;
  }
  return std::sqrt(squares / static_cast<double>(cells));
}

std::optional<Interaction> largest_interaction(const Rows& rows, const TrialColumns& trials,
                                               const std::vector<KnobImportance>& knobs) {
  const auto model = make_cost_model("xgboost", 1);
  model->update(rows.observations);
  std::vector<const Group*> groups;
  for (std::size_t k = 0; k < std::min(kMaxInteracting, knobs.size()); ++k) {
    groups.push_back(&*std::find_if(rows.groups.begin(), rows.groups.end(),
                                    [&](const Group& group) { return group.knob == knobs[k].knob; }));
  }
  std::optional<Interaction> largest;
  for (std::size_t a = 0; a < groups.size(); ++a) {
    for (std::size_t b = a + 1; b < groups.size(); ++b) {
      const double strength = interaction_strength(*model, rows, trials, *groups[a], *groups[b]);
      if (!largest || strength > largest->strength) largest = {groups[a]->knob, groups[b]->knob, strength};
    }
  }
  return largest;
}

}  // namespace

Importance knob_importance(const TrialColumns& trials, std::span<const double> compared_ns, std::size_t space) {
  const Rows rows = rows_of(trials, compared_ns, space);
  Importance importance;
  importance.space = space;
  importance.trials = rows.trials.size();
  if (rows.groups.empty()) return importance;
  std::vector<std::size_t> all(rows.observations.size());
  std::iota(all.begin(), all.end(), 0);
  const auto model = make_cost_model("xgboost", 1);
  importance.audit = cross_validate(*model, rows.observations, all);
  if (!importance.audit || !importance.audit->passes()) return importance;
  importance.knobs = permutation_importance(rows);
  importance.interaction = largest_interaction(rows, trials, importance.knobs);
  return importance;
}

}  // namespace nestwright::report
