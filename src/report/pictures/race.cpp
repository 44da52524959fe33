#include <fmt/format.h>

#include <algorithm>

#include "measure/race/process_range.h"
#include "report/pictures/sections.h"
#include "support/base/format_time.h"

namespace nestwright::report {
namespace {

std::string entry_name(const RecordedRace& race, const RecordedRace::Entry& entry) {
  const bool won = entry.trial == race.winner;
  const std::string verdict = won ? ", won" : entry.tied ? ", tied" : "";
  return fmt::format("{}{} {}{}",
                     entry.role == "default"        ? "default, "
                     : entry.role == kIncumbentRole ? "stored best, "
                                                    : "",
                     "trial", entry.trial, verdict);
}

Table entries_table(const RecordedRace& race, const std::vector<const RecordedRace::Entry*>& entries) {
  Table table{"Entries", "", {"entry", "time", "low", "high", "processes", "slow", "outcome", "configuration"}, {}};
  for (const RecordedRace::Entry* entry : entries) {
    const Timing& timing = entry->measurement.timing;
    const ProcessRange range = process_range(entry->process_medians_ns);
    const bool is_timed = timing.median_ns > 0;
    table.rows.push_back({entry_name(race, *entry), is_timed ? format_time(timing.median_ns) : "",
                          is_timed ? format_time(timing.low_ns) : "", is_timed ? format_time(timing.high_ns) : "",
                          fmt::to_string(range.processes), fmt::to_string(range.slow),
                          entry->measurement.outcome == Outcome::kOk ? "ok" : entry->measurement.message,
                          entry->point.template_name + ": " + entry->point.config.str()});
  }
  return table;
}

}  // namespace

Section race_section(const TaskData& data) {
  if (data.races.empty()) return {};
  const auto undisturbed = std::find_if(data.races.rbegin(), data.races.rend(),
                                        [](const RecordedRace& race) { return race.disturbance.empty(); });
  const RecordedRace& race = undisturbed == data.races.rend() ? data.races.back() : *undisturbed;
  Section section{"Final race",
                  fmt::format("The last {}, of session {}, {}. Each mark is the median of one fresh process; the "
                              "entries' processes take turns. The whisker is the range in which 90% of undisturbed "
                              "processes lie.",
                              race.disturbance.empty() ? "undisturbed race"
                                                       : "race, on a disturbed machine (" + race.disturbance + ")",
                              race.session, race.recorded_at),
                  {},
                  {},
                  {},
                  false};
  std::vector<const RecordedRace::Entry*> entries;
  for (const RecordedRace::Entry& entry : race.entries) entries.push_back(&entry);
  std::stable_sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) {
    const double x = a->measurement.timing.median_ns, y = b->measurement.timing.median_ns;
    return x > 0 && (y <= 0 || x < y);
  });
  Chart chart{"Processes of each entry", "", {"time", false, true, {}}, {"", false, false, {}}, {}, {}, true};
  Series processes{"one process", Mark::kPoints, {}, {}, {}, {}, {}};
  Series reported{"reported, with its range", Mark::kPoints, {}, {}, {}, {}, {}};
  for (std::size_t e = 0; e < entries.size(); ++e) {
    chart.y.categories.push_back(entry_name(race, *entries[e]));
    const auto row = static_cast<double>(e);
    for (const double median : entries[e]->process_medians_ns) {
      processes.x.push_back(median);
      processes.y.push_back(row);
    }
    const Timing& timing = entries[e]->measurement.timing;
    if (timing.median_ns <= 0) continue;
    reported.x.push_back(timing.median_ns);
    reported.y.push_back(row);
    reported.low.push_back(timing.low_ns);
    reported.high.push_back(timing.high_ns);
    reported.labels.push_back(entries[e]->point.config.str());
  }
  chart.series = {std::move(processes), std::move(reported)};
  section.charts.push_back(std::move(chart));
  section.tables.push_back(entries_table(race, entries));
  return section;
}

}  // namespace nestwright::report
