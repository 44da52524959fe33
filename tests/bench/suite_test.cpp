#include "bench/support/suite.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

using ::testing::ThrowsMessage;

const std::filesystem::path kSuites = NESTWRIGHT_SOURCE_DIR "/bench/suites";

TEST(Suite, IsReadInOrderAndWorkloadsAreCanonical) {
  const Suite suite = parse_suite(
      R"({"summary": "two products", "entries": [
           {"label": "first", "workload": "matmul k=3 m=1 n=2"},
           {"label": "second", "workload": "matmul m=1 n=2 k=3 tb=1"}]})",
      "mine", "mine.json");
  EXPECT_EQ(suite.name, "mine");
  EXPECT_EQ(suite.summary, "two products");
  ASSERT_EQ(suite.entries.size(), 2u);
  EXPECT_EQ(suite.entries[0].label, "first");
  EXPECT_EQ(suite.entries[0].text, "matmul m=1 n=2 k=3");
  ASSERT_TRUE(suite.entries[1].workload.has_value());
  EXPECT_TRUE(suite.entries[1].workload->flag("tb"));
}

TEST(Suite, AnOperatorThatIsStillToComeStays) {
  const Suite suite = parse_suite(
      R"({"summary": "s", "entries": [{"label": "later", "workload": "frobnicate rows=3 axis=both"}]})", "s", "s.json");
  ASSERT_EQ(suite.entries.size(), 1u);
  EXPECT_FALSE(suite.entries[0].workload.has_value());
  EXPECT_EQ(suite.entries[0].text, "frobnicate rows=3 axis=both");
}

void refuses(const std::string& json, const std::string& message) {
  EXPECT_THAT([&] { parse_suite(json, "bad", "bad.json"); }, ThrowsMessage<UsageError>(message)) << json;
}

std::string with_entries(const std::string& entries) { return R"({"summary": "s", "entries": [)" + entries + "]}"; }

TEST(Suite, BadFilesGetOneSentence) {
  refuses("", "suite bad.json: is no JSON at line 1, column 1; look there for a missing comma, quote or bracket");
  refuses("[]", "suite bad.json: \"entries\" must be a list of at least one entry");
}

TEST(Suite, BadEntriesAreNamed) {
  const std::string good = R"({"label": "good", "workload": "matmul m=1 n=1 k=1"})";
  refuses(with_entries(R"({"label": "x"})"), "suite bad.json, line 1, entry 1 (x): \"workload\" is missing");
  refuses(with_entries(good + R"(, {"label": "x", "workload": "matmul m=0 n=1 k=1"})"),
          "suite bad.json, line 1, entry 2 (x): m=0 of matmul is illegal: m (the number of rows of C) is an "
          "integer from 1 to 2147483647");
  refuses(with_entries(R"({"label": "x", "workload": "softmax 128"})"),
          "suite bad.json, line 1, entry 1 (x): '128' in the workload is no parameter; write name=value, with the "
          "parameters "
          "rows, columns, dtype of softmax");
  refuses(with_entries(good + R"(, {"label": "again", "workload": "matmul k=1 n=1 m=1"})"),
          "suite bad.json, line 1, entry 2 (again): matmul m=1 n=1 k=1 is entry 1 already; give it once");
}

TEST(Suite, IsFoundByNameOrAsAFile) {
  EXPECT_EQ(load_suite("ragged", kSuites).name, "ragged");
  const std::filesystem::path own = std::filesystem::temp_directory_path() / "nestwright_own_suite.json";
  std::ofstream(own) << with_entries(R"({"label": "x", "workload": "matmul m=1 n=1 k=1"})");
  EXPECT_EQ(load_suite(own, kSuites).name, "nestwright_own_suite");
  std::filesystem::remove(own);
  EXPECT_THAT([] { load_suite("gem", kSuites); },
              ThrowsMessage<UsageError>("there is no suite 'gem'; the suites are batched, convolution, depthwise, "
                                        "epilogues, gemm, gpu_check, gpu_first, "
                                        "gpu_matmul, "
                                        "gpu_memory_bound, gpu_tensor_cores, low_precision, memory_bound, ragged, "
                                        "resnet18, search, transposed, and a file of "
                                        "your own will do"));
}

TEST(Suite, ThoseThatComeWithItHaveTheShapesOfTheField) {
  const auto entries = [](const char* name) { return load_suite(name, kSuites).entries; };
  EXPECT_EQ(entries("gemm").size(), 26u);
  EXPECT_EQ(entries("low_precision").size(), 33u);
  EXPECT_EQ(entries("ragged").size(), 5u);
  EXPECT_EQ(entries("transposed").size(), 18u);
  EXPECT_EQ(entries("batched").size(), 12u);
  EXPECT_EQ(entries("epilogues").size(), 6u);
  EXPECT_EQ(entries("memory_bound").size(), 14u);
  EXPECT_EQ(entries("convolution").size(), 13u);
  for (const char* name : {"gemm", "ragged", "transposed", "batched", "epilogues", "convolution"}) {
    for (const SuiteEntry& entry : entries(name)) EXPECT_TRUE(entry.workload.has_value()) << entry.label;
  }
}

TEST(Suite, OfSingleWorkloads) {
  const Suite suite = suite_of_workloads({"matmul m=1 n=1 k=1", "matmul m=2 n=2 k=2"});
  ASSERT_EQ(suite.entries.size(), 2u);
  EXPECT_EQ(suite.entries[1].label, "matmul m=2 n=2 k=2");
  EXPECT_THROW(suite_of_workloads({"matmul m=1"}), UsageError);
  EXPECT_THROW(suite_of_workloads({"matmul m=1 n=1 k=1", "matmul n=1 m=1 k=1"}), UsageError);
}

}  // namespace
}  // namespace nestwright::bench
