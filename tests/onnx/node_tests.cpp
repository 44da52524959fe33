// Runs ONNX's node tests, prints the cases that do not pass and a table of operators, and compares the former with a
// list of those that are expected not to.
//
//   onnx_node_tests FOLDER [--only REGEX] [--slice K/N] [--expected FILE] [-v]
//
// The exit code is 0 if exactly the listed cases of the operators that Nestwright has do not pass, 1 if others do, and
// 2 for wrong arguments. -v prints the name of each case to standard error before it runs.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "onnx/operators/operators.h"
#include "tests/onnx/node_case.h"

namespace nestwright::testing {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  fs::path folder;
  std::string only, expected;
  std::size_t slice = 0, slices = 1;
  bool is_verbose = false;
};

Arguments parse_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto next = [&] {
      if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " needs a value");
      return words[++i];
    };
    if (words[i] == "--only") {
      arguments.only = next();
    } else if (words[i] == "--expected") {
      arguments.expected = next();
    } else if (words[i] == "--slice") {
      const std::string slice = next();
      const std::size_t bar = slice.find('/');
      if (bar == std::string::npos) throw std::invalid_argument("a slice is K/N, not " + slice);
      arguments.slices = std::max(std::stoul(slice.substr(bar + 1)), 1ul);
      arguments.slice = std::stoul(slice.substr(0, bar)) % arguments.slices;
    } else if (words[i] == "-v") {
      arguments.is_verbose = true;
    } else if (arguments.folder.empty() && !words[i].starts_with("-")) {
      arguments.folder = words[i];
    } else {
      throw std::invalid_argument("there is no argument " + words[i]);
    }
  }
  if (arguments.folder.empty()) throw std::invalid_argument("the folder of the node tests is missing");
  return arguments;
}

std::vector<fs::path> cases_of(const Arguments& arguments) {
  std::vector<fs::path> all, chosen;
  for (const auto& entry : fs::directory_iterator(arguments.folder)) {
    if (fs::exists(entry.path() / "model.onnx")) all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  const std::regex only(arguments.only);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_in_slice = i % arguments.slices == arguments.slice;
    if (is_in_slice && std::regex_search(all[i].filename().string(), only)) chosen.push_back(all[i]);
  }
  return chosen;
}

/// The first words of the file's lines that are no comments.
std::set<std::string> expected_failures(const std::string& path) {
  std::set<std::string> names;
  if (path.empty()) return names;
  std::ifstream file(path);
  if (!file) throw std::invalid_argument(path + " cannot be read");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') names.insert(line.substr(0, line.find(' ')));
  }
  return names;
}

/// Whether Nestwright has the operator, or ought to.
bool is_supported(const std::string& op) {
  static const std::set<std::string> supported = [] {
    std::set<std::string> names{"If"};
    for (const OnnxOperator& known : onnx_operators()) names.insert(known.name);
    return names;
  }();
  return supported.contains(op.substr(0, op.find(' ')));
}

using Counts = std::array<int, 4>;  // by CaseOutcome

void print_table(const std::map<std::string, Counts>& table) {
  fmt::print("\n{:<32}{:>8}{:>8}{:>13}{:>8}{:>13}\n", "operator", "cases", "passed", "unsupported", "wrong",
             "other types");
  Counts sums{};
  const auto print_row = [](const std::string& name, const Counts& row) {
    fmt::print("{:<32}{:>8}{:>8}{:>13}{:>8}{:>13}\n", name, row[0] + row[1] + row[2], row[0], row[1], row[2], row[3]);
  };
  for (const bool listed : {true, false}) {
    for (const auto& [op, row] : table) {
      if (is_supported(op) != listed) continue;
      print_row(op, row);
      if (listed) std::transform(row.begin(), row.end(), sums.begin(), sums.begin(), std::plus());
    }
    if (listed) {
      print_row("all of these", sums);
      fmt::print("\nOperators that Nestwright does not have:\n");
    }
  }
}

int run(const Arguments& arguments) {
  const std::set<std::string> expected = expected_failures(arguments.expected);
  std::map<std::string, Counts> table;
  int surprises = 0;
  static constexpr std::array kOutcomes{"passed", "unsupported", "wrong", "other types"};
  for (const fs::path& folder : cases_of(arguments)) {
    const std::string name = folder.filename();
    if (arguments.is_verbose) fmt::print(stderr, "{}\n", name);
    const CaseResult result = run_case(folder);
    const auto outcome = static_cast<std::size_t>(result.outcome);
    ++table[result.op][outcome];
    const bool is_failure = result.outcome == CaseOutcome::kUnsupported || result.outcome == CaseOutcome::kWrong;
    if (is_failure) fmt::print("{} [{}] {}: {}\n", name, result.op, kOutcomes[outcome], result.reason);
    if (is_supported(result.op) && is_failure != expected.contains(name)) {
      ++surprises;
      fmt::print("{} {}\n", name, is_failure ? "was expected to pass" : "was expected not to pass");
    }
    std::fflush(stdout);
  }
  print_table(table);
  if (surprises > 0) fmt::print("\n{} cases differ from the list {}\n", surprises, arguments.expected);
  return surprises == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nestwright::testing

int main(int argc, char** argv) {
  try {
    return nestwright::testing::run(nestwright::testing::parse_arguments({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "onnx_node_tests: {}\n", error.what());
    return 2;
  }
}
