// Visitors name the node kinds that they treat alike (ir/core/one_of.h): a wildcard would silently accept a new kind.
#include "tests/house/visitors.h"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string text_of(const SourceFile& file) {
  std::ifstream in(std::string(NESTWRIGHT_SOURCE_DIR) + "/" + file.path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Visitors, AWildcardIsFound) {
  EXPECT_THAT(visitor_wildcards("overloaded{[](const Store&) {},\n  [](const auto&) {}}\nHalves split(auto&&);\n"),
              ElementsAre(2, 3));
  EXPECT_THAT(visitor_wildcards("overloaded{[](auto) { return 1; },\n  [&](auto&&) -> Expr {\n    return e; },\n"
                                "  [](const auto&...) {},\n  [](...) {}}\n"),
              ElementsAre(1, 2, 4, 5));
  EXPECT_THAT(visitor_wildcards("int lanes(const auto&, int a) { return a; }\n"), ElementsAre(1));
}

TEST(Visitors, AWildcardWithAnUnusedNameIsFound) {
  EXPECT_THAT(
      visitor_wildcards("overloaded{[](const Store& n) { return n.value; },\n  [&](const auto& n) { return e; },\n"
                        "  [](auto&& n) { (void)n; },\n  [](const auto* n) { print(\"n\"); },\n"
                        "  [](const auto& n) {  // ignores n\n  },\n  []([[maybe_unused]] const auto& n) {}}\n"),
      ElementsAre(2, 3, 4, 5, 7));
}

TEST(Visitors, AWildcardOfATemplateIsFound) {
  EXPECT_THAT(visitor_wildcards("template <class T>\nvoid visit(const T&) {}\ntemplate <class... Ts>\n"
                                "bool same(Ts&&...) { return true; }\noverloaded{[]<typename T>(T&& n) { return 0; }}\n"
                                "struct V {\n  template <class T>\n  void operator()(const T&) const {}\n};\n"),
              ElementsAre(2, 4, 5, 8));
}

TEST(Visitors, WhatDependsOnTheKindIsNoWildcard) {
  EXPECT_THAT(visitor_wildcards(
                  "[](const OneOf<Store, Barrier> auto&) {}\n[&](const auto& n) { print(n); }\n// (const auto&)\n"),
              IsEmpty());
  EXPECT_THAT(
      visitor_wildcards("for (const auto& n : nodes) {}\ndecltype(auto) f();\nstd::visit([&](const auto& n) {\n"
                        "  return std::visit([](const auto& m) { return cost(m); }, n); }, s);\nf(\"(auto)\");\n"
                        "[](auto x, auto, auto) { return sin(x); }\ntry {} catch (...) {}\n#define F(...) 1\n"),
      IsEmpty());
  EXPECT_THAT(
      visitor_wildcards("template <class T>\nvoid visit(const T&) {\n  if constexpr (OneOf<T, Store>) count();\n}\n"
                        "template <class T>\n  requires OneOf<T, Store>\nvoid visit(const T&) {}\n"
                        "template <class T>\nvoid write(const Spelling<T>&, int) {}\n"
                        "template <class F, class T>\nvoid write(const F&, const T& value) { out(value); }\n"
                        "template <class T>\nvoid visit(const T&) = delete;\n"),
      IsEmpty());
}

TEST(Visitors, NameWhatTheyTreatAlike) {
  for (const SourceFile& file : read_tree(
           NESTWRIGHT_SOURCE_DIR, {"src", "templates", "search", "cost_model", "logs", "bench", "examples", "tests"})) {
    EXPECT_THAT(visitor_wildcards(text_of(file)), IsEmpty())
        << file.path << " has a visitor with a wildcard: name the node kinds";
  }
}

}  // namespace
}  // namespace nestwright::house
