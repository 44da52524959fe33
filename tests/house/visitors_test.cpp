// Visitors name the node kinds that they treat alike (ir/core/one_of.h): a wildcard would silently accept a new kind.
// The compiler warns of a parameter that is named and not used, and clang-tidy finds the ellipsis of C.
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <set>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool has(const std::string& code, const std::regex& pattern) { return std::regex_search(code, pattern); }

/// Whether the parameter list of deduced types, and what follows it, is a wildcard: no parameter of a deduced type has
/// a name, except for one that silences the compiler.
bool has_auto_wildcard(const std::string& parameters, const std::string& rest) {
  static const std::regex kUnnamed(R"((^|,\s*)(const )?auto(&&?|\*)?(\.\.\.)?\s*(,|$))"),
      kNamed(R"((^|,\s*)(const )?auto(&&?|\*)?(\.\.\.)? (\w+))"), kUnused(R"(\[\[maybe_unused\]\] (const )?auto)");
  if (std::smatch named; std::regex_search(parameters, named, kNamed)) {
    return has(rest, std::regex(R"(^[^;{}()]*\{\s*(\(void\)|static_cast<void>\(|std::ignore = ))" + named.str(5)));
  }
  return (has(parameters, kUnnamed) && !rest.starts_with(" = delete")) || has(parameters, kUnused);
}

/// Returns where the parameters begin of the template whose parameter is at `at`, if they are a wildcard: the only one
/// has no name, and the result, the constraint and the body do not use its type.
std::optional<std::size_t> template_wildcard(const std::string& code, std::size_t at) {
  static const std::regex kHead(R"(<(?:class|typename)(?:\.\.\.)? (\w+)>([^(){};]*(?:\(\))?)(\()(?:const )?\1)"
                                R"((?:&&?|\*)?(?:\.\.\.)?\)[^;{}()]*\{)");
  const auto begin = code.begin() + static_cast<std::ptrdiff_t>(at);
  std::smatch head;
  if (!std::regex_search(begin, code.end(), head, kHead, std::regex_constants::match_continuous)) return std::nullopt;
  int depth = 1;
  const auto stop = std::find_if(begin + head.length(), code.end(), [&](char c) {
    depth += (c == '{') - (c == '}');
    return depth == 0;
  });
  const std::regex type("\\b" + head.str(1) + "\\b");
  if (has(head.str(2), type) || has(std::string(begin + head.length(), stop), type)) return std::nullopt;
  return at + static_cast<std::size_t>(head.position(3));
}

/// Returns the lines, in order, of the parameter lists with a wildcard: parameters of deduced type that the body does
/// not use, where it uses no other such parameter either, such as `[](const auto&) {}`. A constrained parameter,
/// `OneOf<Store, Barrier> auto&`, is no wildcard, nor is one that the body dispatches on. The code must be formatted by
/// .clang-format.
std::vector<int> visitor_wildcards(const std::string& code) {
  constexpr const char* kAround = "();{}";
  constexpr std::size_t kRest = 100;  // what may silence the compiler
  std::set<std::size_t> found;
  for (std::size_t at = code.find("auto"); at != code.npos; at = code.find("auto", at + 1)) {
    const std::size_t open = code.find_last_of(kAround, at), close = code.find_first_of(kAround, at);
    if (open == code.npos || close == code.npos || code[open] != '(' || code[close] != ')') continue;
    if (std::string_view(code).substr(0, open).ends_with("decltype")) continue;
    const std::string parameters = code.substr(open + 1, close - open - 1);
    if (has_auto_wildcard(parameters, code.substr(close + 1, kRest))) found.insert(open);
  }
  for (const char* kind : {"<class", "<typename"}) {
    for (std::size_t at = code.find(kind); at != code.npos; at = code.find(kind, at + 1)) {
      if (const auto open = template_wildcard(code, at)) found.insert(*open);
    }
  }
  std::vector<int> lines;
  for (const std::size_t at : found) {
    lines.push_back(1 +
                    static_cast<int>(std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(at), '\n')));
  }
  return lines;
}

TEST(Visitors, AWildcardIsFound) {
  EXPECT_THAT(visitor_wildcards("overloaded{[](const Store&) {},\n  [](const auto&) {}}\nHalves split(auto&&);\n"),
              ElementsAre(2, 3));
  EXPECT_THAT(visitor_wildcards("overloaded{[](auto) { return 1; },\n  [&](auto&&) -> Expr {\n    return e; },\n"
                                "  [](const auto&...) {}}\nint lanes(const auto&, int a) { return a; }\n"
                                "[](const OneOf<Store> auto& s, const auto&) { return s; }\n"),
              ElementsAre(1, 2, 4, 5, 6));
}

TEST(Visitors, AWildcardThatSilencesTheCompilerIsFound) {
  EXPECT_THAT(visitor_wildcards("overloaded{[](const Store& n) { return n.value; },\n  [](auto&& n) { (void)n; },\n"
                                "  []([[maybe_unused]] const auto& n) {}}\n"),
              ElementsAre(2, 3));
}

TEST(Visitors, AWildcardOfATemplateIsFound) {
  EXPECT_THAT(visitor_wildcards("template <class T>\nvoid visit(const T&) {}\ntemplate <class... Ts>\n"
                                "bool same(Ts&&...) { return true; }\noverloaded{[]<typename T>(T&&) { return 0; }}\n"
                                "struct V {\n  template <class T>\n  void operator()(const T&) const {}\n};\n"),
              ElementsAre(2, 4, 5, 8));
}

TEST(Visitors, WhatDependsOnTheKindIsNoWildcard) {
  EXPECT_THAT(visitor_wildcards("[](const OneOf<Store, Barrier> auto&) {}\n[&](const auto& n) { print(n); }\n"
                                "for (const auto& n : nodes) {}\ndecltype(auto) f();\nstd::visit([&](const auto& n) {\n"
                                "  return std::visit([](const auto& m) { return cost(m); }, n); }, s);\n"
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
  for (const SourceFile& file : whole_tree()) {
    if (file.path == "tests/house/visitors_test.cpp") continue;
    EXPECT_THAT(visitor_wildcards(file.text), IsEmpty())
        << file.path << " has a visitor with a wildcard: name the node kinds";
  }
}

}  // namespace
}  // namespace nestwright::house
