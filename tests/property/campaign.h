// Runs many random cases, for a minute in the tests and for any time in nestwright-soak.
// Thread rule: run_campaign starts its own threads; a case belongs to one of them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/property/counts.h"
#include "tests/property/shrink.h"

namespace nestwright::property {

/// A failing case.
struct Failure {
  std::uint64_t seed = 0;  ///< of the case
  Tried tried;
};

/// How often a program is taken beyond the loop form: once in this many programs; 0: never.
struct Rates {
  std::uint64_t replay = 4, vector = 6, compile = 0;
  bool unproved = false;    ///< counts it as a failure where the verifier cannot prove something
  bool everything = false;  ///< replays every program, runs its vector form, and compiles it in every way: for one case
};

/// Runs one expression with several schedules. Failures are returned as found, not shrunk.
constexpr int kSchedulesACase = 4;
std::vector<Failure> run_case(std::uint64_t seed, const Rates& rates, Counts& counts);

struct Campaign {
  std::uint64_t seed = 1;
  std::int64_t programs = 1000;  ///< that must agree, at least; refused ones do not count
  std::int64_t compiled = 0;     ///< of these, compiled ones, at least
  int threads = 1;
  double seconds = 0;  ///< time limit; 0: none
  Rates rates;
  std::size_t max_failures = 1;                                 ///< ends after this many
  std::function<void(const Counts&, double seconds)> progress;  ///< called now and then by one thread
};
struct CampaignResult {
  Counts counts;
  std::vector<Failure> failures;
  double seconds = 0;
};
CampaignResult run_campaign(const Campaign& campaign);

/// The command line for the seed, the smallest case that fails in the same way, and its parts.
std::string explain(const Failure& failure, int shrink_tries = 1500);

}  // namespace nestwright::property
