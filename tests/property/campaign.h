// Runs many cases: what the tests do for a minute and nestwright-soak for as long as one likes.
// Thread rule: run_campaign starts its own threads; a case belongs to one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/property/counts.h"
#include "tests/property/shrink.h"

namespace nestwright::property {

/// What one case fails with.
struct Failure {
  std::uint64_t seed = 0;  ///< of the case
  Tried tried;
};

/// How often a program is taken further than the loop form: once in so many; 0 for never.
struct Rates {
  std::uint64_t replay = 4, vector = 6, compile = 0;
  bool unproved = false;    ///< what the verifier cannot prove is a failure
  bool everything = false;  ///< every program replayed, as vector form, and compiled in every way: to look at one case
};

/// One expression with several schedules. Failures are as they were found, not shrunk.
constexpr int kSchedulesACase = 4;
std::vector<Failure> run_case(std::uint64_t seed, const Rates& rates, Counts& counts);

struct Campaign {
  std::uint64_t seed = 1;
  std::int64_t programs = 1000;  ///< to agree, at least; those that are refused do not count
  std::int64_t compiled = 0;     ///< of them compiled, at least
  int threads = 1;
  double seconds = 0;  ///< ends then at the latest, where not 0
  Rates rates;
  std::size_t most_failures = 1;                                ///< ends after so many
  std::function<void(const Counts&, double seconds)> progress;  ///< called now and then by one thread
};
struct CampaignResult {
  Counts counts;
  std::vector<Failure> failures;
  double seconds = 0;
};
CampaignResult run_campaign(const Campaign& campaign);

/// The seed's command line, the smallest case that fails so, and what it was made from.
std::string explain(const Failure& failure, int shrink_tries = 1500);

}  // namespace nestwright::property
