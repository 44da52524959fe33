// Random expressions get a space from their form alone, and what its configurations make computes what the unscheduled
// program does: 1,000 expressions, of which a run checks a share that NESTWRIGHT_SLICE, a number, chooses, or all with
// NESTWRIGHT_SOAK in the environment.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>

#include "nestwright/error.h"
#include "templates/framework/space/discover.h"
#include "tests/property/check.h"
#include "tests/support/cpu_target.h"
#include "tests/support/soak.h"
#include "tests/templates/sketch/expressions.h"

namespace nestwright::property {
namespace {

constexpr std::size_t kConfigurations = 20;
constexpr std::int64_t kMaxSteps = 30000000;

/// The expressions of a sequence that this run checks.
testing::CaseRange expressions_to_check() {
  constexpr int kExpressions = 1000, kSlices = 40;
  return testing::cases_of_run(kExpressions, kSlices);
}

/// The seeds of the template, then samples: kConfigurations that differ, or all where there are no more.
std::vector<Config> draw_configurations(const Template& t, const Workload& workload, const Target& target,
                                        const ConfigSpace& space, std::uint64_t seed) {
  constexpr int kMaxDraws = 200;
  constexpr double kMaxListed = 20000;
  std::vector<Config> drawn;
  const auto add = [&](const Config& config) {
    if (drawn.size() < kConfigurations && std::find(drawn.begin(), drawn.end(), config) == drawn.end())
      drawn.push_back(config);
  };
  const std::vector<Config> seeds = seeds_of(t, workload, target);
  for (std::size_t n = 0; n < std::min<std::size_t>(seeds.size(), 4); ++n) add(seeds[n]);
  std::mt19937_64 random(seed);
  for (int n = 0; n < kMaxDraws && drawn.size() < kConfigurations; ++n) {
    if (const std::optional<Config> config = space.sample(random, BranchWeight::kEqual)) add(*config);
  }
  if (drawn.size() == kConfigurations || static_cast<double>(space.size()) > kMaxListed) return drawn;
  for (unsigned __int128 n = 0; n < space.size(); ++n) {
    const Config config = space.at(n);
    if (space.is_valid(config)) add(config);
  }
  return drawn;
}

class SpaceChecks {
 public:
  SpaceChecks(Template t, std::function<Target(std::uint64_t)> target_of)
      : template_(std::move(t)), target_of_(std::move(target_of)) {}

  /// Checks these of the random expressions that have constant extents.
  void check(testing::CaseRange range) {
    const auto start = std::chrono::steady_clock::now();
    std::uint64_t seed = 1;
    for (int number = 0; number < range.end; ++seed) {
      ExpressionChoices choices = draw_expression(seed);
      std::optional<Expression> expression;
      try {
        expression = make_expression(choices);
      } catch (const UsageError&) {  // a refused expression
        continue;
      }
      if (!expression->symbols.empty()) continue;
      const Checker checker(*expression, seed);
      if (checker.broken()) continue;
      if (number++ < range.first) continue;
      check_expression({seed, *expression, checker, target_of_(seed),
                        testing_sketch::workload_of(expression->inputs, expression->outputs)});
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::string text = fmt::format("{}: {} expressions, {} configurations, {} compiled, {} failures, {:.1f} s;",
                                   template_.name, expressions_, configurations_, compiled_, failures_, taken.count());
    for (const auto& [verdict, n] : verdicts_) text += fmt::format(" {} {}", n, verdict_name(verdict));
    std::puts(text.c_str());
    EXPECT_EQ(expressions_, range.end - range.first);
  }

 private:
  /// An expression, and what its spaces are made for.
  struct Subject {
    std::uint64_t seed;
    const Expression& expression;
    const Checker& checker;
    Target target;
    Workload workload;
  };

  void check_expression(const Subject& subject) {
    ++expressions_;
    try {
      const ConfigSpace space = discover_space(template_, subject.workload, subject.target);
      const std::vector<Config> configs =
          draw_configurations(template_, subject.workload, subject.target, space, subject.seed);
      EXPECT_LE(space.branches().size(), 200U) << "seed " << subject.seed;
      EXPECT_EQ(left_out_text(template_, space.left_out()), "") << "seed " << subject.seed;
      EXPECT_FALSE(configs.empty()) << "seed " << subject.seed;
      bool is_right = true;  // of an expression, one failure is printed
      for (const Config& config : configs) is_right = check_config(subject, config, is_right) && is_right;
    } catch (const Error& error) {
      ++failures_;
      report(subject, error.what());
    }
  }

  /// Whether the configuration's program is right; a test failure where it is not.
  bool check_config(const Subject& subject, const Config& config, bool reports) {
    ++configurations_;
    const Instance instance = instantiate(template_, subject.workload, subject.target, config);
    Depth depth{
        .vector = true, .target = subject.target, .max_steps = kMaxSteps, .arguments = instance.definition.args};
    const std::vector<CpuIsa>& isas = runnable_isas();
    if (configurations_ % 10 == 1 && subject.target.device == DeviceKind::kCpu &&
        std::find(isas.begin(), isas.end(), subject.target.isa) != isas.end()) {
      depth.compile = subject.target.isa;
      depth.threads = subject.target.threads;
      ++compiled_;
    }
    const Outcome outcome = subject.checker.check(instance.schedule, depth);
    ++verdicts_[outcome.verdict];
    if (outcome.verdict == Verdict::kAgrees) return true;
    ++failures_;
    if (reports) {
      report(subject, fmt::format("{}: {}\n{}\n{}{}", verdict_name(outcome.verdict), outcome.message, config.str(),
                                  instance.schedule.str(), outcome.programs));
    }
    return false;
  }

  static void report(const Subject& subject, const std::string& message) {
    ADD_FAILURE() << "seed " << subject.seed << ": " << message << "\n" << subject.expression.str();
  }

  const Template template_;
  const std::function<Target(std::uint64_t)> target_of_;
  int expressions_ = 0, configurations_ = 0, compiled_ = 0, failures_ = 0;
  std::map<Verdict, int> verdicts_;
};

TEST(GeneratedSpaces, OfRandomExpressionsComputeWhatTheExpressionDoes) {
  const Template t = sketch_cpu_template();
  SpaceChecks checks(t,
                     [](std::uint64_t seed) { return cpu_target(seed % 2 == 0 ? CpuIsa::kAvx2 : CpuIsa::kAvx512, 2); });
  checks.check(expressions_to_check());
}

TEST(GeneratedSpaces, OfRandomExpressionsForDevicesDoSo) {
  SpaceChecks checks(sketch_gpu_template(),
                     [](std::uint64_t seed) { return Target::parse(seed % 2 == 0 ? "cuda,arch=sm_90" : "opencl"); });
  checks.check(expressions_to_check());
}

}  // namespace
}  // namespace nestwright::property
