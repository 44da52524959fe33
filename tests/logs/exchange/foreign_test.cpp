// Values of other tuners as knobs.

#include "logs/exchange/foreign.h"

#include <gtest/gtest.h>

#include "logs/exchange/timestamps.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

TEST(Foreign, ValuesOfAllKindsAreKnobsAndComeBack) {
  const std::pair<const char*, const char*> kLabels[] = {
      {"4", ""},           {"-3", ""},         {"0.5", "0.5"},         {"true", "true"},
      {"null", "null"},    {"\"yes\"", "yes"}, {"\"4\"", "\"4\""},     {"\"true\"", "\"true\""},
      {"\"\"", "\"\""},    {"[1,2]", "[1,2]"}, {"\"a b\"", "\"a b\""}, {"\"a=b\"", "\"a=b\""},
      {"1e300", "1e+300"}, {"4.0", "4.0"},     {"\"[1]\"", "\"[1]\""}, {"18446744073709551615", "18446744073709551615"},
  };
  for (const auto& [text, label] : kLabels) {
    const Json value = Json::parse(text);
    const ConfigEntry entry = knob_of("knob", value);
    EXPECT_EQ(entry.label, label) << text;
    EXPECT_EQ(value_of(entry), value) << text;
    EXPECT_EQ(value_of(entry).type() == Json::value_t::number_float, value.is_number_float()) << text;
  }
  EXPECT_EQ(knob_of("knob", 4).value, KnobValue{4});
}

TEST(Foreign, ConfigurationsGetTheOrderOfTheFirst) {
  KnobOrder order;
  EXPECT_EQ(order.sorted(Config::parse("b=1 a=2")).str(), "b=1 a=2");
  EXPECT_EQ(order.sorted(Config::parse("c=3 a=2 b=1")).str(), "b=1 a=2 c=3");
}

TEST(Timestamps, OfPythonBecomeIsoAndComeBack) {
  EXPECT_EQ(iso_timestamp("2023-12-22 09:54:05.502007+00:00"), "2023-12-22T09:54:05.502007Z");
  EXPECT_EQ(tuner_timestamp("2023-12-22T09:54:05.502007Z"), "2023-12-22 09:54:05.502007+00:00");
  EXPECT_EQ(iso_timestamp("2023-12-22 09:54:05+00:00"), "2023-12-22T09:54:05Z");
  for (const char* other : {"", "yesterday", "2023-12-22 09:54:05.502007+01:00", "2023-12-22 09:54:05.x+00:00",
                            "2023-12-22T09:54:05+00:00", "20231-2-22 09:54:05+00:00", "é023-12-22 09:54:05+00:00"}) {
    EXPECT_EQ(iso_timestamp(other), other);
    EXPECT_EQ(tuner_timestamp(other), other);
  }
}

}  // namespace
}  // namespace nestwright
