#include "templates/checking/exp_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace nestwright {
namespace {

TEST(ExpValues, AreThoseOfTheLibraryToAFewUlp) {
  std::vector<double> values;
  for (int i = -7080; i <= 7000; ++i) values.push_back(i * 0.1 + 1e-3 * std::sin(i));
  for (int exponent = -60; exponent < 0; ++exponent) {
    for (const double sign : {-1.0, 1.0}) values.push_back(sign * std::ldexp(1.3, exponent));
  }
  values.push_back(0);
  std::vector<double> powers = values;
  exp_values(powers);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = std::exp(values[i]);
    EXPECT_NEAR(powers[i], expected, 4 * std::numeric_limits<double>::epsilon() * expected) << values[i];
  }
  EXPECT_EQ(powers.back(), 1);
  std::vector<double> small{-709, -1e4, -std::numeric_limits<double>::infinity()};
  exp_values(small);
  for (const double power : small) EXPECT_TRUE(power >= 0 && power <= 4e-308) << power;
}

}  // namespace
}  // namespace nestwright
