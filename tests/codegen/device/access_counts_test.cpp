// The accesses of warps in products on tensor cores, counted by the emulation and compared with golden/accesses.txt.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/codegen/device/products.h"
#include "tests/codegen/device/warp_emulation.h"
#include "tests/support/golden.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kDepth = 128;

std::string accesses_of_fragments(ir::Type type, bool ta, bool tb, std::int64_t stages) {
  const NamedProgram p = fragments(type, ta, tb, kDepth, stages);
  return count_accesses(p.program, cuda_source(p, "sm_80"), {type, 64, 96, kDepth, ta, tb});
}

TEST(AccessCounts, AreTheGoldenOnes) {
  std::string text;
  for (const std::int64_t stages : {2, 3}) {
    for (const ir::Type type : {kFloat16, kFloat32, kInt8}) {
      for (const bool tb : {true, false}) {
        if (type == kInt8 && !tb) continue;  // bytes are multiplied along rows
        text += fmt::format("# fragments of {}{}, {} stages\n{}\n", type.str(), tb ? ", B along the reduction" : "",
                            stages, accesses_of_fragments(type, false, tb, stages));
      }
    }
    const NamedProgram p = warpgroups(kFloat16, false, false, 256, stages);
    text += fmt::format("# warpgroups of float16, {} stages\n{}\n", stages,
                        count_accesses(p.program, cuda_source(p), {kFloat16, 128, 96, 256, false, false}));
  }
  expect_golden(text, "tests/codegen/device/golden/accesses.txt");
}

TEST(AccessCounts, OperandsAcrossTheReductionHaveNoBankConflictsInTf32) {
  for (const bool ta : {false, true}) {
    const std::string counts = accesses_of_fragments(kFloat32, ta, false, 2);
    EXPECT_THAT(counts, HasSubstr("B_cache, loads of 4 bytes: "));
    EXPECT_THAT(counts, HasSubstr(" 0 bank conflicts"));
    EXPECT_THAT(counts, Not(::testing::ContainsRegex("[1-9][0-9]* bank conflicts"))) << counts;
  }
}

// The counts themselves: rows a multiple of 32 banks apart conflict if they are read across.
TEST(AccessCounts, FindBankConflicts) {
  const NamedProgram p = fragments(kFloat32, false, false, kDepth, 2);
  std::string source = cuda_source(p, "sm_80");
  for (const auto& [padded, plain] :
       {std::pair{"*40 ", "*32 "}, std::pair{"*320", "*256"}, std::pair{", 160);", ", 128);"}}) {
    ASSERT_THAT(source, HasSubstr(padded));
    for (std::size_t at = 0; (at = source.find(padded, at)) != std::string::npos;) {
      source.replace(at, std::string(padded).size(), plain);
    }
  }
  EXPECT_THAT(count_accesses(p.program, source, {kFloat32, 64, 96, kDepth, false, false}),
              ::testing::ContainsRegex("B_cache, loads of 4 bytes: [0-9]+ by warps, [1-9][0-9]* bank conflicts"));
}

}  // namespace
}  // namespace nestwright::testing
