#include "report/task_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "report/pictures/sections.h"

namespace nestwright::report {
namespace {

PageTrials page_trials(TaskData& data) {
  PageTrials trials;
  std::map<SessionId, std::int32_t> counts;
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    trials.number.push_back(++counts[data.trials.session[i]]);
    trials.compared_ns.push_back(compared_ns(data, i));
  }
  trials.columns = std::move(data.trials);
  return trials;
}

/// Keeps the rows whose numbers are given, in their order.
template <class Column>
void keep_rows(Column& column, const std::vector<std::size_t>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) column[i] = column[rows[i]];
  column.resize(rows.size());
}

/// Keeps the texts that `indices` name, and renumbers them. Messages of failures often differ in their numbers.
void keep_named(std::vector<std::string>& texts, std::vector<std::uint32_t>& indices) {
  std::map<std::uint32_t, std::uint32_t> renumbered;
  std::vector<std::string> kept;
  for (std::uint32_t& index : indices) {
    const auto [number, is_new] = renumbered.emplace(index, static_cast<std::uint32_t>(kept.size()));
    if (is_new) kept.push_back(std::move(texts[index]));
    index = number->second;
  }
  texts = std::move(kept);
}

/// Keeps the fastest half of `most` trials, and the latest others.
void thin(PageTrials& page, std::size_t most) {
  TrialColumns& trials = page.columns;
  if (trials.size() <= most) return;
  std::vector<std::size_t> order(trials.size());
  std::iota(order.begin(), order.end(), 0);
  const auto time = [&](std::size_t i) { return trials.is_timed(i) ? trials.median_ns[i] : INFINITY; };
  const auto half = order.begin() + static_cast<std::ptrdiff_t>(most / 2);
  std::nth_element(order.begin(), half, order.end(), [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
  std::sort(half, order.end(), std::greater<>());
  order.resize(most);
  std::sort(order.begin(), order.end());
  for (auto* column : {&trials.id, &trials.session}) keep_rows(*column, order);
  for (auto* column : {&trials.outcome, &trials.flags}) keep_rows(*column, order);
  for (auto* column : {&trials.median_ns, &trials.low_ns, &trials.high_ns, &trials.seconds, &page.compared_ns}) {
    keep_rows(*column, order);
  }
  for (auto* column : {&trials.space, &trials.message, &trials.origin}) keep_rows(*column, order);
  keep_named(trials.messages, trials.message);
  for (KnobColumn& column : trials.knobs) keep_rows(column.value, order);
  keep_rows(page.number, order);
}

}  // namespace

TaskPage task_page(TaskData& data, std::size_t max_trials) {
  TaskPage page;
  page.name = data.name;
  page.measure_command = data.measure_command;
  for (const auto section :
       {best_section, search_section, race_section, funnel_section, outcome_section, roofline_section, knob_section,
        value_section, importance_section, trial_section, provenance_section}) {
    page.sections.push_back(section(data));
  }
  const std::size_t recorded = data.trials.size();
  page.trials = page_trials(data);
  thin(page.trials, max_trials);
  page.kept_note = recorded > page.trials.columns.size()
                       ? fmt::format(
                             "Of {} trials, the page has {}: the fastest half, and the latest of the others. "
                             "Counts and quartiles are of all.",
                             recorded, page.trials.columns.size())
                       : "";
  return page;
}

}  // namespace nestwright::report
