#include "support/base/cpp_names.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace nestwright {
namespace {

TEST(CppNames, KeywordsAreSorted) {
  EXPECT_TRUE(std::ranges::is_sorted(cpp_keywords()));
  EXPECT_TRUE(is_cpp_keyword("xor_eq"));
  EXPECT_FALSE(is_cpp_keyword("xor_e"));
}

TEST(CppNames, OtherCharactersBecomeUnderscores) {
  EXPECT_EQ(with_word_characters("layer1.0/conv:2"), "layer1_0_conv_2");
  EXPECT_EQ(with_word_characters("Größe_9"), "Gr____e_9") << "bytes, not characters";
  EXPECT_EQ(with_word_characters(""), "");
}

}  // namespace
}  // namespace nestwright
