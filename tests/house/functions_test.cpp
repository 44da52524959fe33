// Functions of the product stay small.
#include "tests/house/functions.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

/// Returns {line, lines, nesting} of each function.
std::vector<std::vector<int>> sizes_of(std::string_view text) {
  std::vector<std::vector<int>> sizes;
  for (const FunctionSize& f : read_functions(text)) sizes.push_back({f.line, f.lines, f.nesting});
  return sizes;
}

TEST(Functions, AreMeasured) {
  EXPECT_THAT(sizes_of(kText), ElementsAre(std::vector{6, 12, 3}, std::vector{23, 1, 0}, std::vector{27, 3, 1}));
}

TEST(Functions, AreMeasuredWhateverPrecedesTheirBodies) {
  for (const char* head :
       {"void C::run() override {", "int f() const override {", "int f() const noexcept final {", "int f() && {",
        "C(int x) : x_{x} {", "C(int x, int y)\n      : x_(x), y_{y, 1} {", "auto f() -> vector<map<int, T>> {",
        "auto f() -> const T& {", "auto f(int x)\n    -> std::optional<decltype(read(x))> {", "int main() try {",
        "template <class T>\n    requires std::is_enum_v<T>\nvoid f(T x) {", "const T* as() const LIFETIME_BOUND {",
        "#if defined(A)\nvoid f() {", "constexpr auto kAbs = [](double x) {", "Row kRows[] = {{1, [] {"}) {
    const int line = 1 + static_cast<int>(std::count(head, head + std::strlen(head), '\n'));
    EXPECT_THAT(sizes_of(std::string(head) + "\n  if (x) {\n    a();\n  }\n}\n"), ElementsAre(std::vector{line, 3, 1}))
        << head;
  }
}

TEST(Functions, OfLocalTypesAndLambdasCountAsBlocksOfTheirFunction) {
  EXPECT_THAT(sizes_of("int f() {\n  struct S {\n    int g() {\n      return 1;\n    }\n  };\n}\n"),
              ElementsAre(std::vector{1, 5, 1}));
  EXPECT_THAT(sizes_of("int f() {\n  return g([x, this] {\n    {\n      h();\n    }\n  });\n}\n"),
              ElementsAre(std::vector{1, 5, 2}));
  EXPECT_THAT(sizes_of("int f() {\n  switch (x) {\n    case kA: {\n      h();\n    }\n  }\n}\n"),
              ElementsAre(std::vector{1, 5, 2}));
}

TEST(Functions, ValuesAndTypesAreNone) {
  EXPECT_THAT(
      sizes_of("namespace n {\nenum class E : int {\n  kA,\n};\ntemplate <class A>\nstruct S : Base<(A::k > 1)> {\n"
               "  int x[2] = {\n      1, 2};\n};\nconst std::vector<int> kList{\n    1,\n};\n}\n"
               "extern \"C\" {\nint f();\n}\nconst char* kText = R\"(\nint f() {\n  return 1;\n}\n)\";\n"),
      IsEmpty());
  EXPECT_THAT(
      sizes_of("int f() {\n  for (const int x : {1,\n                      2})\n    g(x);\n  return {\n      1};\n}\n"),
      ElementsAre(std::vector{1, 5, 0}));
}

TEST(Functions, OfTheProductAreSmall) {
  int measured = 0;
  for (const SourceFile& file :
       read_tree(NESTWRIGHT_SOURCE_DIR, {"src", "templates", "search", "cost_model", "logs", "bench", "examples"})) {
    std::ifstream stream(std::string(NESTWRIGHT_SOURCE_DIR) + "/" + file.path);
    std::stringstream text;
    text << stream.rdbuf();
    for (const FunctionSize& function : read_functions(text.str())) {
      ++measured;
      EXPECT_LE(function.lines, kMaxLines) << file.path << ":" << function.line;
      EXPECT_LE(function.nesting, kMaxNesting) << file.path << ":" << function.line;
    }
  }
  EXPECT_GE(measured, 4500);
}

}  // namespace
}  // namespace nestwright::house
