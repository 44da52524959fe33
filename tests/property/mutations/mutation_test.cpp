// Every mutation is caught, by what README.md says.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "nestwright/program.h"
#include "tests/property/mutations/mutation.h"

namespace nestwright::property {
namespace {

struct Tally {
  std::array<int, 4> by{};  ///< number of places, by CaughtBy
  std::string survivor;     ///< the first program in which nothing was found wrong
  int places() const { return by[0] + by[1] + by[2] + by[3]; }
};

Tally tally(const Mutation& mutation, const std::vector<Subject>& all) {
  constexpr int kMaxSites = 6;  // of one program: unrolled ones have hundreds of similar places
  Tally result;
  for (const Subject& subject : all) {
    for (int site = 0; site < kMaxSites; ++site) {
      const std::optional<ir::Program> mutated = mutate(subject.program, mutation, site);
      if (!mutated) break;
      const CaughtBy by = judge(subject, *mutated);
      ++result.by[static_cast<std::size_t>(by)];
      if (by == CaughtBy::kNothing && result.survivor.empty())
        result.survivor = fmt::format("{} at place {}:\n{}", subject.name, site, ir::to_string(*mutated));
    }
  }
  return result;
}

std::string line(const Mutation& mutation, const Tally& t) {
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", mutation.name, mutation.what, t.by[0], t.by[1], t.by[2],
                     t.by[3]);
}

std::string table_of_readme() {
  std::ifstream file(NESTWRIGHT_SOURCE_DIR "/tests/property/mutations/README.md");
  std::string text, row;
  while (std::getline(file, row))
    if (row.rfind("| ", 0) == 0 && row.rfind("| mutation", 0) != 0) text += row + "\n";
  return text;
}

TEST(Mutations, AreCaught) {
  const std::vector<Mutation> mutations = all_mutations();
  const std::vector<Subject> all = subjects();
  ASSERT_GE(mutations.size(), 30u);
  for (const Subject& subject : all) {
    ASSERT_THAT(ir::verify(subject.program, subject.form), ::testing::IsEmpty()) << subject.name;
    ASSERT_EQ(judge(subject, subject.program), CaughtBy::kNothing) << subject.name;
  }
  std::string table;
  for (const Mutation& mutation : mutations) {
    const Tally t = tally(mutation, all);
    table += line(mutation, t);
    EXPECT_GT(t.places(), 0) << mutation.name << " changes nothing in any program";
    EXPECT_GT(t.by[0] + t.by[1] + t.by[2], 0) << mutation.name << " is not caught: " << t.survivor;
  }
  std::fputs(table.c_str(), stdout);
  EXPECT_EQ(table_of_readme(), table) << "tests/property/mutations/README.md is out of date: its table is above";
}

}  // namespace
}  // namespace nestwright::property
