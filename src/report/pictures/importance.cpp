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
Table interaction_table(const TaskData& data, const Interaction& pair) {
  const TrialColumns& trials = data.trials;
  const KnobColumn &first = trials.knobs[pair.first], &second = trials.knobs[pair.second];
  std::vector<std::vector<double>> best(first.values.size(), std::vector<double>(second.values.size(), INFINITY));
  std::vector<std::vector<int>> counts(first.values.size(), std::vector<int>(second.values.size(), 0));
  double least = INFINITY, most = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const double ns = compared_ns(data, i);
    if (ns == 0 || first.value[i] < 0 || second.value[i] < 0) continue;
    const auto a = static_cast<std::size_t>(first.value[i]), b = static_cast<std::size_t>(second.value[i]);
    best[a][b] = std::min(best[a][b], ns);
    ++counts[a][b];
    least = std::min(least, ns);
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

std::string audit_text(const Importance& importance) {
  if (!importance.audit) return fmt::format("{} trials are too few to judge a model by", importance.trials);
  const ModelAudit& audit = *importance.audit;
  if (!audit.passes()) {
    return fmt::format(
        "a model of the knobs alone finds {} of the {} fastest of {} trials, which is no better than chance "
        "({} needed): it says nothing about the knobs",
        audit.hits, audit.best, audit.trials, audit.needed);
  }
  return fmt::format(
      "{} of the {} fastest of {} trials are among the {} with the best predictions; {} are needed to be "
      "better than chance",
      audit.hits, audit.best, audit.trials, audit.chosen, audit.needed);
}

/// Adds the picture of one template's knobs.
void add_importance(const TaskData& data, const Importance& importance, Section& section) {
  Chart chart{
      data.trials.spaces[importance.space].name,
      "How much the rank correlation of predicted and measured throughput drops where the values of the knob are "
      "permuted among trials that the model has not seen; the whisker spans five folds.",
      {"drop of the rank correlation", false, false, {}},
      {"", false, false, {}},
      {},
      {},
      true};
  Series bars{"importance", Mark::kBars, {}, {}, {}, {}, {}};
  for (std::size_t k = 0; k < std::min(kMaxKnobs, importance.knobs.size()); ++k) {
    const KnobImportance& of = importance.knobs[k];
    chart.y.categories.push_back(fmt::format("{} ({:.3f})", data.trials.knobs[of.knob].knob, of.drop));
    bars.x.push_back(of.drop);
    bars.y.push_back(static_cast<double>(k));
    bars.low.push_back(of.least);
    bars.high.push_back(of.most);
  }
  chart.series.push_back(std::move(bars));
  section.charts.push_back(std::move(chart));
  if (importance.interaction) section.tables.push_back(interaction_table(data, *importance.interaction));
}

}  // namespace

Section importance_section(const TaskData& data) {
  if (!data.context) return {};
  std::vector<double> times;
  for (std::size_t i = 0; i < data.trials.size(); ++i) times.push_back(compared_ns(data, i));
  Section section{
      "What knobs are worth",
      "By a model for each template that learns the throughput from the knobs alone. There is no picture of a "
      "model that finds the fastest trials no better than chance does." +
          unit_note(data),
      {},
      {},
      {},
      false};
  Table audits{"Audit by cross-validation", "", {"template", "verdict", "why"}, {}};
  for (std::size_t space = 0; space < data.trials.spaces.size(); ++space) {
    const Importance importance = knob_importance(data.trials, times, space);
    const bool passes = importance.audit && importance.audit->passes();
    audits.rows.push_back(
        {data.trials.spaces[space].name, passes ? "better than chance" : "says nothing", audit_text(importance)});
    if (passes) add_importance(data, importance, section);
  }
  section.tables.insert(section.tables.begin(), std::move(audits));
  return section;
}

}  // namespace nestwright::report
