#include "report/page/page.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "nestwright/error.h"
#include "report/page/compressed.h"
#include "report/page/page_text.h"

namespace nestwright::report {
namespace {

using Value = nlohmann::json;

/// Four significant digits, as an integer where that loses nothing. Null for NaN.
Value rounded(double number) {
  if (!std::isfinite(number)) return nullptr;
  if (number == 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(std::abs(number))) - 3);
  const double value = std::round(number / unit) * unit;
  if (unit >= 1 || value == std::round(value)) return static_cast<std::int64_t>(std::llround(value));
  return std::round(value * 1e9) / 1e9;
}

Value rounded_list(const std::vector<double>& numbers) {
  Value list = Value::array();
  for (const double number : numbers) list.push_back(rounded(number));
  return list;
}

/// The differences from each number to the next: gzip makes nearly nothing of numbers that count.
template <class Number>
std::vector<std::int64_t> differences(const std::vector<Number>& numbers, double scale = 1) {
  std::vector<std::int64_t> list;
  std::int64_t before = 0;
  for (const Number number : numbers) {
    const std::int64_t now = std::llround(static_cast<double>(number) * scale);
    list.push_back(now - before);
    before = now;
  }
  return list;
}

const char* mark_name(Mark mark) {
  switch (mark) {
    case Mark::kDots:
      return "dots";
    case Mark::kPoints:
      return "points";
    case Mark::kLine:
      return "line";
    case Mark::kSteps:
      return "steps";
    case Mark::kBars:
      return "bars";
  }
  return "points";
}

Value value_of(const Axis& axis) {
  return {{"label", axis.label}, {"log", axis.logarithmic}, {"time", axis.is_time}, {"categories", axis.categories}};
}

Value value_of(const Chart& chart) {
  Value series = Value::array();
  for (const Series& s : chart.series) {
    series.push_back({{"name", s.name},
                      {"mark", mark_name(s.mark)},
                      {"x", rounded_list(s.x)},
                      {"y", rounded_list(s.y)},
                      {"low", rounded_list(s.low)},
                      {"high", rounded_list(s.high)},
                      {"labels", s.labels}});
  }
  Value trials = Value::array();
  for (const TrialSeries& s : chart.trials) {
    trials.push_back({{"name", s.name}, {"x", s.x}, {"y", s.y}, {"session", s.session}});
  }
  return {{"title", chart.title},          {"note", chart.note}, {"x", value_of(chart.x)}, {"y", value_of(chart.y)},
          {"sideways", chart.is_sideways}, {"series", series},   {"trials", trials}};
}

Value value_of(const Table& table) {
  Value shades = Value::array();
  for (const std::vector<double>& row : table.shades) shades.push_back(rounded_list(row));
  return {{"title", table.title},
          {"note", table.note},
          {"headings", table.headings},
          {"rows", table.rows},
          {"shades", shades}};
}

Value value_of(const Section& section) {
  Value tables = Value::array(), charts = Value::array(), texts = Value::array();
  for (const Table& table : section.tables) tables.push_back(value_of(table));
  for (const Chart& chart : section.charts) charts.push_back(value_of(chart));
  for (const Text& text : section.texts) {
    texts.push_back({{"title", text.title}, {"note", text.note}, {"text", text.text}});
  }
  return {{"title", section.title}, {"note", section.note}, {"tables", tables},
          {"charts", charts},       {"texts", texts},       {"trials", section.has_trials}};
}

/// Whether the section shows anything.
bool is_shown(const Section& section) {
  return section.has_trials || !section.tables.empty() || !section.charts.empty() || !section.texts.empty();
}

Value values_of(const std::vector<Section>& sections) {
  Value list = Value::array();
  for (const Section& section : sections) {
    if (is_shown(section)) list.push_back(value_of(section));
  }
  return list;
}

Value value_of(const PageTrials& page) {
  const TrialColumns& trials = page.columns;
  Value spaces = Value::array(), knobs = Value::array();
  for (const TemplateVersion& space : trials.spaces) spaces.push_back(space.name);
  for (const KnobColumn& column : trials.knobs) {
    knobs.push_back(
        {{"space", column.space}, {"knob", column.knob}, {"values", column.values}, {"value", column.value}});
  }
  std::vector<std::int64_t> below, above;  // the ends of the intervals, in thousandths of the median
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const double median = trials.median_ns[i];
    below.push_back(median > 0 ? std::llround(1000 * (1 - trials.low_ns[i] / median)) : 0);
    above.push_back(median > 0 ? std::llround(1000 * (trials.high_ns[i] / median - 1)) : 0);
  }
  std::vector<std::uint8_t> timed;
  for (std::size_t i = 0; i < trials.size(); ++i) timed.push_back(trials.is_timed(i) ? 1 : 0);
  return {{"spaces", spaces},
          {"messages", trials.messages},
          {"origins", trials.origins},
          {"id", differences(trials.id)},
          {"session", differences(trials.session)},
          {"deciseconds", differences(trials.seconds, 10)},
          {"outcome", trials.outcome},
          {"flags", trials.flags},
          {"timed", timed},
          {"time", rounded_list(trials.median_ns)},
          {"below", below},
          {"above", above},
          {"space", trials.space},
          {"message", trials.message},
          {"origin", trials.origin},
          {"number", differences(page.number)},
          {"compared", rounded_list(page.compared_ns)},
          {"knobs", knobs}};
}

Value value_of(const TaskPage& task) {
  return {{"name", task.name},
          {"measure", task.measure_command},
          {"kept", task.kept_note},
          {"sections", values_of(task.sections)},
          {"trials", value_of(task.trials)}};
}

/// What is said of a trial beside its outcome.
Value flag_names() {
  Value names = Value::array();
  const auto add = [&](TrialFlag flag, const char* name) {
    names.push_back({{"bit", static_cast<int>(flag)}, {"name", name}});
  };
  add(kIsDisturbed, "disturbed");
  add(kEndedEarly, "ended early");
  add(kIsCopy, "same code");
  add(kIsPart, "part");
  return names;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// Replaces each "@NAME@" of the page's markup by the text of that name.
std::string filled(std::string_view markup, const std::map<std::string_view, std::string_view>& texts) {
  std::string out;
  while (true) {
    const std::size_t open = markup.find('@');
    out += markup.substr(0, open);
    if (open == std::string_view::npos) return out;
    const std::size_t close = markup.find('@', open + 1);
    check(close != std::string_view::npos, "a mark of page.html does not end");
    out += texts.at(markup.substr(open + 1, close - open - 1));
    markup.remove_prefix(close + 1);
  }
}

}  // namespace

std::string html(const Page& page) {
  Value outcomes = Value::array();
  for (int outcome = 0; outcome <= static_cast<int>(Outcome::kWrongResult); ++outcome) {
    outcomes.push_back(outcome_name(static_cast<Outcome>(outcome)));
  }
  Value tasks = Value::array();
  for (const TaskPage& task : page.tasks) tasks.push_back(value_of(task));
  const Value data = {{"title", page.title},
                      {"subtitle", page.subtitle},
                      {"names", {{"outcomes", outcomes}, {"flags", flag_names()}}},
                      {"sections", values_of(page.sections)},
                      {"tasks", tasks}};
  const std::string title = escaped(page.title);
  const std::string compressed = gzip_base64(data.dump(-1, ' ', false, Value::error_handler_t::replace));
  return filled(page_text("page.html"), {{"title", title},
                                         {"style", page_text("page.css")},
                                         {"data", compressed},
                                         {"chart", page_text("chart.js")},
                                         {"script", page_text("page.js")}});
}

}  // namespace nestwright::report
