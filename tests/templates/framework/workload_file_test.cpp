#include "templates/framework/template/workload_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using ::testing::ThrowsMessage;

TEST(WorkloadFile, IsReadInOrder) {
  const WorkloadFile file = parse_workload_file(
      R"({"summary": "two products", "entries": [
           {"label": "first", "workload": "matmul k=3 m=1 n=2", "weight": 2.5}, "matmul m=4 n=4 k=4",
           {"workload": "whatever it is"}]})",
      "mine.json");
  EXPECT_EQ(file.summary, "two products");
  ASSERT_EQ(file.entries.size(), 3u);
  EXPECT_EQ(file.entries[0].label, "first");
  EXPECT_EQ(file.entries[0].workload, "matmul k=3 m=1 n=2");
  EXPECT_EQ(file.entries[0].weight, 2.5);
  EXPECT_EQ(file.entries[1].label, "matmul m=4 n=4 k=4");
  EXPECT_EQ(file.entries[1].workload, "matmul m=4 n=4 k=4");
  EXPECT_EQ(file.entries[1].weight, 1);
  EXPECT_EQ(file.entries[2].label, "whatever it is");
}

TEST(WorkloadFile, AListAloneWillDo) {
  const WorkloadFile file = parse_workload_file(R"(["matmul m=1 n=1 k=1", {"workload": "b", "label": "B"}])", "x");
  EXPECT_EQ(file.summary, "");
  ASSERT_EQ(file.entries.size(), 2u);
  EXPECT_EQ(file.entries[1].label, "B");
}

void refuses(const std::string& json, const std::string& message) {
  EXPECT_THAT([&] { parse_workload_file(json, "bad.json"); }, ThrowsMessage<UsageError>(message)) << json;
}

TEST(WorkloadFile, BadFilesGetOneSentence) {
  refuses("{\n  \"summary\": \"s\"\n  \"entries\": []\n}",
          "bad.json: is no JSON at line 3, column 11; look there for a missing comma, quote or bracket");
  refuses("", "bad.json: is no JSON at line 1, column 1; look there for a missing comma, quote or bracket");
  refuses(R"([{"workload": "a", "weight": 1e999}])",
          "bad.json: has a number that is larger than any double; give weights below 1e308");
  refuses("3", "bad.json: must be a list of workloads, or an object with \"summary\" and \"entries\"");
  refuses("[]", "bad.json: \"entries\" must be a list of at least one entry");
  refuses("{}", "bad.json: \"entries\" must be a list of at least one entry");
  refuses(R"({"entries": {}})", "bad.json: \"entries\" must be a list of at least one entry");
  refuses(R"({"summary": 3, "entries": ["a"]})", "bad.json: \"summary\" must be a text that is not empty");
  refuses(R"({"entries": ["a"], "threads": 2})", "bad.json: \"threads\" is unknown here; there are summary, entries");
}

TEST(WorkloadFile, BadEntriesAreNamed) {
  refuses(R"(["a", 7])",
          "bad.json, line 1, entry 2: an entry is a workload in quotes, or an object with \"workload\", \"label\" and "
          "\"weight\"");
  refuses(R"(["a", ""])",
          "bad.json, line 1, entry 2: an entry is a workload in quotes, or an object with \"workload\", \"label\" and "
          "\"weight\"");
  refuses(R"([{"label": "x"}])", "bad.json, line 1, entry 1 (x): \"workload\" is missing");
  refuses(R"([{"workload": 5}])", "bad.json, line 1, entry 1: \"workload\" must be a text that is not empty");
  refuses(R"([{"label": "", "workload": "a"}])",
          "bad.json, line 1, entry 1 (a): \"label\" must be a text that is not empty");
  refuses(R"([{"label": "x", "workload": "a", "wait": 2}])",
          "bad.json, line 1, entry 1 (x): \"wait\" is unknown here; there are label, workload, weight");
  for (const char* weight : {"0", "-1", "\"2\"", "null"}) {
    refuses(R"([{"workload": "a", "weight": )" + std::string(weight) + "}]",
            "bad.json, line 1, entry 1 (a): \"weight\" must be a number above 0");
  }
}

TEST(WorkloadFile, EntriesKnowTheirLines) {
  const auto lines = [](const std::string& json) {
    std::vector<int> found;
    for (const WorkloadEntry& entry : parse_workload_file(json, "x").entries) found.push_back(entry.line);
    return found;
  };
  EXPECT_EQ(lines("[\"a\",\n\n\"b\", {\n\"workload\": \"c\"},\n\"d\"]"), (std::vector<int>{1, 3, 3, 5}));
  EXPECT_EQ(
      lines(
          "{\"summary\":\n\"s\",\n\"entries\":\n[{\"workload\": \"a\"},\n  {\"label\":\n\"l\",\n\"workload\": \"b\"},\n"
          "\"c\"\n]}"),
      (std::vector<int>{4, 5, 8}));
  EXPECT_EQ(lines("{\"entries\": [\"a\"],\n\"entries\":\n[\"b\"]}"), (std::vector<int>{3})) << "the last list counts";
  refuses("[\"a\",\n[\"b\"]]",
          "bad.json, line 2, entry 2: an entry is a workload in quotes, or an object with \"workload\", \"label\" and "
          "\"weight\"");
}

TEST(WorkloadFile, PlacesNameTheLineAndTheLabelOrTheWorkload) {
  EXPECT_EQ(entry_place("s.json", 2, {"label", "matmul", 1, 7}), "s.json, line 7, entry 3 (label)");
  EXPECT_EQ(entry_place("s.json", 2, {"matmul", "matmul", 1, 7}), "s.json, line 7, entry 3 (matmul)");
}

}  // namespace
}  // namespace nestwright
