// Runs the parsers on the saved corpus and on mutations of it. This needs no compiler with libFuzzer.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/parsers.h"

namespace nestwright {
namespace {

constexpr int kMutations = 3000;  // per parser

std::vector<std::string> corpus_of(const std::string& name) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(NESTWRIGHT_SOURCE_DIR "/tests/fuzz/corpus/" + name)) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // directory_iterator has no fixed order
  std::vector<std::string> inputs;
  for (const std::filesystem::path& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

std::string mutated(const std::vector<std::string>& corpus, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::string input = corpus[below(corpus.size())];
  for (std::size_t steps = 1 + below(4); steps > 0; --steps) {
    const std::size_t at = below(input.size() + 1);
    switch (below(5)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(below(256));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << below(8)));
        break;
      case 2:
        input.erase(at, 1 + below(8));
        break;
      case 3:
        input.insert(at, 1, "=,[]{}\":-+.0189 \n\xff"[below(17)]);
        break;
      default: {
        const std::string& other = corpus[below(corpus.size())];
        input = input.substr(0, at) + other.substr(below(other.size() + 1));
      }
    }
  }
  return input;
}

class ParserTest : public ::testing::TestWithParam<FuzzedParser> {};

TEST_P(ParserTest, AcceptsOrRefusesItsCorpus) {
  const std::vector<std::string> corpus = corpus_of(GetParam().name);
  ASSERT_GE(corpus.size(), 3u);
  for (const std::string& input : corpus) feed_or_abort(GetParam(), input);
}

TEST_P(ParserTest, AcceptsOrRefusesMutations) {
  const std::vector<std::string> corpus = corpus_of(GetParam().name);
  std::mt19937 random(1);
  for (int i = 0; i < kMutations; ++i) feed_or_abort(GetParam(), mutated(corpus, random));
}

INSTANTIATE_TEST_SUITE_P(All, ParserTest, ::testing::ValuesIn(fuzzed_parsers().begin(), fuzzed_parsers().end()),
                         [](const auto& parser) { return parser.param.name; });

}  // namespace
}  // namespace nestwright
