// The page contains its data as data, whatever the texts are.
#include "report/page/page.h"

#include <gmock/gmock.h>
#include <zlib.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/page/compressed.h"
#include "tests/report/trials.h"

namespace nestwright::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string decoded_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  return bytes;
}

std::string inflated(const std::string& bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(1 << 20, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

/// The data of a page.
nlohmann::json data_of(const std::string& html) {
  const std::string open = R"(<script id="data" type="application/gzip">)";
  const std::size_t begin = html.find(open) + open.size();
  return nlohmann::json::parse(inflated(decoded_base64(html.substr(begin, html.find('<', begin) - begin))));
}

constexpr const char* kHostile = "</script><script>alert('@data@')</script>";

TEST(Compressed, IsRestored) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd", kHostile}) {
    EXPECT_EQ(inflated(decoded_base64(gzip_base64(text))), text);
  }
}

TEST(PageTest, EscapesItsTitle) {
  const std::string text = html({kHostile, "", {}, {}});
  EXPECT_THAT(text, HasSubstr("<title>&lt;/script&gt;&lt;script&gt;alert('@data@')&lt;/script&gt;</title>"));
  EXPECT_EQ(data_of(text)["title"], kHostile);
}

TEST(PageTest, KeepsTextsOutOfTheMarkup) {
  Page page{"t", kHostile, {}, {}};
  page.sections.push_back(
      {kHostile, kHostile, {{kHostile, "", {kHostile}, {{kHostile}}}}, {}, {{"", "", kHostile}}, false});
  TaskPage task{kHostile, {}, page_trials(timed_trials({1})), kHostile, kHostile};
  task.trials.columns.messages = {kHostile};
  page.tasks.push_back(task);
  const std::string text = html(page);
  EXPECT_THAT(text, Not(HasSubstr("alert(")));
  const nlohmann::json data = data_of(text);
  EXPECT_EQ(data["sections"][0]["tables"][0]["rows"][0][0], kHostile);
  EXPECT_EQ(data["tasks"][0]["trials"]["messages"][0], kHostile);
}

TEST(PageTest, NeedsNoNetwork) {
  const std::string text = html({"t", "", {}, {}});
  for (const char* part : {"src=", "href=", "@import", "fetch(", "XMLHttpRequest"})
    EXPECT_THAT(text, Not(HasSubstr(part)));
}

TEST(PageTest, LeavesOutEmptySections) {
  Page page{"t", "", {}, {}};
  page.sections = {{"empty", "a note", {}, {}, {}, false}, {"full", "", {}, {}, {{"", "", "x"}}, false}};
  const nlohmann::json data = data_of(html(page));
  ASSERT_EQ(data["sections"].size(), 1);
  EXPECT_EQ(data["sections"][0]["title"], "full");
}

TEST(PageTest, RoundsNumbersToFourDigits) {
  Page page{"t", "", {}, {}};
  Chart chart{"c", "", {}, {}, {}, {}, false};
  chart.series.push_back({"s", Mark::kDots, {123456.7, 0.00123456, -2.5, NAN, 0}, {1, 2, 3, 4, INFINITY}, {}, {}, {}});
  page.sections.push_back({"s", "", {}, {chart}, {}, false});
  const nlohmann::json series = data_of(html(page))["sections"][0]["charts"][0]["series"][0];
  EXPECT_EQ(series["x"], nlohmann::json({123500, 0.001235, -2.5, nullptr, 0}));
  EXPECT_EQ(series["y"], nlohmann::json({1, 2, 3, 4, nullptr}));
}

TEST(PageTest, EncodesTrialsAsColumns) {
  TaskPage task{"t", {}, page_trials(timed_trials({100, 50, 200})), "", ""};
  task.trials.columns.outcome[2] = static_cast<std::uint8_t>(Outcome::kCrash);
  add_knob(task.trials.columns, "unroll", {"1", "2"}, {0, 1, -1});
  const nlohmann::json trials = data_of(html({"t", "", {}, {task}}))["tasks"][0]["trials"];
  EXPECT_EQ(trials["id"], nlohmann::json({1, 1, 1}));  // differences
  EXPECT_EQ(trials["time"], nlohmann::json({100, 50, 200}));
  EXPECT_EQ(trials["timed"], nlohmann::json({1, 1, 0}));
  EXPECT_EQ(trials["below"], nlohmann::json({10, 10, 10}));
  EXPECT_EQ(trials["above"], nlohmann::json({20, 20, 20}));
  EXPECT_EQ(trials["knobs"][0]["value"], nlohmann::json({0, 1, -1}));
}

}  // namespace
}  // namespace nestwright::report
