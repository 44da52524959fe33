#include "nestwright/config_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "space/config_json.h"

namespace nestwright {
namespace {

Config example() {
  return Config({{"pack_b", {1}, "yes"}, {"tile_i", {4, 2, 14}, {}}, {"unroll_k", {4}, {}}, {"offset", {-3}, {}}});
}

TEST(Config, PrintsAndParsesBack) {
  EXPECT_EQ(example().str(), "pack_b=yes tile_i=[4,2,14] unroll_k=4 offset=-3");
  const Config parsed = Config::parse("  pack_b=yes tile_i=[4,2,14]\tunroll_k=4 offset=-3 ");
  EXPECT_EQ(parsed.str(), example().str());
  EXPECT_EQ(parsed.find("pack_b")->label, "yes");
  EXPECT_EQ(parsed.find("tile_i")->value, (KnobValue{4, 2, 14}));
  EXPECT_EQ(parsed.find("unroll_j"), nullptr);
  EXPECT_TRUE(Config::parse("").entries().empty());
}

TEST(Config, SetReplacesInPlace) {
  Config config = example();
  config.set("unroll_k", {8});
  config.set("more", {1}, "on");
  EXPECT_EQ(config.str(), "pack_b=yes tile_i=[4,2,14] unroll_k=8 offset=-3 more=on");
}

TEST(Config, HashIsStableAndSeesEveryPart) {
  EXPECT_EQ(Config().hash(), 14695981039346656037ULL);  // FNV's offset basis: nothing was hashed
  EXPECT_EQ(example().hash(), Config::parse(example().str()).hash());
  Config other = example();
  other.set("unroll_k", {8});
  EXPECT_NE(other.hash(), example().hash());
}

TEST(Config, RefusesMalformedPartsByName) {
  for (const auto& [text, part] : {std::pair{"a=1 b", "'b'"},
                                   {"=3", "'=3'"},
                                   {"a=", "'a='"},
                                   {"a=[1,2", "'a=[1,2'"},
                                   {"a=[1,x]", "'a=[1,x]'"},
                                   {"a=[1,]", "'a=[1,]'"},
                                   {"a=1 a=2", "given twice"}}) {
    try {
      Config::parse(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(part));
    }
  }
}

TEST(Config, GoesThroughJson) {
  EXPECT_EQ(to_json(example()), R"({"pack_b":"yes","tile_i":[4,2,14],"unroll_k":4,"offset":-3})");
  EXPECT_EQ(config_from_json(to_json(example())).str(), example().str());
  EXPECT_THROW(config_from_json("[1]"), UsageError);
  EXPECT_THROW(config_from_json("{"), UsageError);
  EXPECT_THROW(config_from_json(R"({"a":1.5})"), UsageError);
  EXPECT_THROW(config_from_json(R"({"a":[1,"x"]})"), UsageError);
  const auto refusal = [](const char* text) -> std::string {
    try {
      config_from_json(text);
    } catch (const UsageError& e) {
      return e.what();
    }
    return "nothing";
  };
  const char* const kDocument = "a configuration in JSON is one object of knobs and values";
  for (const char* text : {"", "5", "\"a\"", "null", "[{\"a\":1}]", "{\"a\":1", "{\"a\":1} 2"}) {
    EXPECT_EQ(refusal(text), kDocument) << text;
  }
  const char* const kValue = "knob 'a' of a configuration in JSON is neither text, an integer nor a list";
  for (const char* text : {R"({"a":{}})", R"({"a":{"b":1}})", R"({"a":true})", R"({"a":null})", R"({"a":""})"}) {
    EXPECT_EQ(refusal(text), kValue) << text;
  }
  for (const char* text : {R"({"a":[1,[2]]})", R"({"a":[null]})", R"({"a":[{}]})", R"({"a":[1,"x"]})"}) {
    EXPECT_EQ(refusal(text), "knob 'a' of a configuration in JSON: a list holds integers") << text;
  }
  EXPECT_EQ(refusal(R"({"a":1,"b":2,"a":3})"), "knob 'a' of a configuration in JSON is there twice");
  EXPECT_TRUE(config_from_json("{}").entries().empty());
}

}  // namespace
}  // namespace nestwright
