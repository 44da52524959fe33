// Seeds: valid, diverse and legal for any size, type, transposition and target.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/registry.h"
#include "tests/templates/matmul/cases.h"

namespace nestwright {
namespace {

using testing_matmul::target;
using testing_matmul::workload;

const Template& matmul() { return *builtin_registry().find_template("matmul.cpu"); }

TEST(MatmulSeeds, AreValidAndDifferent) {
  for (const auto& [m, n, k] : {std::tuple{512, 512, 512},
                                {1024, 1024, 1024},
                                {127, 127, 127},
                                {128, 3072, 768},
                                {1, 1, 1},
                                {1, 768, 768},
                                {3072, 1, 1024},
                                {35, 700, 2048}}) {
    for (const Target& t : testing_matmul::targets()) {
      const Workload w = workload(m, n, k);
      const ConfigSpace space = discover_space(matmul(), w, t);
      const std::vector<Config> seeds = matmul().seeds(w, t);
      ASSERT_FALSE(seeds.empty());
      std::set<std::string> texts;
      for (const Config& seed : seeds) {
        EXPECT_EQ(space.why_invalid(seed), "") << w.str() << " " << t.vector_bits;
        EXPECT_EQ(space.resolve(Config::parse(seed.str())), seed);
        texts.insert(seed.str());
      }
      EXPECT_EQ(texts.size(), seeds.size());
      if (m >= 512 && n >= 512) {
        EXPECT_GE(seeds.size(), 8u);
        EXPECT_LE(seeds.size(), 24u);
      }
    }
  }
}

TEST(MatmulSeeds, StartWithTheRegisterTileOfTheTarget) {
  const auto tile = [](const Workload& w, const Target& t) {
    const Config seed = matmul().seeds(w, t).at(0);
    return std::pair{seed.find("register_rows")->value[0], seed.find("register_vectors")->value[0]};
  };
  EXPECT_EQ(tile(workload(1024, 1024, 1024), target(CpuIsa::kAvx512)), (std::pair<std::int64_t, std::int64_t>{14, 2}));
  EXPECT_EQ(tile(workload(1024, 1024, 1024), target(CpuIsa::kAvx2)), (std::pair<std::int64_t, std::int64_t>{6, 2}));
  EXPECT_EQ(tile(workload(1, 4096, 4096), target(CpuIsa::kAvx512)).first, 1);
}

TEST(MatmulSeeds, AreLegalForAZooOfSizes) {
  for (const auto& [m, n, k] : {std::tuple{1, 1, 1},
                                {1, 17, 1},
                                {17, 1, 5},
                                {2, 3, 4},
                                {7, 1, 1},
                                {31, 37, 41},
                                {512, 512, 512},
                                {127, 127, 127},
                                {35, 700, 2048},
                                {64, 1, 1216},
                                {2147483647, 1, 1},
                                {1, 2147483647, 2}}) {
    for (const Target& t : testing_matmul::targets()) {
      for (int transposed = 0; transposed < 4; ++transposed) {
        const Workload w = workload(m, n, k, transposed, transposed % 2 == 0 ? "float32" : "float64");
        for (const Config& seed : matmul().seeds(w, t)) {
          EXPECT_NO_THROW(instantiate(matmul(), w, t, seed)) << w.str() << ": " << seed.str();
        }
      }
    }
  }
}

}  // namespace
}  // namespace nestwright
