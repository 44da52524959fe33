// Files in the format T4, in and out.

#include "logs/exchange/t4.h"

#include <gmock/gmock.h>

#include "logs/listing/log_reader.h"
#include "logs/upkeep/delete.h"
#include "nestwright/error.h"
#include "tests/logs/exchange/exchanged_files.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class T4 : public ::testing::Test {
 protected:
  ImportReport import(const std::string& file) { return import_records(db_, {.file = file}); }
  /// Imports a file with this text.
  ImportReport import_text(const std::string& text) {
    write_file(folder_.file("in.json"), text);
    return import_records(db_, {.file = folder_.file("in.json"), .format = "t4"});
  }
  std::string refusal(const std::string& text) {
    try {
      import_text(text);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  }
  /// What an export of the only task has.
  json exported() {
    export_records(db_, every_task(), "t4", folder_.file("out.json"));
    return json_of(folder_.file("out.json"));
  }
  std::vector<TrialRecord> trials() { return TuningLog::open(db_, OpenMode::kRead).trials(every_task()); }

  const TemporaryFolder folder_;
  const std::string db_ = folder_.file("log.db");
};

/// A file with one result, with `fields` in the place of its own.
std::string file_with(const json& fields, json metadata = nullptr) {
  json result = {{"timestamp", "2024-01-02 03:04:05+00:00"},
                 {"configuration", {{"block", 16}}},
                 {"times", {{"compilation", 10.5}, {"runtimes", {2.0, 3.0}}}},
                 {"invalidity", "correct"},
                 {"correctness", 1},
                 {"measurements", {{{"name", "time"}, {"value", 2.5}, {"unit", "ms"}}}},
                 {"objectives", {"time"}}};
  for (const auto& [name, value] : fields.items()) {
    if (value.is_null()) result.erase(name);
    if (!value.is_null()) result[name] = value;
  }
  json file = {{"results", {result}}, {"schema_version", "1.0.0"}};
  if (!metadata.is_null()) file["metadata"] = metadata;
  return file.dump();
}

TEST_F(T4, AFileOfKernelTunerIsATaskOfAnotherTuner) {
  const ImportReport report = import(recorded_file("scale_T4.json"));
  EXPECT_EQ(report.format, "t4");
  EXPECT_EQ(report.workload, "kernel_tuner:data");
  EXPECT_EQ(report.trials, 5);
  const std::vector<TrialRecord> all = trials();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].point.config.str(), "block=8 unroll=1 factor=1.5 mode=plain");
  EXPECT_EQ(all[0].point.template_name, "kernel_tuner:data");
  const Measurement& m = all[0].measurement;
  EXPECT_DOUBLE_EQ(m.timing.median_ns, 0.1771470010280609e6);
  EXPECT_DOUBLE_EQ(m.timing.samples_ns.at(0), 0.1987060010433197e6);
  EXPECT_DOUBLE_EQ(m.compile_ms, 151.11624100245535);
  EXPECT_DOUBLE_EQ(m.measure_ms, 0.7022950012469664);
  EXPECT_TRUE(m.evidence.verified);
  EXPECT_LE(m.timing.low_ns, m.timing.median_ns);
  EXPECT_GE(m.timing.high_ns, m.timing.median_ns);
  EXPECT_EQ(all[4].measurement.outcome, Outcome::kCompileError);
  EXPECT_EQ(all[4].measurement.timing.median_ns, 0);
  EXPECT_FALSE(all[4].measurement.evidence.verified);
}

TEST_F(T4, AFileThatIsExportedAgainHasTheSameFields) {
  import(recorded_file("scale_T4.json"));
  EXPECT_TRUE(are_equal(exported(), json_of(recorded_file("scale_T4.json")))) << exported().dump(1);
}

TEST_F(T4, AllFieldsOfTheSchemasComeBack) {
  const json measured = {{{"name", "GFLOP/s"}, {"value", 12.5}, {"unit", ""}},
                         {{"name", "time"}, {"value", 3}, {"unit", "us"}},
                         {{"name", "power"}, {"value", {1, 2}}, {"unit", "W"}, {"type", "Double"}}};
  const json times = {{"compilation_time", 2500}, {"runtimes", {3, 4, 5}}, {"framework", 0.25},
                      {"search_algorithm", 1},    {"validation", 7},       {"data", 9},
                      {"profiling_runs", 8}};
  const std::string text = file_with(
      {{"times", times}, {"measurements", measured}, {"compilation_data", {{"registers", 32}}}, {"note", "kept"}},
      {{"timeunit", "microseconds"}, {"device", "A 100"}, {"autotuner", "KTT"}, {"autotuner_version", "2.1"}});
  import_text(text);
  EXPECT_TRUE(are_equal(exported(), json::parse(text))) << exported().dump(1);
  const TrialRecord trial = trials().at(0);
  EXPECT_DOUBLE_EQ(trial.measurement.timing.median_ns, 3000);
  EXPECT_THAT(trial.measurement.timing.samples_ns, ElementsAre(3000, 4000, 5000));
  EXPECT_DOUBLE_EQ(trial.measurement.compile_ms, 2.5);
  EXPECT_DOUBLE_EQ(trial.measurement.check_ms, 0.007);
}

TEST_F(T4, EveryFieldThatMayBeAbsentStaysAbsent) {
  for (const json& without :
       {json{{"timestamp", nullptr}}, json{{"measurements", nullptr}}, json{{"objectives", nullptr}},
        json{{"times", json::object()}}, json{{"times", {{"runtimes", json::array()}}}}}) {
    const std::string text = file_with(without);
    std::filesystem::remove(db_);
    import_text(text);
    EXPECT_TRUE(are_equal(exported(), json::parse(text))) << exported().dump(1) << text;
  }
}

TEST_F(T4, EveryInvalidityIsAnOutcomeAndComesBack) {
  const std::pair<const char*, Outcome> kKinds[] = {
      {"timeout", Outcome::kTimeout},           {"compile", Outcome::kCompileError},
      {"runtime", Outcome::kLaunchError},       {"correctness", Outcome::kWrongResult},
      {"constraints", Outcome::kInvalidConfig}, {"correct", Outcome::kOk}};
  for (const auto& [name, outcome] : kKinds) {
    std::filesystem::remove(db_);
    const std::string text =
        file_with({{"invalidity", name}, {"correctness", outcome == Outcome::kWrongResult ? 0 : 1}});
    import_text(text);
    EXPECT_EQ(trials().at(0).measurement.outcome, outcome) << name;
    EXPECT_EQ(trials().at(0).measurement.message.empty(), outcome == Outcome::kOk) << name;
    EXPECT_TRUE(are_equal(exported(), json::parse(text))) << exported().dump(1);
  }
}

TEST_F(T4, ACorrectResultThatFailedTheCheckIsNotVerified) {
  const std::string text = file_with({{"correctness", 0}});
  import_text(text);
  EXPECT_FALSE(trials().at(0).measurement.evidence.verified);
  EXPECT_TRUE(are_equal(exported(), json::parse(text)));
}

TEST_F(T4, ATimeOfOldFilesThatMarksAFailureIsOne) {
  const std::string text = file_with({{"measurements", {{{"name", "time"}, {"value", 1e20}, {"unit", "ms"}}}}});
  import_text(text);
  EXPECT_EQ(trials().at(0).measurement.outcome, Outcome::kLaunchError);
  EXPECT_TRUE(are_equal(exported(), json::parse(text))) << exported().dump(1);
}

TEST_F(T4, AnObjectiveThatIsNoTimeIsKeptAndTheTimeIsUsed) {
  const json measured = {{{"name", "time"}, {"value", 2.5}, {"unit", ""}}, {{"name", "score"}, {"value", -0.5}}};
  const std::string text = file_with({{"objectives", {"score"}}, {"measurements", measured}});
  import_text(text);
  EXPECT_DOUBLE_EQ(trials().at(0).measurement.timing.median_ns, 2.5e6);
  EXPECT_TRUE(are_equal(exported(), json::parse(text))) << exported().dump(1);
}

TEST_F(T4, ACorrectResultWithoutATimeHasNone) {
  // As the hub's files of tuned hyperparameters.
  const json measured = {{{"name", "score"}, {"value", -0.333}, {"unit", ""}}};
  const std::string text = file_with(
      {{"objectives", {"score"}}, {"measurements", measured}, {"times", {{"compilation", 38.7}, {"framework", 2.05}}}},
      {{"timeunit", "miliseconds"}});
  import_text(text);
  EXPECT_EQ(trials().at(0).measurement.outcome, Outcome::kOk);
  EXPECT_EQ(trials().at(0).measurement.timing.median_ns, 0);
  EXPECT_TRUE(are_equal(exported(), json::parse(text))) << exported().dump(1);
}

TEST_F(T4, AFileIsNotImportedTwiceAndALongerOneAddsTheNewResults) {
  import(recorded_file("scale_T4.json"));
  const ImportReport again = import(recorded_file("scale_T4.json"));
  EXPECT_EQ(again.trials, 0);
  EXPECT_EQ(again.known, 5);
  json longer = json_of(recorded_file("scale_T4.json"));
  longer["results"].push_back(longer["results"][0]);
  longer["results"][5]["configuration"]["block"] = 99;
  longer["results"][5]["times"]["data"] = 77;
  std::filesystem::create_directory(folder_.file("data"));
  write_file(folder_.file("data/scale_T4.json"), longer.dump());
  const ImportReport more = import(folder_.file("data/scale_T4.json"));
  EXPECT_EQ(more.trials, 1);
  EXPECT_EQ(more.known, 5);
  EXPECT_TRUE(are_equal(exported()["results"], longer["results"])) << exported().dump(1);
}

TEST_F(T4, TimesOfFilesWithDifferentUnitsAreExportedInOne) {
  const json times = {{"compilation", 8.0}, {"framework", 4.0}, {"runtimes", {2.0, 3.0}}};
  const json measurements = {{{"name", "time"}, {"value", 2.0}, {"unit", ""}},
                             {{"name", "time_of_copies"}, {"value", 16.0}, {"unit", ""}},
                             {{"name", "energy"}, {"value", 5.0}, {"unit", "J"}}};
  const auto file_of = [&](int block, const char* unit) {
    return file_with({{"configuration", {{"block", block}}}, {"times", times}, {"measurements", measurements}},
                     {{"timeunit", unit}});
  };
  import_text(file_of(1, "seconds"));
  EXPECT_TRUE(are_equal(exported(), json::parse(file_of(1, "seconds")))) << exported().dump(1);
  import_text(file_of(2, "milliseconds"));
  const json results = exported()["results"];
  ASSERT_EQ(results.size(), 2u);
  EXPECT_DOUBLE_EQ(results[0]["times"]["framework"], 4000);
  EXPECT_DOUBLE_EQ(results[0]["times"]["compilation"], 8000);
  EXPECT_DOUBLE_EQ(results[0]["measurements"][0]["value"], 2000);
  EXPECT_DOUBLE_EQ(results[0]["measurements"][1]["value"], 16000);
  EXPECT_DOUBLE_EQ(results[0]["measurements"][2]["value"], 5);
  EXPECT_DOUBLE_EQ(results[1]["times"]["framework"], 4);
}

TEST_F(T4, AnImportAfterADeletionAddsWhatIsAbsent) {
  const std::string all = recorded_file("scale_T4.json");
  const json whole = json_of(all);
  // The second result is of a file of its own.
  json one = whole;
  one["results"] = json::array({whole["results"][1]});
  std::filesystem::create_directory(folder_.file("data"));
  write_file(folder_.file("data/scale_T4.json"), one.dump());
  import(folder_.file("data/scale_T4.json"));
  const SessionId first = LogReader(db_).sessions({.tasks = every_task()}).sessions.at(0).id;
  EXPECT_EQ(import(all).trials, 4);
  EXPECT_TRUE(are_equal(exported()["results"][4], whole["results"][4])) << "what is kept has another position";
  delete_sessions(db_, {.tasks = every_task(), .session = first}, false);
  ASSERT_EQ(trials().size(), 4u);
  const ImportReport again = import(all);
  EXPECT_EQ(again.trials, 1);
  EXPECT_EQ(again.known, 4);
  EXPECT_EQ(again.sessions, 0);
  EXPECT_TRUE(are_equal(exported()["results"], whole["results"])) << exported().dump(1);
  EXPECT_EQ(import(all).known, 5);
}

TEST_F(T4, WhatASessionKeepsOfAFileIsNotListedAsItsOptions) {
  import(recorded_file("scale_T4.json"));
  EXPECT_EQ(LogReader(db_).sessions({.tasks = every_task()}).sessions.at(0).options, "{}");
}

TEST_F(T4, AResultWithTheOtherNameOfItsTimeToCompileComesBack) {
  const std::string text =
      file_with({{"times", {{"compilation_time", 10.5}, {"framework", 1.5}, {"runtimes", {2.0, 3.0}}}}});
  import_text(text);
  EXPECT_DOUBLE_EQ(trials().at(0).measurement.compile_ms, 10.5);
  EXPECT_TRUE(are_equal(exported(), json::parse(text))) << exported().dump(1);
}

TEST_F(T4, AResultThatAnotherDatabaseReplacesKeepsItsTime) {
  import(recorded_file("scale_T4.json"));
  // In the order of the file, in which knobs are part of the identity of a configuration.
  auto other = nlohmann::ordered_json::parse(contents(recorded_file("scale_T4.json")));
  other["results"][0]["measurements"][0]["value"] = 0.5;
  other["results"][0]["timestamp"] = "2026-12-01 00:00:00+00:00";
  std::filesystem::create_directory(folder_.file("data"));
  write_file(folder_.file("data/scale_T4.json"), other.dump());
  const std::string theirs = folder_.file("other.db"), lines = folder_.file("other.jsonl");
  import_records(theirs, {.file = folder_.file("data/scale_T4.json")});
  export_records(theirs, every_task(), "jsonl", lines);
  import(lines);
  const json results = exported()["results"];
  ASSERT_EQ(results.size(), 5u);
  for (const json& result : results) {
    const bool is_right = result["invalidity"] == "correct";
    const bool has_time = !result["measurements"].empty() && result["measurements"][0]["name"] == "time";
    EXPECT_EQ(is_right, has_time) << result.dump();
  }
}

TEST_F(T4, NamesOfKernelAndDeviceCanBeGiven) {
  const ImportReport report =
      import_records(db_, {.file = recorded_file("scale_T4.json"), .kernel = "my kernel", .device = "my, device"});
  EXPECT_EQ(report.workload, "kernel_tuner:my_kernel");
  TaskFilter filter = every_task();
  filter.target = "foreign,device=my__device";
  filter.machine = "my, device";
  EXPECT_EQ(TuningLog::open(db_, OpenMode::kRead).trials(filter).size(), 5u);
}

TEST_F(T4, TheFolderNamesTheKernelOnlyIfTheFileNamesTheDevice) {
  json file = json_of(recorded_file("scale_T4.json"));
  file["metadata"]["device"] = "NVIDIA A100-PCIE-40GB";
  std::filesystem::create_directory(folder_.file("data"));
  const std::pair<const char*, const char*> kNames[] = {
      {"A100_T4.json", "data"}, {"matmul_T4.json", "matmul"}, {"A10_T4.json", "A10"}};
  for (const auto& [name, kernel] : kNames) {
    write_file(folder_.file(std::string("data/") + name), file.dump());
    const ImportReport report = import(folder_.file(std::string("data/") + name));
    EXPECT_EQ(report.workload, std::string("kernel_tuner:") + kernel);
  }
}

TEST_F(T4, BadFilesAreRefusedWithTheResultThatIsWrong) {
  const std::string one = file_with({});
  const std::pair<std::string, const char*> kRefused[] = {
      {R"({"schema_version": "1.0.0"})", "has no result in 'results'"},
      {R"({"results": []})", "has no result in 'results'"},
      {R"({"results": [3]})", "result 1 of file"},
      {file_with({{"configuration", nullptr}}), "has no 'configuration', which the schema requires"},
      {file_with({{"configuration", json::array()}}), "has a 'configuration' that is not an object"},
      {file_with({{"configuration", json::object()}}), "has an empty 'configuration'"},
      {file_with({{"configuration", {{"a b", 1}}}}), "has the parameter \"a b\", which is not a word without '='"},
      {file_with({{"configuration", {{"c=2", 1}}}}), "has the parameter \"c=2\""},
      {file_with({{"configuration", {{"", 1}}}}), "has the parameter \"\""},
      {file_with({{"times", nullptr}}), "has no 'times'"},
      {file_with({{"times", {{"runtimes", "fast"}}}}), "has 'runtimes' that are not a list"},
      {file_with({{"times", {{"runtimes", {"fast"}}}}}), "has 'runtimes' that are not all numbers"},
      {file_with({{"times", {{"runtimes", {1e308}}}}}), "has 'runtimes' that are too large"},
      {file_with({{"times", {{"compilation", "long"}}}}), "has a time 'compilation' that is not a number"},
      {file_with({{"invalidity", nullptr}}), "has no 'invalidity'"},
      {file_with({{"invalidity", "broken"}}), "has the 'invalidity' \"broken\", which is not in the schema"},
      {file_with({{"correctness", "yes"}}), "has a 'correctness' that is not a number"},
      {file_with({{"measurements", 3}}), "has 'measurements' that are not a list"},
      {file_with({{"measurements", {{{"name", "time"}, {"value", "x"}, {"unit", "ms"}}}}}), "its time is not a number"},
      {file_with({{"measurements", {{{"name", "time"}, {"value", -1}, {"unit", "ms"}}}}}), "has the time -1"},
      {file_with({{"timestamp", 3}}), "has a 'timestamp' that is not a text"},
      {file_with({}, {{"timeunit", "fortnights"}}), "unit of time 'fortnights'"},
      {R"({"schema_version": "2.0.0", "results": [{}]})", "has the schema version \"2.0.0\""},
      {one.substr(0, one.size() / 2), "is not complete"},
  };
  for (const auto& [text, reason] : kRefused) {
    const std::string message = refusal(text);
    EXPECT_THAT(message, HasSubstr(reason)) << text;
    EXPECT_THAT(message, HasSubstr(folder_.file("in.json")));
  }
  json twice = json::parse(one);
  twice["results"].push_back(twice["results"][0]);
  EXPECT_THAT(refusal(twice.dump()), HasSubstr("result 2 of file"));
  EXPECT_THAT(refusal(twice.dump()), HasSubstr("has a configuration that was there before: block=16"));
  EXPECT_FALSE(std::filesystem::exists(db_)) << "a refused file leaves a database";
}

}  // namespace
}  // namespace nestwright
