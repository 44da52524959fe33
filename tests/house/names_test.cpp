// The names of headers agree with their texts, and the names of tests with what they test.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Returns the words of a name in lower case: FinalRace and final_race are both {"final", "race"}.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto is_upper = [&](std::size_t at) { return std::isupper(static_cast<unsigned char>(name[at])) != 0; };
    const bool ends_capitals = i + 1 < name.size() && std::islower(static_cast<unsigned char>(name[i + 1])) != 0;
    const bool begins = name[i] == '_' || (i > 0 && is_upper(i) && (!is_upper(i - 1) || ends_capitals));
    if (begins && !words.back().empty()) words.emplace_back();
    if (name[i] != '_') words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

/// Whether the words differ in their endings only: "tile", "tiles"; "lower", "lowering".
bool is_one_word(const std::string& a, const std::string& b) {
  constexpr std::size_t kCommonLetters = 4;
  if (a == b || a + "s" == b || b + "s" == a) return true;
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto common = static_cast<std::size_t>(in_a - a.begin());
  return common >= kCommonLetters && (in_a == a.end() || in_b == b.end() || common > kCommonLetters);
}

/// Returns the words of the header's name that occur neither in its declarations or comments nor in the names of its
/// folders.
std::vector<std::string> unexplained_words(const SourceFile& header) {
  static const std::regex kOther(R"((^|\n)(#(?!define)|(inline )?namespace |\}  // namespace).*)"), kName(R"(\w+)");
  const std::string text =
      fs::path(header.path).parent_path().string() + "\n" + std::regex_replace(header.text, kOther, "\n");
  std::set<std::string> words;
  for (std::sregex_iterator name(text.begin(), text.end(), kName), end; name != end; ++name) {
    std::string whole;  // oneDNN is the word onednn, too
    for (const std::string& word : words_of(name->str())) {
      words.insert(word);
      whole += word;
    }
    words.insert(whole);
  }
  std::vector<std::string> unexplained = words_of(fs::path(header.path).stem().string());
  std::erase_if(unexplained, [&](const std::string& wanted) {
    return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return is_one_word(word, wanted); });
  });
  return unexplained;
}

/// Returns the tests, tests/FOLDER/SUB/NAME_test.cpp, whose names do not say what they test. NAME is that of a source,
/// a helper of tests or a folder: the only one of this name in FOLDER, or one in SUB, which NAME may only begin with.
/// Otherwise the test begins with a comment.
std::vector<std::string> unexplained_tests(const std::vector<SourceFile>& files) {
  static const std::regex kTest(R"(tests/(\w+)/(?:.*/)?(\w+)_test\.cpp)");
  std::map<std::string, std::map<std::string, std::set<fs::path>>> places;  // by top folder and name
  for (const SourceFile& file : files) {
    if (std::regex_match(file.path, kTest)) continue;
    const std::string path = file.path.starts_with("tests/") ? file.path.substr(6) : file.spelled();
    for (fs::path at = fs::path(path).replace_extension(); at.has_parent_path(); at = at.parent_path()) {
      places[*at.begin()][at.filename()].insert(at.parent_path());
    }
  }
  std::vector<std::string> unexplained;
  for (const SourceFile& file : files) {
    std::smatch test;
    if (!std::regex_match(file.path, test, kTest) || file.text.starts_with("//")) continue;
    const fs::path folder = fs::path(file.path).lexically_relative("tests").parent_path();
    const std::string name = test[2];
    const auto& named = places[test[1]];
    const bool is_explained = std::any_of(named.begin(), named.end(), [&](const auto& entry) {
      const auto& [counterpart, folders] = entry;
      if (name == counterpart && folders.size() == 1) return true;
      return (name + "_").starts_with(counterpart + "_") && folders.contains(folder);
    });
    if (!is_explained) unexplained.push_back(file.path);
  }
  return unexplained;
}

TEST(Names, WordsOfNames) {
  EXPECT_THAT(words_of("FinalRace"), ElementsAre("final", "race"));
  EXPECT_THAT(words_of("final_race_"), ElementsAre("final", "race"));
  EXPECT_THAT(words_of("kMaxIRNodes"), ElementsAre("k", "max", "ir", "nodes"));
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_TRUE(is_one_word("tiles", "tile"));
  EXPECT_TRUE(is_one_word("lowering", "lowered"));
  EXPECT_FALSE(is_one_word("trace", "traits"));
}

TEST(Names, AWordThatAHeaderDoesNotExplainIsFound) {
  const auto check = [](const std::string& path, const std::string& text) {
    return unexplained_words(read_source(path, text));
  };
  EXPECT_THAT(
      check("a/loop_chart.h", "#include \"a/chart.h\"\nnamespace chart {\nclass Loop {};\n}  // namespace chart\n"),
      ElementsAre("chart"));
  EXPECT_THAT(check("a/loop_chart.h", "/// Draws charts.\nclass Loop {};\n"), IsEmpty());
  EXPECT_THAT(check("a/onednn_row.h", "// By oneDNN.\nint rows();\n"), IsEmpty());
  EXPECT_THAT(check("cuda/cuda_device.h", "class Device;\n"), IsEmpty());
  EXPECT_THAT(check("a/utils.h", "class Loop {};\n"), ElementsAre("utils"));
}

TEST(Names, ATestThatDoesNotSayWhatItTestsIsFound) {
  std::vector<SourceFile> files;
  for (const char* path :
       {"src/ir/core/expr.cpp", "logs/record.h", "templates/a/x.h", "templates/a/gpu.cpp", "templates/b/gpu.cpp",
        "tests/ir/core/expr_test.cpp", "tests/ir/core/expr_order_test.cpp", "tests/ir/core_test.cpp",
        "tests/ir/helper.h", "tests/ir/helper_test.cpp", "tests/ir/record_test.cpp", "tests/logs/record_order_test.cpp",
        "tests/logs/recordings_test.cpp", "tests/templates/a/gpu_loops_test.cpp", "tests/templates/a/gpu_test.cpp",
        "tests/templates/b/x_test.cpp", "tests/templates/c/gpu_test.cpp", "tests/templates/gpu_anything_test.cpp"}) {
    files.push_back(read_source(path, "#include <map>\n"));
  }
  EXPECT_THAT(unexplained_tests(files),
              ElementsAre("tests/ir/record_test.cpp", "tests/logs/recordings_test.cpp",
                          "tests/templates/c/gpu_test.cpp", "tests/templates/gpu_anything_test.cpp"));
  for (SourceFile& file : files) file.text = "// Records of programs.\n" + file.text;
  EXPECT_THAT(unexplained_tests(files), IsEmpty());
}

TEST(Names, OfTestsSayWhatTheyTest) {
  const std::vector<SourceFile> files = whole_tree();
  ASSERT_GE(files.size(), 900u);
  EXPECT_THAT(unexplained_tests(files), IsEmpty())
      << "rename them after what they test, or begin them with a comment that says what it is";
}

TEST(Names, OfHeadersOccurInTheirTexts) {
  for (const SourceFile& file : whole_tree()) {
    if (file.is_header()) EXPECT_THAT(unexplained_words(file), IsEmpty()) << file.path << " does not explain its name";
  }
}

}  // namespace
}  // namespace nestwright::house
