// What a check of results on a device found, by workload and template. Thread rule: values and pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "logs/record.h"

namespace nestwright::bench {

struct CheckRow {
  std::string workload, template_name;
  std::map<Outcome, int> outcomes;  ///< trials of each
  std::string message;              ///< of the first wrong result, else of the first trial that failed

  bool is_wrong() const { return outcomes.contains(Outcome::kWrongResult); }
  /// "right", "wrong result", or where no trial was right "never compiled" or "never ran".
  const char* verdict() const;
};

/// In the order of their first trials.
std::vector<CheckRow> check_rows(std::span<const TrialRecord> trials);

/// One line for each that is not right, and how many are.
std::string to_text(std::span<const CheckRow> rows);
nlohmann::json to_json(std::span<const CheckRow> rows);

}  // namespace nestwright::bench
