// Documents in JSON are read an entry at a time.

#include "logs/exchange/files/json_entries.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "logs/exchange/files/output_file.h"
#include "nestwright/error.h"
#include "tests/logs/exchange/exchanged_files.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JsonEntries : public ::testing::Test {
 protected:
  EntriesRead read(const std::string& text, bool may_end_open = false) {
    const std::string path = folder_.file("file.json");
    write_file(path, text);
    fields_.clear();
    entries_.clear();
    EntryHandlers handlers{.container = "all", .may_end_open = may_end_open};
    handlers.on_field = [&](const std::string& name, const Json& value) { fields_.push_back(name + value.dump()); };
    handlers.on_entry = [&](const std::string& name, const Json& value) { entries_.push_back(name + value.dump()); };
    return read_json_entries(path, handlers);
  }
  std::string refusal(const std::string& text, bool may_end_open = false) {
    try {
      read(text, may_end_open);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "";
  }

  const TemporaryFolder folder_;
  std::vector<std::string> fields_, entries_;
};

TEST_F(JsonEntries, FieldsAndEntriesComeInTheirOrder) {
  const EntriesRead listed = read(R"({"a": [1, {"b": [2]}], "all": [{"x": 1}, [2, [3]], null, {}], "c": "d"})");
  EXPECT_EQ(listed.entries, 4);
  EXPECT_TRUE(listed.has_container);
  EXPECT_THAT(fields_, ElementsAre(R"(a[1,{"b":[2]}])", R"(c"d")"));
  EXPECT_THAT(entries_, ElementsAre(R"({"x":1})", "[2,[3]]", "null", "{}"));

  EXPECT_EQ(read(R"({"all": {"k": {"x": {"all": 1}}, "l": 2}})").entries, 2);
  EXPECT_THAT(entries_, ElementsAre(R"(k{"x":{"all":1}})", "l2"));

  EXPECT_FALSE(read(R"({"a": {"all": [1]}})").has_container);
  EXPECT_THAT(fields_, ElementsAre(R"(a{"all":[1]})"));
  EXPECT_TRUE(read(R"({"all": []})").has_container);
}

TEST_F(JsonEntries, ADocumentMayEndAfterAnEntryOnlyIfThatIsAllowed) {
  for (const char* open :
       {R"({"all": {"k": {"x": 1},)", "{\"all\": {\"k\": {\"x\": 1}, \n ", R"({"all": {"k": {"x": 1})"}) {
    EXPECT_TRUE(read(open, true).ended_open) << open;
    EXPECT_EQ(entries_.size(), 1u);
    EXPECT_THAT(refusal(open), HasSubstr("not complete (line ")) << open;
  }
  for (const char* broken :
       {R"({"all": {"k": {"x": 1},"l)", R"({"all": {"k": {"x": 1},"l":)", R"({"all": {"k": {"x": )",
        R"({"all": {"k": {"x": 1}}, "c)", R"({"a": {"k": {"x": 1})", R"({"all": {"k": {"x": 1}]})"}) {
    EXPECT_THAT(refusal(broken, true), HasSubstr("is not JSON, or is not complete")) << broken;
  }
}

TEST_F(JsonEntries, WhatIsNotSuchADocumentIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal(""), HasSubstr("line 1, column 1"));
  EXPECT_THAT(refusal("{\n\"a\": nonsense}"), HasSubstr("line 2, column"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("is not an object in JSON"));
  EXPECT_THAT(refusal("3"), HasSubstr("is not an object in JSON"));
  EXPECT_THAT(refusal(R"({"all": 3})"), HasSubstr("has no list of 'all'"));
  EXPECT_THAT(refusal(R"({"all": [], "all": []})"), HasSubstr("has 'all' twice"));
  EXPECT_THAT(refusal(R"({"a": 1e999})"), HasSubstr("number overflow"));
  EXPECT_THAT(refusal("{\"a\": \"\xff\"}"), HasSubstr("UTF-8"));
  for (const char* number : {"NaN", "Infinity", "-Infinity"}) {
    EXPECT_THAT(refusal(fmt::format(R"({{"a": {}}})", number)),
                HasSubstr(fmt::format("has the number {}, which JSON does not have (line 1, column ", number)));
  }
  EXPECT_THAT(refusal(R"({"a": Nonsense})"), HasSubstr("not JSON"));
  for (const char* text : {"", "[1]", "{\"a\": \"\xff\"}", "{\"a\": \"\x01\"}"}) {
    EXPECT_THAT(refusal(text), HasSubstr(folder_.file("file.json")));
    EXPECT_EQ(refusal(text).find_first_of("\n\x01"), std::string::npos) << "is not one line";
  }
  EXPECT_THROW(read_json_entries(folder_.file("none.json"), {.container = "all"}), UsageError);
  EXPECT_THROW(read_json_entries(folder_.path(), {.container = "all"}), UsageError);
}

TEST_F(JsonEntries, ListsAndObjectsInEachOtherAreLimited) {
  const auto nested = [](std::size_t lists) { return std::string(lists, '[') + std::string(lists, ']'); };
  EXPECT_EQ(read(R"({"all": [)" + nested(62) + "]}").entries, 1);
  for (const std::size_t lists : {std::size_t{63}, std::size_t{200'000}}) {
    EXPECT_THAT(refusal(R"({"all": [)" + nested(lists) + "]}"), HasSubstr("more than 64 lists and objects in each"));
    EXPECT_THAT(refusal(R"({"field": )" + nested(lists + 1) + "}"), HasSubstr("more than 64 lists"));
  }
}

TEST_F(JsonEntries, WhatCannotBeReadTwiceIsRefused) {
  const std::string pipe = folder_.file("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  try {
    InputFile file(pipe);
    FAIL() << "a pipe was opened";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("is not a regular file"));
  }
}

TEST_F(JsonEntries, CompressedFilesAreReadAndDamagedOnesRefused) {
  const std::string path = folder_.file("file.json.gz");
  std::string text = R"({"all": [)";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + ",";
  text += "1]}";
  OutputFile file(path);
  file.write(text);
  file.finish();
  ASSERT_EQ(contents(path), text);
  std::int64_t last = 0;
  EntryHandlers handlers{.container = "all"};
  handlers.on_entry = [&](const std::string&, const Json& value) { last = value; };
  EXPECT_EQ(read_json_entries(path, handlers).entries, 20001);
  EXPECT_EQ(last, 1);

  std::ifstream whole(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), std::istreambuf_iterator<char>()};
  ASSERT_LT(bytes.size(), text.size());
  write_file(path, bytes.substr(0, bytes.size() / 2));
  try {
    read_json_entries(path, handlers);
    FAIL() << "half of a compressed file was read";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("damaged or incomplete"));
  }
}

}  // namespace
}  // namespace nestwright
