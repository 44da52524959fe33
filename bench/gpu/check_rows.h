// Summarises a check of results on a device by workload and template. Thread rule: values and pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "nestwright/records.h"

namespace nestwright::bench {

struct CheckRow {
  std::string workload, template_name;  ///< no template: none of them had a trial
  std::map<Outcome, int> outcomes;      ///< number of trials by outcome
  std::string message;                  ///< of the first wrong result, else of the first failure

  bool is_wrong() const { return outcomes.contains(Outcome::kWrongResult); }
  /// "right", "wrong result", or, where no trial was right, "never compiled" or "never ran"; "not checked" without a
  /// template.
  const char* verdict() const;
};

/// The rows in the order of their first trials, and one for each of `workloads` that has none.
std::vector<CheckRow> check_rows(std::span<const TrialRecord> trials, std::span<const std::string> workloads);

/// One line for each row that is not right, and the number of rows that are.
std::string to_text(std::span<const CheckRow> rows);
nlohmann::json to_json(std::span<const CheckRow> rows);

}  // namespace nestwright::bench
