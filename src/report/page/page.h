// A page of pictures, tables and texts as one HTML file, which needs neither a server nor a network: Chart.js draws the
// pictures (embedded), and page.js binds the data to it. Whatever the page shows is data, never markup, so that no text
// of a database can become a tag.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "logs/listing/log_reader.h"

namespace nestwright::report {

/// How a series is drawn. Each has a shape of its own, so that series differ without colour.
enum class Mark : std::uint8_t {
  kDots,    ///< small dots, any number of them
  kPoints,  ///< large marks, with whiskers where low and high are given
  kLine,
  kSteps,  ///< a line that keeps its value up to the next point
  kBars,   ///< horizontal; y counts the categories
};

/// Marks of one kind. NaN is a gap.
struct Series {
  std::string name;
  Mark mark = Mark::kPoints;
  std::vector<double> x, y;
  std::vector<double> low, high;    ///< an interval around y, or around x if the chart is sideways; empty: none
  std::vector<std::string> labels;  ///< shown beside the numbers when the pointer is over a mark; empty: none
};

/// A series whose marks are trials of the task, so that the page holds their numbers once.
struct TrialSeries {
  std::string name;
  /// "number" (of the trial in its session), "seconds", "time" (in the session's unit), "compared" (compared_ns), or
  /// "knob:N" for TrialColumns::knobs[N].
  std::string x, y;
  SessionId session = 0;  ///< only trials of this session; 0: all
};

struct Axis {
  std::string label;  ///< with its unit, unless it is a time
  bool logarithmic = false;
  bool is_time = false;                 ///< nanoseconds, shown with a unit
  std::vector<std::string> categories;  ///< of the values 0, 1, ...; empty: numbers
};

struct Chart {
  std::string title, note;
  Axis x, y;
  std::vector<Series> series;
  std::vector<TrialSeries> trials;
  bool is_sideways = false;  ///< intervals are along x
};

/// A table of texts. Columns whose cells are numbers are aligned to the right.
struct Table {
  std::string title, note;
  std::vector<std::string> headings;
  std::vector<std::vector<std::string>> rows;
  /// One number from 0 to 1 for each cell of the rows, which shades its background; NaN: none. Empty: no shades.
  std::vector<std::vector<double>> shades = {};
};

/// Text in a fixed font: a loop nest, assembly, a command.
struct Text {
  std::string title, note, text;
};

/// A part of a page under a heading, drawn in this order. It is left out if it has nothing.
struct Section {
  std::string title, note;
  std::vector<Table> tables;
  std::vector<Chart> charts;
  std::vector<Text> texts;
  bool has_trials = false;  ///< the table of all trials
};

/// The trials of a task that a page has.
struct PageTrials {
  TrialColumns columns;
  std::vector<std::int32_t> number;  ///< of each trial in its session, from 1
  std::vector<double> compared_ns;   ///< its time in the unit that all have; 0: not sound, or not comparable
};

/// What the page shows of one task, chosen by its name.
struct TaskPage {
  std::string name;
  std::vector<Section> sections;
  PageTrials trials;
  std::string kept_note;  ///< which trials the page has; empty: all
  /// The beginning of the command that measures a trial again, to which "--template NAME --config '...'" is added;
  /// empty: this program cannot measure it.
  std::string measure_command;
};

struct Page {
  std::string title;
  std::string subtitle;           ///< one line below the title
  std::vector<Section> sections;  ///< of all tasks
  std::vector<TaskPage> tasks;
};

/// Returns the page as HTML.
std::string html(const Page& page);

}  // namespace nestwright::report
