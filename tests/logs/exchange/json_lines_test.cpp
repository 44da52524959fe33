// Records as lines of JSON lose nothing.

#include "logs/exchange/json_lines.h"

#include <gmock/gmock.h>

#include <limits>
#include <sstream>

#include "logs/exchange/row_json.h"
#include "nestwright/error.h"
#include "tests/logs/exchange/exchanged_files.h"
#include "tests/logs/recorded_runs.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class JsonLines : public RecordedRuns {
 protected:
  /// Two tasks, one of another tuner, with every kind of row.
  void record_everything() {
    const SessionId session = run({timed(100), timed(110), failed(Outcome::kWrongResult, "A[\"\n\"] is ü")});
    log_.set_anchor(session, trials_[0], 80.25);
    log_.set_incumbent(session, trials_[1]);
    log_.set_drift(session, 0.0125);
    log_.describe_space(session, {"matmul.cpu", 1}, 1e12, true);
    log_.raise_limits(task_.machine + "; threads 2", {118.5, 300});
    log_.raise_limits("another machine; threads 2", {1, 2});
    log_.record_race(session, race_of({{trials_[0], 99}, {trials_[1], 101}}, 0));
    log_.end_session(session, SessionStatus::kDone, "done");
    Measurement odd = disturbed(1e-300);
    odd.evidence.largest_error = std::numeric_limits<double>::infinity();
    odd.evidence.largest_error_ratio = std::numeric_limits<double>::quiet_NaN();
    odd.timing.samples_ns = {1, std::numeric_limits<double>::quiet_NaN()};
    const SessionId second = run({odd, timed(120)});
    log_.commit_batch(second, 1, points(500, 3));
    run(task_of(matmul(8, 8, 8)), {timed(10)});
    import_records(path_, {.file = recorded_file("scale_cache.json")});
    NetworkRecord network{.key = {"a graph", task_.target, task_.machine, task_.backend, "stream"},
                          .model = "net.onnx"};
    network.variant.blocked[16] = {1, 2};
    network.kernels = {{task_.workload.text, point(1), {point(0), point(1)}, 12.5}};
    network.timing.median_ns = 1e6;
    log_.record_network(network);
  }
  std::string exported(const std::string& database, const TaskFilter& filter = every_task()) {
    export_records(database, filter, "jsonl", out_);
    return contents(out_);
  }
  ImportReport import(const std::string& database, const std::string& text) {
    write_file(in_, text);
    return import_records(database, {.file = in_});
  }

  const TemporaryFolder other_;
  const std::string out_ = other_.file("out.jsonl"), in_ = other_.file("in.jsonl"), copy_ = other_.file("copy.db");
};

TEST_F(JsonLines, AnImportIntoANewDatabaseExportsTheSameText) {
  record_everything();
  const std::string text = exported(path_);
  EXPECT_EQ(import(copy_, text).trials, 11);
  EXPECT_EQ(exported(copy_), text);

  const TuningLog copy = TuningLog::open(copy_, OpenMode::kRead);
  const auto here = log_.best(filter_of(task_)), there = copy.best(filter_of(task_));
  ASSERT_TRUE(here && there);
  EXPECT_EQ(there->trial, here->trial);
  EXPECT_EQ(there->timing.median_ns, here->timing.median_ns);
  EXPECT_EQ(there->recorded_at, here->recorded_at);
  EXPECT_EQ(copy.totals(task_).trials, log_.totals(task_).trials);
  EXPECT_DOUBLE_EQ(copy.totals(task_).seconds, log_.totals(task_).seconds);
  EXPECT_EQ(copy.list({}).size(), 2u);
}

TEST_F(JsonLines, EveryColumnOfEveryTableIsInTheFile) {
  record_everything();
  std::istringstream lines(exported(path_));
  std::map<std::string, std::set<std::string>> written;
  for (std::string line; std::getline(lines, line);) {
    const json row = json::parse(line);
    if (!row.contains("table")) continue;
    for (const auto& [name, value] : row.items()) written[row["table"]].insert(name);
  }
  sqlite::Database database(path_, path_, SQLITE_OPEN_READONLY, 1000);
  sqlite::Statement tables = database.prepare(
      "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c WHERE m.type = 'table'");
  int columns = 0;
  while (tables.step()) {
    const std::string table = tables.text(0), column = tables.text(1);
    if (table == "outcome" || table == "pipeline") continue;  // the same in every database
    const bool is_kept_by_triggers = column == "trials" || column == "spent_ms" || column == "unmeasured";
    EXPECT_EQ(written[table].contains(column), !is_kept_by_triggers) << table << "." << column;
    ++columns;
  }
  EXPECT_GT(columns, 90);
}

TEST_F(JsonLines, NumbersThatAreNotFiniteAndTextsOfAllKindsAreKept) {
  record_everything();
  const std::string text = exported(path_);
  EXPECT_THAT(text, HasSubstr(R"("largest_error":"Infinity")"));
  EXPECT_THAT(text, HasSubstr(R"("samples_ns":[1.0,null])"));
  EXPECT_THAT(text, HasSubstr(R"("knobs":{"unroll_k":)"));
  import(copy_, text);
  for (const TrialRecord& trial : TuningLog::open(copy_, OpenMode::kRead).trials(every_task())) {
    if (trial.measurement.outcome == Outcome::kWrongResult) {
      EXPECT_EQ(trial.measurement.message, "A[\"\n\"] is ü");
    }
  }
}

TEST_F(JsonLines, OneTaskIsExportedWithWhatItRefersTo) {
  record_everything();
  import(copy_, exported(path_, filter_of(task_)));
  const TuningLog copy = TuningLog::open(copy_, OpenMode::kRead);
  EXPECT_EQ(copy.trials(every_task()).size(), 5u);
  EXPECT_EQ(copy.best(filter_of(task_))->trial, log_.best(filter_of(task_))->trial);
  EXPECT_EQ(exported(copy_).find("another machine"), std::string::npos);
  EXPECT_THAT(exported(copy_), HasSubstr("machine_limit"));
}

TEST_F(JsonLines, LimitsOfMachinesWithoutTasksAreExportedWithEverything) {
  record_everything();
  EXPECT_THAT(exported(path_), HasSubstr("another machine"));
}

TEST_F(JsonLines, ATextThatLooksLikeDeepJsonStaysAText) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  run({failed(Outcome::kCrash, deep)});
  import(copy_, exported(path_));
  EXPECT_EQ(TuningLog::open(copy_, OpenMode::kRead).trials(every_task()).at(0).measurement.message, deep);
}

TEST_F(JsonLines, MeasurementsThatAnImportReplacesAreCounted) {
  run({timed(100), timed(110)});
  const std::string older = exported(path_);
  import(copy_, older);
  std::string newer = older;
  for (const auto& [from, to] : {std::pair("\"median_ns\":100.0", "\"median_ns\":50.0"),
                                 std::pair("\"started_at\":\"20", "\"started_at\":\"30")}) {
    newer.replace(newer.find(from), std::string(from).size(), to);
  }
  const ImportReport report = import(copy_, newer);
  EXPECT_EQ(report.trials, 0);
  EXPECT_EQ(report.replaced, 2) << "of two equal measurements, that of the later session stays";
  EXPECT_EQ(report.known, 0);
  const ImportReport again = import(copy_, newer);
  EXPECT_EQ(again.replaced, 0);
  EXPECT_EQ(again.known, 2);
}

TEST_F(JsonLines, ErrorsNameTheFileAndNotATemporaryDatabase) {
  run({timed(100)});
  std::string lines = exported(path_);
  import(copy_, lines);
  constexpr std::string_view kSource = "\"source\":\"\"";
  lines.replace(lines.find(kSource), kSource.size(), "\"source\":\"T4\"");
  try {
    import(copy_, lines);
    FAIL() << "a workload has two sources";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("file '" + in_ + "' has records of matmul m=512 n=512 k=512 from T4, but database '" + copy_ +
                          "' has some from Nestwright"));
  }
  write_file(copy_, "not a database");
  EXPECT_THROW(import(copy_, exported(path_)), LogError);
}

TEST_F(JsonLines, AnImportIntoADatabaseAddsWhatItDoesNotHave) {
  record_everything();
  import_records(copy_, {.file = recorded_file("scale_T4.json")});
  log_ = TuningLog::open(path_, OpenMode::kWrite);  // its sessions have ended
  const std::string text = exported(path_);
  const ImportReport first = import(copy_, text), again = import(copy_, text);
  EXPECT_EQ(first.trials, 11);
  EXPECT_EQ(first.known, 0);
  EXPECT_EQ(again.trials, 0);
  EXPECT_EQ(again.known, 11);
  EXPECT_EQ(again.sessions, 0);
  const TuningLog copy = TuningLog::open(copy_, OpenMode::kRead);
  EXPECT_EQ(copy.trials(every_task()).size(), 16u);
  EXPECT_EQ(copy.best(filter_of(task_))->timing.median_ns, log_.best(filter_of(task_))->timing.median_ns);
  // What other tuners' files have beside the columns moved with their sessions.
  TaskFilter cache = every_task();
  cache.workload = "kernel_tuner:scale problem_size=100000";
  export_records(copy_, cache, "kernel-tuner", out_);
  EXPECT_TRUE(are_equal(json_of(out_), json_of(recorded_file("scale_cache.json")))) << contents(out_);
}

TEST_F(JsonLines, BadLinesAreRefusedWithTheirNumbers) {
  record_everything();
  const std::string text = exported(path_);
  const std::string header = text.substr(0, text.find('\n') + 1);
  const std::size_t second_end = text.find('\n', header.size()) + 1;
  const std::string second = text.substr(header.size(), second_end - header.size());
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    const std::size_t at = other.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return other.replace(at, from.size(), to);
  };
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']') + "}\n";
  const std::pair<std::string, const char*> kRefused[] = {
      {text.substr(0, text.rfind("{\"rows\"")), "has no last line with the number of rows"},
      {text.substr(0, text.size() / 2), " of file '"},
      {changed("\"version\":1", "\"version\":2"), "line 1 of file"},
      {changed("\"version\":1", "\"version\":2"), "has version 2 and schema"},
      {changed("\"schema\":", "\"schema\":9"), "but this nestwright reads"},
      {header + "{\"table\":\"secrets\"}\n", "line 2 of file"},
      {header + "{\"table\":\"target; DROP TABLE trial\"}\n", "has no 'table' that this nestwright knows"},
      {header + "{\"table\":\"target\",\"id, target\":1}\n", "has a column 'id, target' that the table target"},
      {header + "{\"table\":\"target\"}\n", "has no column of the table target"},
      {text.substr(0, text.rfind("{\"rows\"")) + second, "has a row of the table target, which must come before"},
      {header + "{\"table\":\"target\",\"target\":" + deep, "has more than 64 lists and objects in each other"},
      {header + "[1]\n", "is not an object"},
      {header + "{\"table\":\"target\",\"id\":1e999}\n", "is not JSON in UTF-8, or has a number that is too large"},
      {header + "{\"table\":\"target\",\"target\":\"\xff\"}\n", "is not JSON in UTF-8"},
      {header + second + second, "line 3 of file"},
      {header + second + second, "contradicts the rows before it"},
      {header + "{\"table\":\"target\",\"id\":\"one\"}\n", "has a 'id' that is not an integer of 64 bits"},
      {header + "{\"table\":\"target\",\"id\":18446744073709551615}\n", "has a 'id' that is not an integer of 64 bits"},
      {changed("\"median_ns\":100.0", "\"median_ns\":\"fast\""), "has a 'median_ns' that is not a number"},
      {changed("\"outcome\":0", "\"outcome\":77"), "without the row of the table outcome"},
      {changed("\"knobs\":{", "\"knobs\":\"{"), "is not JSON"},
      {text + "{\"rows\":1}\n", "follows the last one"},
      {header + "{\"rows\":5}\n", "says that there are 5 rows, not 0"},
  };
  for (const auto& [lines, reason] : kRefused) {
    try {
      import(copy_, lines);
      ADD_FAILURE() << "was read: " << reason;
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), HasSubstr(reason));
      EXPECT_THAT(e.what(), HasSubstr(in_));
    }
    EXPECT_FALSE(std::filesystem::exists(copy_)) << "something of a refused file was recorded";
  }
}

}  // namespace
}  // namespace nestwright
