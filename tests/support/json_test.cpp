#include "support/data/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

TEST(Json, PrintsFieldsInTheOrderInWhichTheyWereAdded) {
  Json json = {{"name", "b"}, {"sizes", {1, 2}}, {"nothing", nullptr}};
  json["added"] = {{"share", 0.5}, {"right", true}};
  EXPECT_EQ(json.str(), R"({
  "name": "b",
  "sizes": [
    1,
    2
  ],
  "nothing": null,
  "added": {
    "share": 0.5,
    "right": true
  }
})");
}

TEST(Json, TellsListsFromObjects) {
  const std::vector<std::string> names{"a", "b"};
  EXPECT_EQ(Json({"a", "b"}).str(), Json(names).str());
  EXPECT_THAT(Json({{"a", "b"}, {"c", 1}}).names(), ElementsAre("a", "c"));
  EXPECT_EQ(Json({{"a", "b"}, {"c", 1, 2}}).entries().size(), 2u);
  EXPECT_EQ(Json::object().str(), "{}");
  EXPECT_EQ(Json::list().str(), "[]");
}

TEST(Json, KeepsNumbersWhole) {
  const Json json = {std::numeric_limits<std::uint64_t>::max(), std::numeric_limits<std::int64_t>::min(), 2.0, 1e-9,
                     std::nan("")};
  EXPECT_EQ(json.str(), "[\n  18446744073709551615,\n  -9223372036854775808,\n  2.0,\n  1e-09,\n  null\n]");
}

TEST(Json, PrintsWhatIsNoUtf8) { EXPECT_EQ(Json("a\xff\n").str(), "\"a\xef\xbf\xbd\\n\""); }

TEST(Json, NullBecomesWhatIsMadeOfIt) {
  Json list, object;
  list.push_back(1);
  object["a"] = 1;
  object.update({{"b", 2}, {"a", 3}});
  EXPECT_EQ(list.entries().front().integer(), 1);
  EXPECT_THAT(object.names(), ElementsAre("a", "b"));
  EXPECT_EQ(object["a"].integer(), 3);
}

TEST(Json, RefusesAnotherKindThanIsThere) {
  const Json json = {{"name", "b"}};
  EXPECT_THROW(json["name"].integer(), InternalError);
  EXPECT_THROW(json["other"], InternalError);
  EXPECT_THROW(json["name"].texts(), InternalError);
  EXPECT_TRUE(json.contains("name"));
  EXPECT_FALSE(json.contains("other"));
}

}  // namespace
}  // namespace nestwright
