// nestwright-soak: compares random scheduled programs with the unscheduled ones for any length of time.
//
//   nestwright-soak --programs 1000000 --llvm 20000 --threads 2
//   nestwright-soak --case 1234             runs one case again, in every way, and shrinks its failure
//
// A signal handler names the cases that crash.
//
// Exit code: 0 where all agreed, 1 where something failed, another one for a wrong command line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "nestwright/error.h"
#include "tests/property/campaign.h"
#include "tests/property/running_case.h"

namespace nestwright::property {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

void report_progress(const Counts& counts, double seconds) {
  std::int64_t failures = 0;
  for (const auto& [verdict, n] : counts.verdicts) failures += is_failure(verdict) ? n : 0;
  print(fmt::format("{:7.0f} s  {:>9} programs  {:>6} compiled  {:6.0f} a second  {:>3} failures\n", seconds,
                    counts.programs, counts.compiled, static_cast<double>(counts.programs) / seconds, failures));
}

int run_one(std::uint64_t seed, bool unproved) {
  Counts counts;
  const std::vector<Failure> failures = run_case(seed, {.unproved = unproved, .everything = true}, counts);
  for (const Failure& failure : failures) print(explain(failure) + "\n");
  print(counts.summary());
  return failures.empty() ? 0 : 1;
}

int soak(Campaign campaign, bool shrinks) {
  campaign.progress = report_progress;
  const CampaignResult result = run_campaign(campaign);
  for (const Failure& failure : result.failures) print(explain(failure, shrinks ? 1500 : 0) + "\n");
  print(result.counts.table() + "\n" + result.counts.summary());
  print(fmt::format("{:.1f} s, {:.0f} programs a second, {} failures\n", result.seconds,
                    static_cast<double>(result.counts.programs) / result.seconds, result.failures.size()));
  return result.failures.empty() ? 0 : 1;
}

}  // namespace
}  // namespace nestwright::property

int main(int argc, char** argv) {
  using namespace nestwright::property;
  CLI::App app("Random tensor programs and schedules, compared with the unscheduled program");
  Campaign campaign;
  std::uint64_t one = 0;
  bool keeps_size = false;
  app.add_option("--programs", campaign.programs, "programs to run in the interpreter")->check(CLI::PositiveNumber);
  app.add_option("--llvm", campaign.compiled, "of them to compile and run")->check(CLI::NonNegativeNumber);
  app.add_option("--seed", campaign.seed, "of the whole run");
  app.add_option("--threads", campaign.threads, "cases at once")->check(CLI::PositiveNumber);
  app.add_option("--seconds", campaign.seconds, "ends then at the latest")->check(CLI::NonNegativeNumber);
  app.add_option("--failures", campaign.max_failures, "ends after so many")->check(CLI::PositiveNumber);
  app.add_flag("--unproved", campaign.rates.unproved, "fails for what the verifier cannot prove, too");
  app.add_flag("--no-shrink", keeps_size, "shows failing cases as they were found");
  const CLI::Option* has_one = app.add_option("--case", one, "runs one case again, in every way");
  CLI11_PARSE(app, argc, argv);
  name_running_cases_at_crash();
  try {
    if (has_one->count() > 0) return run_one(one, campaign.rates.unproved);
    if (campaign.compiled > 0) {
      campaign.rates.compile =
          std::max<std::uint64_t>(1, static_cast<std::uint64_t>(campaign.programs / campaign.compiled));
    }
    return soak(campaign, !keeps_size);
  } catch (const nestwright::Error& error) {
    std::fprintf(stderr, "nestwright-soak: %s\n", error.what());
    return 2;
  }
}
