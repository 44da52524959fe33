// Random expressions get a space from their form alone, and what its configurations make computes what the unscheduled
// program does. NESTWRIGHT_SOAK=N in the environment: N times as many expressions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

#include "support/error.h"
#include "tests/property/check.h"
#include "tests/support/cpu_target.h"
#include "tests/templates/generated/expressions.h"

namespace nestwright::property {
namespace {

constexpr int kExpressions = 25, kConfigurations = 3;

int soak() {
  const char* const value = std::getenv("NESTWRIGHT_SOAK");
  return value ? std::max(1, std::atoi(value)) : 1;
}

/// Checks configurations of the expression's space; their number.
int check_space(const Template& t, const Target& target, const Expression& expression, std::uint64_t seed) {
  const Checker checker(expression, seed);
  if (checker.broken()) return 0;
  std::mt19937_64 random(seed);
  const Workload workload = testing_generated::workload_of(expression.inputs, expression.outputs);
  const ConfigSpace space = discover_space(t, workload, target);
  EXPECT_LE(space.branches().size(), 200U) << expression.str();
  int checked = 0;
  for (int i = 0; i < kConfigurations; ++i) {
    const std::optional<Config> config = i == 0 ? complete_config(t, workload, target, Config()) : space.sample(random);
    if (!config) {
      ADD_FAILURE() << "no configuration of\n" << expression.str();
      break;
    }
    const Instance instance = instantiate(t, workload, target, *config);
    const Outcome outcome = checker.check(instance.schedule, {.vector = true});
    EXPECT_TRUE(outcome.verdict == Verdict::kAgrees || outcome.verdict == Verdict::kTooLarge ||
                outcome.verdict == Verdict::kUnproved)
        << "seed " << seed << ", " << verdict_name(outcome.verdict) << ": " << outcome.message << "\n"
        << expression.str() << config->str() << "\n"
        << instance.schedule.str() << outcome.programs;
    if (outcome.verdict == Verdict::kAgrees) ++checked;
  }
  return checked;
}

/// Checks spaces of random expressions. `target_of`: of an expression, by its seed.
void check_spaces(const Template& t, const std::function<Target(std::uint64_t)>& target_of) {
  int expressions = 0, checked = 0;
  for (std::uint64_t seed = 1; expressions < kExpressions * soak(); ++seed) {
    ExpressionChoices choices = draw_expression(seed);
    try {
      const Expression expression = make_expression(choices);
      if (!expression.symbols.empty()) continue;
      ++expressions;
      checked += check_space(t, target_of(seed), expression, seed);
    } catch (const UsageError&) {  // a refused expression
    } catch (const Error& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what();
    }
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GE(checked, expressions);
}

TEST(GeneratedSpaces, OfRandomExpressionsComputeWhatTheExpressionDoes) {
  check_spaces(generated_cpu_template(),
               [](std::uint64_t seed) { return cpu_target(seed % 2 == 0 ? CpuIsa::kAvx2 : CpuIsa::kAvx512, 2); });
}

TEST(GeneratedSpaces, OfRandomExpressionsForDevicesDoSo) {
  check_spaces(generated_gpu_template(),
               [](std::uint64_t seed) { return Target::parse(seed % 2 == 0 ? "cuda,arch=sm_90" : "opencl"); });
}

}  // namespace
}  // namespace nestwright::property
