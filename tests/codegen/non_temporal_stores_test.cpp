// Non-temporal stores through LLVM: which stores become such, and that they are visible when the kernel returns.
#include <gmock/gmock.h>

#include "nestwright/lower.h"
#include "nestwright/tensor.h"
#include "run_program.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kRows = 8;

struct Doubling {
  explicit Doubling(int columns)
      : a(placeholder({kRows, columns}, kFloat32, "A")),
        b(compute({kRows, columns}, [&](Expr i, Expr j) { return a(i, j) * 2.0; }, "B")) {}
  Tensor a, b;
  Schedule s = create_schedule(b);
};

Target wide_target() { return target_of(CpuIsa::kAvx512); }

/// Rows in vectors of 16, with masked tails.
Doubling in_vectors(int columns, bool non_temporal, bool parallel = false) {
  Doubling d(columns);
  const auto [block, lanes] = d.s[d.b].split(d.s[d.b].axis(1), factor(16), Tail::predicate());
  d.s[d.b].vectorize(lanes);
  if (non_temporal) d.s[d.b].stream();
  if (parallel) d.s[d.b].parallel(d.s[d.b].axis(0));
  return d;
}

std::string assembly(const Doubling& d, const Target& target) {
  CompileOptions options;
  options.keep_assembly = true;
  return compile(lower(d.s, {d.a, d.b}, target, "kernel"), target, options).assembly;
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(NonTemporalStores, AreWholeAlignedVectors) {
  const std::string bypassing = assembly(in_vectors(32, true), wide_target());
  EXPECT_THAT(bypassing, HasSubstr("vmovntps\t%zmm"));
  EXPECT_EQ(count(bypassing, "sfence"), 1);
  const std::string cached = assembly(in_vectors(32, false), wide_target());
  EXPECT_THAT(cached, Not(HasSubstr("vmovnt")));
  EXPECT_THAT(cached, Not(HasSubstr("sfence")));
}

TEST(NonTemporalStores, AreOrdinaryUnlessAlignmentIsProven) {
  // Every other row of 40 starts in the middle of a vector; their tails are half vectors, which are aligned.
  EXPECT_THAT(assembly(in_vectors(40, true), wide_target()), Not(HasSubstr("vmovntps\t%zmm")));
  // The last vector of a row of 24 is masked.
  Doubling single = in_vectors(24, true);
  EXPECT_THAT(assembly(single, wide_target()), Not(HasSubstr("vmovntps\t%zmm")));
}

TEST(NonTemporalStores, AreFencedInEachParallelBody) {
  EXPECT_EQ(count(assembly(in_vectors(32, true, true), wide_target()), "sfence"), 1);
}

TEST(NonTemporalStores, StoreTheResult) {
  if (!can_run(CpuIsa::kAvx512)) GTEST_SKIP() << "this machine lacks the instructions";
  for (const int columns : {16, 32, 40, 24, 1}) {
    for (const bool parallel : {false, true}) {
      const Doubling d = in_vectors(columns, true, parallel);
      std::vector<Array> arrays;
      for (int i = 0; i < 2; ++i) arrays.push_back(Array::empty(kFloat32, {kRows, columns}));
      for (std::size_t e = 0; e < arrays[0].as<float>().size(); ++e) arrays[0].as<float>()[e] = static_cast<float>(e);
      arrays[1].fill_bytes(0xff);
      const LinkedProgram kernel =
          link(compile(lower(d.s, {d.a, d.b}, wide_target(), "kernel"), wide_target()), make_pool(PoolKind::kSpin, 2));
      ASSERT_EQ(run_compiled(kernel, arrays), 0);
      for (std::size_t e = 0; e < arrays[1].as<float>().size(); ++e) {
        ASSERT_EQ(arrays[1].as<float>()[e], 2 * static_cast<float>(e)) << columns << " columns, element " << e;
      }
    }
  }
}

}  // namespace
}  // namespace nestwright::testing
