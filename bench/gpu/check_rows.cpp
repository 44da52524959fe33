#include "bench/gpu/check_rows.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright::bench {

const char* CheckRow::verdict() const {
  if (template_name.empty()) return "not checked";
  if (is_wrong()) return "wrong result";
  if (outcomes.contains(Outcome::kOk)) return "right";
  const bool compiled = std::any_of(outcomes.begin(), outcomes.end(), [](const auto& of) {
    return of.first != Outcome::kInvalidConfig && of.first != Outcome::kCompileError;
  });
  return compiled ? "never ran" : "never compiled";
}

std::vector<CheckRow> check_rows(std::span<const TrialRecord> trials, std::span<const std::string> workloads) {
  std::vector<CheckRow> rows;
  for (const TrialRecord& trial : trials) {
    const std::string& name = trial.point.template_name;
    auto row = std::find_if(rows.begin(), rows.end(), [&](const CheckRow& other) {
      return other.workload == trial.workload && other.template_name == name;
    });
    if (row == rows.end()) row = rows.insert(rows.end(), {trial.workload, name, {}, {}});
    const Outcome outcome = trial.measurement.outcome;
    const bool is_first_wrong = outcome == Outcome::kWrongResult && !row->is_wrong();
    if (is_first_wrong || row->message.empty()) row->message = trial.measurement.message;
    ++row->outcomes[outcome];
  }
  for (const std::string& workload : workloads) {
    const bool has_row =
        std::any_of(rows.begin(), rows.end(), [&](const CheckRow& row) { return row.workload == workload; });
    if (!has_row) rows.push_back({workload, "", {}, "the trials were over before it: give the check more of them"});
  }
  return rows;
}

std::string to_text(std::span<const CheckRow> rows) {
  std::string text;
  std::size_t right = 0;
  for (const CheckRow& row : rows) {
    if (std::string_view(row.verdict()) == "right") {
      ++right;
    } else {
      const std::string of = row.template_name.empty() ? "" : row.template_name + " of ";
      text += fmt::format("check: {}{}: {} ({})\n", of, row.workload, row.verdict(), row.message);
    }
  }
  return text + fmt::format("check: {} of {} workloads and templates gave right results\n", right, rows.size());
}

nlohmann::json to_json(std::span<const CheckRow> rows) {
  nlohmann::json list = nlohmann::json::array();
  for (const CheckRow& row : rows) {
    nlohmann::json outcomes = nlohmann::json::object();
    for (const auto& [outcome, count] : row.outcomes) outcomes[outcome_name(outcome)] = count;
    list.push_back({{"workload", row.workload},
                    {"template", row.template_name},
                    {"verdict", row.verdict()},
                    {"outcomes", std::move(outcomes)},
                    {"message", row.message}});
  }
  return list;
}

}  // namespace nestwright::bench
