#include "bench/figures/report/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright::bench {
namespace {

std::string number_text(double value, const std::string& unit) {
  if (unit == "%") return fmt::format("{:.1f}%", 100 * value);
  return fmt::format("{:.2f}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string bar_text(double bar, const std::string& unit) {
  if (unit == "%") return fmt::format("{:g}%", 100 * bar);
  return fmt::format("{:g}{}{}", bar, unit.empty() ? "" : " ", unit);
}

}  // namespace

FigureRow row_at_most(std::string what, double value, double bar, const std::string& unit) {
  return {std::move(what), number_text(value, unit), "at most " + bar_text(bar, unit), value <= bar};
}

FigureRow row_at_least(std::string what, double value, double bar, const std::string& unit) {
  return {std::move(what), number_text(value, unit), "at least " + bar_text(bar, unit), value >= bar};
}

FigureRow row_of(std::string what, double value, const std::string& unit) {
  return {std::move(what), number_text(value, unit), {}, std::nullopt};
}

std::string to_text(const std::vector<FigureRow>& rows) {
  std::size_t what = 0, value = 0, bar = 0;
  for (const FigureRow& row : rows) {
    what = std::max(what, row.what.size());
    value = std::max(value, row.value.size());
    bar = std::max(bar, row.bar.size());
  }
  std::string text;
  for (const FigureRow& row : rows) {
    std::string line = fmt::format("{:<{}}  {:>{}}  {:<{}}  {}", row.what, what, row.value, value, row.bar, bar,
                                   row.met ? (*row.met ? "met" : "MISSED") : "");
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

nlohmann::json to_json(const FigureReport& report) {
  nlohmann::json rows = nlohmann::json::array();
  for (const FigureRow& row : report.rows) {
    nlohmann::json one = {{"what", row.what}, {"value", row.value}};
    if (row.met) one.update({{"bar", row.bar}, {"met", *row.met}});
    rows.push_back(std::move(one));
  }
  return {{"figure", report.figure}, {"conditions", report.conditions}, {"rows", rows}, {"details", report.details}};
}

}  // namespace nestwright::bench
