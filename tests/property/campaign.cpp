#include "tests/property/campaign.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include "nestwright/error.h"
#include "tests/property/running_case.h"

namespace nestwright::property {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

bool one_in(std::uint64_t random, std::uint64_t n) { return n > 0 && random % n == 0; }

std::vector<Depth> draw_depths(std::uint64_t seed, const Rates& rates) {
  const std::vector<CpuIsa>& isas = runnable_isas();
  if (rates.everything) {
    std::vector<Depth> all = {{.replay = true, .vector = true}};
    for (const CpuIsa isa : isas)
      for (const bool final_pipeline : {false, true})
        all.push_back(
            {.replay = false, .vector = true, .compile = isa, .final_pipeline = final_pipeline, .threads = 2});
    return all;
  }
  Depth depth{.replay = one_in(mix(seed, 1), rates.replay), .vector = one_in(mix(seed, 2), rates.vector)};
  if (!isas.empty() && one_in(mix(seed, 3), rates.compile)) {
    // Half of the time the best instruction set that the machine has.
    const std::uint64_t draw = mix(seed, 4);
    depth.compile = draw % 2 == 0 ? isas.back() : isas[draw / 2 % isas.size()];
    depth.final_pipeline = draw / 64 % 3 == 0;
    depth.threads = draw / 512 % 4 == 0 ? 2 : 1;
  }
  return {depth};
}

}  // namespace

std::vector<Failure> run_case(std::uint64_t seed, const Rates& rates, Counts& counts) {
  const RunningCase running(seed);
  std::vector<Failure> failures;
  const Goal goal = draw_goal(mix(seed, 1));
  ExpressionChoices choices = draw_expression(mix(seed, 2));
  Case made{{}, goal, {}, mix(seed, 3), {}};
  std::optional<Expression> expression;
  try {
    expression = make_expression(choices, goal.expression);
  } catch (const UsageError& error) {  // a refused expression
    counts.add_verdict({Verdict::kNotLegal, error.what(), {}});
    return failures;
  }
  for (const Choices& compute : choices) made.computes.push_back(compute.recorded());
  const auto fails = [&](const Outcome& outcome, const Schedule* schedule, const Depth& depth) {
    Tried tried{made, outcome, expression->str(), schedule != nullptr ? schedule->str() : ""};
    tried.made.depth = depth;
    if (schedule != nullptr) tried.made.trace = schedule->trace();
    failures.push_back({seed, std::move(tried)});
  };
  const Checker checker(*expression, made.data_seed);
  if (checker.broken()) {
    counts.add_verdict(*checker.broken());
    if (is_failure(checker.broken()->verdict)) fails(*checker.broken(), nullptr, {});
    return failures;
  }
  for (std::uint64_t n = 0; n < kSchedulesACase; ++n) {
    const Drawn drawn = draw_schedule(*expression, goal, mix(seed, 16 + n));
    counts.add_attempt(drawn);
    if (!drawn.problem.empty()) {
      const Outcome outcome{Verdict::kRefusalChanges, drawn.problem, {}};
      counts.add_verdict(outcome);
      fails(outcome, &drawn.schedule, {});
      continue;
    }
    for (Depth depth : draw_depths(mix(seed, 32 + n), rates)) {
      if (has_bound_loops(drawn.schedule)) depth = {.replay = depth.replay};
      const Outcome outcome = checker.check(drawn.schedule, depth);
      counts.add_verdict(outcome);
      if (is_failure(outcome.verdict) || (rates.unproved && outcome.verdict == Verdict::kUnproved))
        fails(outcome, &drawn.schedule, depth);
      if (outcome.verdict == Verdict::kAgrees) counts.add_program(drawn.schedule, *expression, depth);
    }
  }
  return failures;
}

CampaignResult run_campaign(const Campaign& campaign) {
  const Clock::time_point start = Clock::now();
  CampaignResult result;
  std::mutex mutex;  // of result
  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> done{false};
  double reported = 0;
  const auto work = [&](bool reports) {
    while (!done) {
      Counts counts;
      std::vector<Failure> failures = run_case(mix(campaign.seed, next++), campaign.rates, counts);
      const std::lock_guard lock(mutex);
      result.counts.add(counts);
      for (Failure& failure : failures) result.failures.push_back(std::move(failure));
      const double seconds = seconds_since(start);
      done = done || result.failures.size() >= campaign.max_failures ||
             (result.counts.programs >= campaign.programs && result.counts.compiled >= campaign.compiled) ||
             (campaign.seconds > 0 && seconds >= campaign.seconds);
      if (reports && campaign.progress && (seconds >= reported + 5)) {
        reported = seconds;
        campaign.progress(result.counts, seconds);
      }
    }
  };
  std::vector<std::jthread> threads;
  for (int n = 1; n < campaign.threads; ++n) threads.emplace_back([&] { work(false); });
  work(true);
  threads.clear();
  result.seconds = seconds_since(start);
  return result;
}

std::string explain(const Failure& failure, int shrink_tries) {
  std::string text =
      fmt::format("again: nestwright-soak --case {}\n=== as it was found\n{}", failure.seed, report(failure.tried));
  if (failure.tried.outcome.verdict == Verdict::kRefusalChanges) return text;
  const RunningCase running(failure.seed);
  return text + "=== as small as it gets\n" + report(shrink(failure.tried, shrink_tries));
}

}  // namespace nestwright::property
