// Cache files of Kernel Tuner, in and out.

#include "logs/exchange/kernel_tuner_cache.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "tests/logs/exchange/exchanged_files.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class KernelTunerCache : public ::testing::Test {
 protected:
  ImportReport import_text(const std::string& text) {
    write_file(folder_.file("in.json"), text);
    return import_records(db_, {.file = folder_.file("in.json")});
  }
  std::string refusal(const std::string& text) {
    try {
      import_text(text);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  }
  std::string exported_text(const std::string& format = "kernel-tuner") {
    export_records(db_, every_task(), format, folder_.file("out.json"));
    return contents(folder_.file("out.json"));
  }
  std::vector<TrialRecord> trials() { return TuningLog::open(db_, OpenMode::kRead).trials(every_task()); }

  const std::string text_ = contents(recorded_file("scale_cache.json"));
  const TemporaryFolder folder_;
  const std::string db_ = folder_.file("log.db");
};

TEST_F(KernelTunerCache, AFileIsATaskAndComesBack) {
  const ImportReport report = import_text(text_);
  EXPECT_EQ(report.format, "kernel-tuner");
  EXPECT_EQ(report.workload, "kernel_tuner:scale problem_size=100000");
  EXPECT_EQ(report.trials, 5);
  ASSERT_EQ(trials().size(), 5u);
  EXPECT_DOUBLE_EQ(trials()[0].measurement.timing.median_ns, 0.1771470010280609e6);
  EXPECT_EQ(trials()[4].measurement.outcome, Outcome::kCompileError);
  EXPECT_TRUE(are_equal(json::parse(exported_text()), json::parse(text_))) << exported_text();
  EXPECT_TRUE(exported_text().ends_with("}\n}\n")) << "Kernel Tuner takes it for a file that is not complete";
}

TEST_F(KernelTunerCache, TheFileOfARunThatHasNotEndedIsRead) {
  const std::size_t last = text_.find("\n\"24,4");
  for (const std::string& open : {text_.substr(0, last), text_.substr(0, last - 1), text_.substr(0, last) + "\n"}) {
    std::filesystem::remove(db_);
    EXPECT_EQ(import_text(open).trials, 4) << open;
  }
  EXPECT_THAT(refusal(text_.substr(0, last + 10)), HasSubstr("is not complete"));
  // The rest is added when it is there.
  EXPECT_EQ(import_text(text_).trials, 1);
  EXPECT_TRUE(are_equal(json::parse(exported_text()), json::parse(text_))) << exported_text();
}

TEST_F(KernelTunerCache, EveryKindOfFailureIsAnOutcomeAndComesBack) {
  json file = json::parse(text_);
  const std::pair<const char*, Outcome> kKinds[] = {{"InvalidConfig", Outcome::kInvalidConfig},
                                                    {"CompilationFailedConfig", Outcome::kCompileError},
                                                    {"RuntimeFailedConfig", Outcome::kLaunchError}};
  for (const auto& [name, outcome] : kKinds) {
    for (const char* field : {"time", "__error__"}) {
      std::filesystem::remove(db_);
      file["cache"]["24,4,1.5,plain"].erase("__error__");
      file["cache"]["24,4,1.5,plain"].erase("time");
      file["cache"]["24,4,1.5,plain"][field] = name;
      import_text(file.dump());
      const std::vector<TrialRecord> all = trials();
      EXPECT_EQ(std::ranges::count(all, outcome, [](const TrialRecord& t) { return t.measurement.outcome; }), 1);
      EXPECT_TRUE(are_equal(json::parse(exported_text()), file)) << exported_text();
    }
  }
}

TEST_F(KernelTunerCache, ResultsOfT4BecomeACacheThatItsSchemaAccepts) {
  import_records(db_, {.file = recorded_file("scale_T4.json")});
  const json file = json::parse(exported_text());
  // What kernel_tuner/schema/cache/1.1.0/schema.json requires.
  for (const char* field : {"schema_version", "device_name", "kernel_name", "problem_size", "tune_params_keys",
                            "tune_params", "objective", "cache"}) {
    EXPECT_TRUE(file.contains(field)) << field;
  }
  EXPECT_EQ(file["schema_version"], "1.1.0");
  EXPECT_EQ(file["tune_params"], json::parse(R"({"block":[8,16,24],"unroll":[1,4],"factor":[1.5],"mode":["plain"]})"));
  EXPECT_EQ(file["cache"].size(), 5u);
  for (const auto& [key, entry] : file["cache"].items()) {
    for (const char* field : {"time", "compile_time", "verification_time", "benchmark_time", "strategy_time",
                              "framework_time", "timestamp"}) {
      EXPECT_TRUE(entry.contains(field)) << key << " " << field;
    }
    for (const auto& name : file["tune_params_keys"]) EXPECT_TRUE(entry.contains(name));
  }
  EXPECT_EQ(file["cache"]["24,4,1.5,plain"]["time"], "CompilationFailedConfig");
  EXPECT_TRUE(file["cache"]["8,1,1.5,plain"]["time"].is_number());
}

TEST_F(KernelTunerCache, ACacheBecomesTheT4FileThatKernelTunerWrites) {
  import_text(text_);
  const json t4 = json::parse(exported_text("t4")), theirs = json_of(recorded_file("scale_T4.json"));
  ASSERT_EQ(t4["results"].size(), theirs["results"].size());
  for (std::size_t i = 0; i < t4["results"].size(); ++i) {
    const json &ours = t4["results"][i], &expected = theirs["results"][i];
    for (const char* field : {"timestamp", "configuration", "invalidity", "correctness", "objectives"}) {
      EXPECT_TRUE(are_equal(ours[field], expected[field])) << ours.dump();
    }
    for (const char* time : {"compilation", "benchmark", "validation"}) {
      EXPECT_TRUE(are_equal(ours["times"][time], expected["times"][time])) << ours.dump();
    }
  }
  EXPECT_TRUE(are_equal(t4["results"][0]["measurements"], theirs["results"][0]["measurements"]));
}

/// A file with these entries, with their names.
std::string cache_of(const std::vector<std::pair<std::string, json>>& configurations) {
  json file = {{"device_name", "A100"}, {"kernel_name", "scale"}, {"problem_size", {4}}};
  for (const auto& [name, value] : configurations.front().second.items()) {
    file["tune_params_keys"].push_back(name);
    file["tune_params"][name] = json::array({value});
  }
  for (const auto& [name, configuration] : configurations) {
    file["cache"][name] = configuration;
    file["cache"][name]["time"] = 1.5;
  }
  return file.dump();
}

TEST_F(KernelTunerCache, TheParametersOfAllFilesAreExported) {
  import_text(cache_of({{"1,1", {{"a", 1}, {"b", 1}}}, {"1,2", {{"a", 1}, {"b", 2}}}}));
  import_text(cache_of({{"2", {{"a", 2}}}, {"3", {{"a", 3}}}}));
  const json file = json::parse(exported_text());
  EXPECT_EQ(file["tune_params_keys"], json::parse(R"(["a", "b"])"));
  EXPECT_EQ(file["tune_params"], json::parse(R"({"a": [2, 1, 3], "b": [1, 2, null]})"));
  EXPECT_EQ(file["cache"].size(), 4u) << file.dump(1);
  EXPECT_EQ(file["cache"]["1,2"]["b"], 2);
  EXPECT_EQ(file["cache"]["2,None"]["b"], nullptr);
}

TEST_F(KernelTunerCache, NamesThatTwoFilesGiveAreNotWrittenTwice) {
  import_text(cache_of({{"first", {{"a", 1}}}}));
  import_text(cache_of({{"first", {{"a", 2}}}}));
  try {
    exported_text();
    FAIL() << "an entry hides another one";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("have the name 'first'"));
  }
}

TEST_F(KernelTunerCache, AWorkloadIsOfOneFormat) {
  import_text(text_);
  try {
    import_records(db_, {.file = recorded_file("scale_T4.json"), .kernel = "scale problem_size=100000"});
    import_records(db_, {.file = recorded_file("scale_T4.json"), .kernel = "scale"});
  } catch (const UsageError&) {
    FAIL() << "names that differ were taken for one";
  }
  json file = json::parse(text_);
  file.erase("problem_size");
  EXPECT_THAT(refusal(file.dump()), HasSubstr("has records of kernel_tuner:scale from another format (T4)"));
}

TEST_F(KernelTunerCache, BadFilesAreRefused) {
  const auto with = [&](const char* pointer, json value) {
    json file = json::parse(text_);
    file[json::json_pointer(pointer)] = std::move(value);
    return file.dump();
  };
  const auto without = [&](const char* field) {
    json file = json::parse(text_);
    file.erase(field);
    return file.dump();
  };
  const std::pair<std::string, const char*> kRefused[] = {
      {without("kernel_name"), "has no 'kernel_name'"},
      {without("device_name"), "has no 'device_name'"},
      {without("cache"), "has no entry in 'cache'"},
      {with("/cache", json::object()), "has no entry in 'cache'"},
      {with("/kernel_name", 3), "has a 'kernel_name' that is not a text"},
      {with("/tune_params_keys", "block"), "has 'tune_params_keys' that are not a list of names"},
      {with("/tune_params_keys/0", "size"), "has no value of the parameter 'size'"},
      {with("/cache/8,1,1.5,plain", 3), "is not an object"},
      {with("/cache/8,1,1.5,plain/time", "soon"), "its time is not a number"},
      {with("/cache/8,1,1.5,plain/times", 3), "has 'runtimes' that are not a list"},
      {with("/schema_version", "2.0.0"), "has the schema version \"2.0.0\""},
      {with("/cache/8,1,1.5,plain/block", 16), "has a configuration that was there before"},
  };
  for (const auto& [text, reason] : kRefused) EXPECT_THAT(refusal(text), HasSubstr(reason)) << text;
}

}  // namespace
}  // namespace nestwright
