#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/importance.h"
#include "report/pictures/sections.h"
#include "support/base/format_time.h"

namespace nestwright::report {
namespace {

constexpr std::size_t kMaxKnobs = 16;  // that are drawn

/// The best time of each pair of values, shaded by how near it is to the best of all.
Table interaction_table(const TrialColumns& trials, const Interaction& pair) {
  const KnobColumn &first = trials.knobs[pair.first], &second = trials.knobs[pair.second];
  std::vector<std::vector<double>> best(first.values.size(), std::vector<double>(second.values.size(), INFINITY));
  std::vector<std::vector<int>> counts(first.values.size(), std::vector<int>(second.values.size(), 0));
  double least = INFINITY, most = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!trials.is_timed(i) || first.value[i] < 0 || second.value[i] < 0) continue;
    const auto a = static_cast<std::size_t>(first.value[i]), b = static_cast<std::size_t>(second.value[i]);
    best[a][b] = std::min(best[a][b], trials.median_ns[i]);
    ++counts[a][b];
    least = std::min(least, trials.median_ns[i]);
  }
  for (const std::vector<double>& row : best) {
    for (const double ns : row) most = std::isfinite(ns) ? std::max(most, ns) : most;
  }
  Table table{fmt::format("{} and {}", first.knob, second.knob),
              fmt::format("The two knobs of {} with the largest interaction: what a value of one is worth depends on "
                          "the other by {:.1f}% of the best throughput (standard deviation). Cells show the best time "
                          "and the number of trials; the darker, the nearer to the best of all.",
                          trials.spaces[first.space].name, 100 * pair.strength),
              {first.knob + " \\ " + second.knob},
              {}};
  table.headings.insert(table.headings.end(), second.values.begin(), second.values.end());
  for (std::size_t a = 0; a < first.values.size(); ++a) {
    std::vector<std::string> row{first.values[a]};
    std::vector<double> shades{NAN};
    for (std::size_t b = 0; b < second.values.size(); ++b) {
      const bool is_tried = std::isfinite(best[a][b]);
      row.push_back(is_tried ? fmt::format("{} ({})", format_time(best[a][b]), counts[a][b]) : "");
      shades.push_back(is_tried && most > least ? (most - best[a][b]) / (most - least) : NAN);
    }
    table.rows.push_back(std::move(row));
    table.shades.push_back(std::move(shades));
  }
  return table;
}

}  // namespace

Section importance_section(const TaskData& data) {
  if (!data.context) return {};
  const Importance importance = knob_importance(data.trials);
  Section section{"What knobs are worth", "", {}, {}, {}, false};
  if (!importance.audit || !importance.audit->passes()) {
    section.tables.push_back(
        {"No picture",
         "",
         {"why"},
         {{importance.audit
               ? fmt::format("a model of the knobs alone finds {} of the {} fastest of {} trials, which is "
                             "no better than chance ({} needed): it says nothing about the knobs",
                             importance.audit->hits, importance.audit->best, importance.audit->trials,
                             importance.audit->needed)
               : fmt::format("{} timed trials are too few to judge a model by", importance.trials)}}});
    return section;
  }
  const ModelAudit& audit = *importance.audit;
  section.note = fmt::format(
      "By a model that learns the throughput from the knobs alone, of {} trials. Audit by cross-validation: {} of the "
      "{} "
      "fastest trials are among the {} with the best predictions; {} are needed to be better than chance.",
      audit.trials, audit.hits, audit.best, audit.chosen, audit.needed);
  Chart chart{
      "Permutation importance",
      "How much the rank correlation of predicted and measured throughput drops where the values of the knob are "
      "permuted among trials that the model has not seen; the whisker spans five folds.",
      {"drop of the rank correlation", false, {}},
      {"", false, {}},
      {},
      {},
      true};
  Series bars{"importance", Mark::kBars, {}, {}, {}, {}, {}};
  Table table{"Importance", "", {"knob", "template", "drop", "least", "most"}, {}};
  for (std::size_t k = 0; k < std::min(kMaxKnobs, importance.knobs.size()); ++k) {
    const KnobImportance& of = importance.knobs[k];
    const KnobColumn& column = data.trials.knobs[of.knob];
    chart.y.categories.push_back(column.knob);
    bars.x.push_back(of.drop);
    bars.y.push_back(static_cast<double>(k));
    bars.low.push_back(of.least);
    bars.high.push_back(of.most);
    table.rows.push_back({column.knob, data.trials.spaces[column.space].name, fmt::format("{:.3f}", of.drop),
                          fmt::format("{:.3f}", of.least), fmt::format("{:.3f}", of.most)});
  }
  chart.series.push_back(std::move(bars));
  section.charts.push_back(std::move(chart));
  section.tables.push_back(std::move(table));
  if (importance.interaction) section.tables.push_back(interaction_table(data.trials, *importance.interaction));
  return section;
}

}  // namespace nestwright::report
