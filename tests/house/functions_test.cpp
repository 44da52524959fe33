// Functions of templates/ stay small: lists of knobs, constraints and seeds are the longest that a reader meets.
#include "tests/house/functions.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

constexpr int kMaxLines = 80;
constexpr int kMaxNesting = 4;

constexpr const char* kText = R"(namespace n {
int one() { return 1; }

/// f {
std::vector<int> two(int a,
                     int b) {
  const std::vector<int> list{a, b};
  for (const int x : list) {
    if (x > 0) {
      print("{{", x);
    } else {
      std::sort(list.begin(), list.end(), [&](int p, int q) {
        return p < q;
      });
    }
  }
  return {a,
          b};
}

class C {
 public:
  explicit C(int x) : x_(x) {
    check(x);
  }
  template <class T>
  T get() const {
    while (true) {
      step();
    }
  }

 private:
  int x_ = {};
};
}  // namespace n
)";

TEST(Functions, AreMeasured) {
  const std::vector<FunctionSize> functions = read_functions(kText);
  std::vector<std::vector<int>> sizes;
  for (const FunctionSize& f : functions) sizes.push_back({f.line, f.lines, f.nesting});
  EXPECT_THAT(sizes, ::testing::ElementsAre(std::vector{6, 12, 3}, std::vector{23, 1, 0}, std::vector{27, 3, 1}));
}

TEST(Functions, OfTemplatesAreSmall) {
  int measured = 0;
  for (const SourceFile& file : read_tree(NESTWRIGHT_SOURCE_DIR, {"templates"})) {
    std::ifstream stream(std::string(NESTWRIGHT_SOURCE_DIR) + "/" + file.path);
    std::stringstream text;
    text << stream.rdbuf();
    for (const FunctionSize& function : read_functions(text.str())) {
      ++measured;
      EXPECT_LE(function.lines, kMaxLines) << file.path << ":" << function.line;
      EXPECT_LE(function.nesting, kMaxNesting) << file.path << ":" << function.line;
    }
  }
  EXPECT_GE(measured, 300);
}

}  // namespace
}  // namespace nestwright::house
