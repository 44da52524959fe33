// The commands that README.md and docs/ show in blocks exist, take the options that are given, and their workloads are
// some.
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "nestwright/registry.h"
#include "nestwright/text_operator.h"
#include "tests/cli/command_line.h"

namespace nestwright {
namespace {

using Words = std::vector<std::string>;

/// Returns the words of the first command of a line of a shell, without their quotes; "..." stands for the rest.
Words words_of(const std::string& line) {
  Words words;
  bool is_open = false;  // a word is
  char quote = 0;
  for (const char c : line) {
    if (quote == 0 && (c == '|' || c == '&' || c == ';' || (c == '#' && !is_open))) break;
    if (quote == 0 && c == ' ') {
      is_open = false;
    } else if (c == quote) {
      quote = 0;
    } else {
      if (!is_open) words.emplace_back();
      is_open = true;
      if (quote == 0 && c == '"') {
        quote = c;
      } else {
        words.back() += c;
      }
    }
  }
  return words;
}

/// Returns the commands in the blocks of a document that begin with `nestwright`, without that word.
std::vector<Words> commands_in(const std::filesystem::path& document) {
  std::ifstream file(document);
  std::vector<Words> commands;
  bool is_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) is_block = !is_block;
    if (line.starts_with("$ ")) line.erase(0, 2);
    if (!is_block || !line.starts_with("nestwright ")) continue;
    Words words = words_of(line);
    words.erase(words.begin());
    commands.push_back(std::move(words));
  }
  return commands;
}

/// How many words name the command: "log sessions" is one of two.
std::ptrdiff_t name_length(const Words& command) { return command.front() == "log" ? 2 : 1; }

/// Returns the workload of a command: what precedes its options, or the text of --expr and the sizes behind it.
std::string workload_in(const Words& command) {
  const auto is_option = [](const std::string& word) { return word.starts_with("-"); };
  const auto expression = std::find(command.begin(), command.end(), "--expr");
  const auto begin = expression == command.end() ? command.begin() + name_length(command) : expression + 1;
  std::string text;
  for (auto word = begin; word != std::find_if(begin, command.end(), is_option); ++word) {
    text += (text.empty() ? "" : " ") + *word;
  }
  return text;
}

TEST(CommandsOfDocuments, AreRead) {
  EXPECT_EQ(words_of(R"(a --expr "b c" i=5 --x="d e"   # f)"), (Words{"a", "--expr", "b c", "i=5", "--x=d e"}));
  EXPECT_EQ(words_of("a b | c"), (Words{"a", "b"}));
  EXPECT_EQ(workload_in({"tune", "--seconds", "5", "--expr", "b c", "i=5", "--x"}), "b c i=5");
  EXPECT_EQ(workload_in({"tune", "matmul", "m=5", "--seconds", "5"}), "matmul m=5");
}

TEST(CommandsOfDocuments, AreTaken) {
  const std::filesystem::path root(NESTWRIGHT_SOURCE_DIR);
  std::map<std::string, std::string> help;  // by command
  std::size_t count = 0;
  for (const char* document : {"README.md", "docs/databases.md", "docs/explaining.md", "docs/models.md",
                               "docs/reports.md", "docs/revalidating.md", "docs/tutorial.md"}) {
    for (const Words& command : commands_in(root / document)) {
      ++count;
      const Words words_of_name(command.begin(), command.begin() + name_length(command));
      const std::string name = fmt::format("{}", fmt::join(words_of_name, " "));
      if (!help.contains(name)) {
        const CommandOutput ran = run_nestwright(words_of_name + Words{"--help"});
        EXPECT_EQ(ran.code, 0) << document << " shows nestwright " << name;
        help[name] = ran.out;
      }
      for (const std::string& word : command) {
        if (!word.starts_with("--")) continue;
        const std::string option = word.substr(0, word.find('='));
        EXPECT_THAT(help[name], ::testing::ContainsRegex(option + "[ ,=\n]")) << document << ", nestwright " << name;
      }
      const bool has_plugin = std::find(command.begin(), command.end(), "--plugin") != command.end();
      const std::string workload = workload_in(command);
      const bool is_file = workload.ends_with(".onnx") || workload.find(".db") != std::string::npos;  // not here
      const bool is_operator =
          (command.front() == "log" || command.front() == "report") && workload.find(' ') == std::string::npos;
      if (workload.empty() || has_plugin || is_file || is_operator) continue;
      EXPECT_NO_THROW(is_expression_text(workload) ? workload_of(workload) : parse_workload(workload)) << workload;
    }
  }
  EXPECT_GE(count, 15U);
}

}  // namespace
}  // namespace nestwright
