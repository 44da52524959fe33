// The report of a figure: the measured values beside their limits.
// Thread rule: pure functions, except publish.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nestwright::bench {

struct FigureRow {
  std::string what;         ///< "load core: clearly different"
  std::string value;        ///< "3.5%"
  std::string bar;          ///< the limit, "at most 5%"; empty: for information
  std::optional<bool> met;  ///< whether the limit is met; absent without one
};
/// Rows with `value` in `unit`: two decimals for an empty unit; one for "%", where `value` is a share.
FigureRow row_at_most(std::string what, double value, double bar, const std::string& unit = {});
FigureRow row_at_least(std::string what, double value, double bar, const std::string& unit = {});
FigureRow row_of(std::string what, double value, const std::string& unit = {});

struct FigureReport {
  std::string figure;         ///< "equal"
  nlohmann::json conditions;  ///< how it was measured: an object
  std::vector<FigureRow> rows;
  nlohmann::json details;  ///< all measurements
};

/// The rows as a table.
std::string to_text(const std::vector<FigureRow>& rows);
nlohmann::json to_json(const FigureReport& report);

/// Where a figure is published, and the commit that it is of.
struct Publication {
  std::string commit = "unknown";
  std::string json;  ///< file; empty: none
};
/// Prints the origin of the figure (commit, doctor's report) and the table, and writes the JSON document. Throws Error
/// where it cannot.
void publish(const FigureReport& report, const Publication& publication);

}  // namespace nestwright::bench
