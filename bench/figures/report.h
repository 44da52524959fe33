// One figure as it is told: what was measured, beside the bar that it is held against. Pure but for publish.
// Thread rule: one thread at a time.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nestwright::bench {

struct FigureRow {
  std::string what;         ///< "load core: clearly different"
  std::string value;        ///< "3.5%"
  std::string bar;          ///< "at most 5%"; empty: for information
  std::optional<bool> met;  ///< of rows with a bar
};
/// As `unit` says, with two digits after the point where that is empty, one where it is "%" and `value` is a share.
FigureRow row_at_most(std::string what, double value, double bar, const std::string& unit = {});
FigureRow row_at_least(std::string what, double value, double bar, const std::string& unit = {});
FigureRow row_of(std::string what, double value, const std::string& unit = {});

struct FigureReport {
  std::string figure;         ///< "equal"
  nlohmann::json conditions;  ///< how it was measured: an object
  std::vector<FigureRow> rows;
  nlohmann::json details;  ///< everything that was measured
};

/// The table of the rows.
std::string to_text(const std::vector<FigureRow>& rows);
nlohmann::json to_json(const FigureReport& report);

/// What every figure is told with.
struct Publication {
  std::string commit = "unknown";
  std::string json;  ///< file; empty: none
};
/// Prints where the figure comes from (commit, what doctor says) and the table, and writes the JSON document. Throws
/// Error where it cannot.
void publish(const FigureReport& report, const Publication& publication);

}  // namespace nestwright::bench
