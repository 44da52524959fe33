// Batches, strides, factors and epilogues: whatever the template and the configuration, the program computes the
// reference and leaves alone what lies between the rows of C.
#include "nestwright/registry.h"
#include "tests/templates/matmul/check.h"

namespace nestwright {
namespace {

using testing::soak;
using testing_matmul::check_config;

template <class Random, class T>
T one_of(const std::vector<T>& values, Random& random) {
  return values[random() % values.size()];
}

/// Any variant of a product of about this size.
template <class Random>
Workload random_variant(std::int64_t m, std::int64_t n, std::int64_t k, Random& random) {
  const std::int64_t batch = one_of<Random, std::int64_t>({1, 1, 2, 3}, random);
  const bool ta = random() % 2 == 0, tb = random() % 2 == 0;
  std::string text = "matmul m=" + std::to_string(m) + " n=" + std::to_string(n) + " k=" + std::to_string(k) +
                     " batch=" + std::to_string(batch) + " ta=" + std::to_string(ta) + " tb=" + std::to_string(tb);
  const auto stride = [&](const char* name, std::int64_t least) {
    if (random() % 2 == 0)
      text += std::string(" ") + name + "=" + std::to_string(least + static_cast<std::int64_t>(random() % 5));
  };
  stride("lda", ta ? m : k);
  stride("ldb", tb ? k : n);
  stride("ldc", n);
  if (batch > 1 && random() % 3 == 0) {
    // The matrices of C in turns, row by row.
    text = text.substr(0, text.find(" ldc"));
    text += " sa=" + std::to_string(ta ? m : k) + " sc=" + std::to_string(n) + " ldc=" + std::to_string(batch * n + 2);
  }
  text += " alpha=" + one_of<Random, std::string>({"1", "1", "-0.5"}, random);
  text += " beta=" + one_of<Random, std::string>({"0", "0", "1", "0.25"}, random);
  text +=
      " epilogue=" + one_of<Random, std::string>({"none", "none", "relu", "gelu", "bias", "bias_relu", "bias_gelu",
                                                  "residual", "residual_relu", "bias_residual", "bias_residual_relu"},
                                                 random);
  text += one_of<Random, std::string>({" dtype=float64", " precision=tf32", "", "", ""}, random);
  return parse_workload(text);
}

class MatmulVariants : public ::testing::TestWithParam<int> {};

TEST_P(MatmulVariants, SampledConfigurationsAndSeedsComputeTheReference) {
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam() + 1000 * soak()));
  const std::vector<Target> targets = testing_matmul::targets();
  for (int round = 0; round < 3 * soak(); ++round) {
    const auto size = [&] { return one_of<std::mt19937_64, std::int64_t>({1, 2, 7, 16, 19, 33, 40}, random); };
    const std::int64_t k = random() % 2 == 0 ? size() : 70;  // long enough for a reduction in blocks
    const Workload w = random_variant(size(), size(), k, random);
    const Target& t = targets[random() % targets.size()];
    for (const Template* source : templates_for(w, t)) {
      const ConfigSpace space = discover_space(*source, w, t);
      std::vector<Config> configs = source->seeds(w, t);
      if (configs.size() > 1) configs = {configs[0], configs[1 + random() % (configs.size() - 1)]};
      for (int i = 0; i < 2; ++i) {
        const auto sampled = space.sample(random);
        ASSERT_TRUE(sampled) << source->name << " of " << w.str();
        configs.push_back(*sampled);
      }
      for (const Config& config : configs) {
        check_config(*source, w, t, config);
        if (HasFailure()) return;
      }
    }
  }
}

/// What is made of the sums reads them when all blocks are done, wherever they are kept until then.
TEST(MatmulBlockedReduction, IsFinishedByEveryEpilogue) {
  std::mt19937_64 random(static_cast<std::uint64_t>(soak()));
  int turn = 0;
  for (const char* epilogue : {"none", "relu", "gelu", "bias", "bias_relu", "bias_gelu", "residual", "residual_relu",
                               "bias_residual", "bias_residual_relu"}) {
    for (const char* rest : {"m=19 n=37 k=70 beta=1", "m=33 n=16 k=131 alpha=-0.5 tb=1",
                             "m=16 n=5 k=67 batch=2 beta=0.5 ta=1 ldc=7", "m=40 n=70 k=64 alpha=2"}) {
      const std::vector<Target> targets = testing_matmul::targets();
      const Target& t = targets[static_cast<std::size_t>(turn++) % targets.size()];
      const Workload w = parse_workload(std::string("matmul ") + rest + " epilogue=" + epilogue);
      const ConfigSpace space = discover_space(*builtin_registry().find_template("matmul.cpu"), w, t);
      for (int found = 0; found < soak();) {
        const Config config = space.sample(random).value();
        if (config.find("reduction")->label != "blocked") continue;
        ++found;
        check_config(*builtin_registry().find_template("matmul.cpu"), w, t, config);
        if (HasFailure()) return;
      }
    }
  }
}

/// All seeds and some samples of the templates that serve few workloads.
TEST(MatmulSpecialised, ComputeTheReference) {
  std::mt19937_64 random(static_cast<std::uint64_t>(soak()));
  for (const auto& [name, text] : {std::pair{"matmul.gemv", "m=19 n=1 k=67"},
                                   {"matmul.gemv", "m=1 n=16 k=64 tb=1 epilogue=bias_gelu beta=0.5"},
                                   {"matmul.gemv", "m=33 n=1 k=128 ldc=3 lda=130 alpha=2 dtype=float64"},
                                   {"matmul.gemv", "m=1 n=1 k=100"},
                                   {"matmul.split_k", "m=19 n=17 k=128"},
                                   {"matmul.split_k", "m=16 n=16 k=256 tb=1 ta=1 epilogue=residual_relu ldc=20"},
                                   {"matmul.split_k", "m=40 n=3 k=384 ta=1 beta=1"},
                                   {"matmul.split_k", "m=19 n=37 k=197 tb=1 epilogue=bias"},
                                   {"matmul.split_k", "m=17 n=33 k=131 ta=1 ldb=40"}}) {
    for (const Target& t : testing_matmul::targets()) {
      const Template& source = *builtin_registry().find_template(name);
      const Workload w = parse_workload(std::string("matmul ") + text);
      if (!source.why_not(w, t).empty()) continue;
      const ConfigSpace space = discover_space(source, w, t);
      std::vector<Config> configs = source.seeds(w, t);
      // What is always parallel is no default of small work.
      ASSERT_EQ(configs.empty(), source.name == "matmul.split_k") << name << " of " << w.str();
      configs.resize(std::min<std::size_t>(configs.size(), 2));
      for (int i = 0; i < 2 * soak(); ++i) configs.push_back(space.sample(random).value());
      for (const Config& config : configs) {
        check_config(source, w, t, config);
        if (HasFailure()) return;
      }
    }
  }
}

TEST(MatmulSpecialised, SayWhatTheyDoNotServe) {
  const auto reason = [](const char* name, const std::string& text, int threads) {
    Target t = testing_matmul::target(CpuIsa::kAvx512, threads);
    return builtin_registry().find_template(name)->why_not(parse_workload("matmul " + text), t);
  };
  EXPECT_EQ(reason("matmul.gemv", "m=64 n=1 k=64", 1), "");
  EXPECT_EQ(reason("matmul.gemv", "m=64 n=1 k=64 ta=1", 1),
            "it needs a vector and a matrix that is stored along the reduction");
  EXPECT_EQ(reason("matmul.gemv", "m=64 n=1 k=31", 1), "it needs a reduction of two vectors or more");
  EXPECT_EQ(reason("matmul.gemv", "m=64 n=1 k=64 batch=2", 1), "it needs a single product");
  EXPECT_EQ(reason("matmul.gemv", "m=64 n=1 k=64 precision=tf32", 1),
            "it multiplies elements as they are, not rounded to tf32");
  EXPECT_EQ(reason("matmul.split_k", "m=64 n=64 k=128 precision=tf32", 2),
            reason("matmul.gemv", "m=64 n=1 k=64 precision=tf32", 1));
  EXPECT_EQ(reason("matmul.split_k", "m=64 n=64 k=128", 2), "");
  EXPECT_EQ(reason("matmul.split_k", "m=64 n=64 k=128", 1), "it needs two threads or more");
  EXPECT_EQ(reason("matmul.split_k", "m=64 n=64 k=127", 2), "it needs a reduction of two parts of 64 steps or more");
  EXPECT_EQ(reason("matmul.split_k", "m=1024 n=1024 k=128", 2), "it needs a result of at most 512 x 512 elements");
}

INSTANTIATE_TEST_SUITE_P(Seeds, MatmulVariants, ::testing::Range(0, 12));

}  // namespace
}  // namespace nestwright
