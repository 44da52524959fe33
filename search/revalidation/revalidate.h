// Revalidates stored bests within a budget: races each again (race_again.h), and says what became of it.
//
//   std::vector<StoredBest> bests = stored_bests(log, {}, parse);
//   for (const RevalidatedBest& row : revalidate(bests, log, {.seconds = 60})) row.verdict, row.detail
//
// Each race is recorded before the next one begins: a run that is killed loses nothing and may be repeated.
// Thread rule: one thread at a time, except for the interrupt flag. Units: as named.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "search/revalidation/compare_times.h"
#include "search/revalidation/race_again.h"
#include "search/revalidation/stored_bests.h"

namespace nestwright {

/// What became of a stored best. Do not rename: `revalidate --json` prints the names.
enum class RevalidationVerdict : std::uint8_t {
  kAsBefore,
  kFaster,
  kSlower,
  kWrong,       ///< its result is wrong now
  kFails,       ///< it cannot be compiled, crashes or hangs now, on a quiet machine
  kUndecided,   ///< the machine was disturbed, or the times are not comparable
  kNew,         ///< right, and without a figure in the baseline
  kSkipped,     ///< it cannot be built and timed here
  kNotReached,  ///< the time was over
};
const char* verdict_name(RevalidationVerdict verdict);  // "as_before", "faster", ...

/// Whether the verdict is a regression.
bool is_regression(RevalidationVerdict verdict);
/// Whether a best that could have been decided was not.
bool is_undecided(RevalidationVerdict verdict);

struct RevalidatedBest {
  RevalidationVerdict verdict = RevalidationVerdict::kNotReached;
  std::string detail;                     ///< why, one clause; may be empty
  std::optional<KernelFigure> now;        ///< the time of the stored configuration; absent: it was not timed
  TimeComparison comparison;              ///< with StoredBest::was
  std::optional<BestRecord> replaced_by;  ///< the configuration that beat it; absent: none did
  std::string failure;                    ///< why the race itself failed, one sentence; empty: it did not
  double seconds = 0;                     ///< that it took
};

struct RevalidationOptions {
  double tolerance = 0.05;  ///< as in compare_times()
  Effort effort = Effort::kQuick;
  double seconds = 0;  ///< for all of them; 0: no limit
  const std::atomic<bool>* interrupt = nullptr;
  /// Called with the index of a best and why it takes longer than usual, one clause. May be empty.
  std::function<void(std::size_t best, const std::string& note)> on_note;
  /// Called as soon as a verdict is known. May be empty.
  std::function<void(std::size_t best, const RevalidatedBest& row)> on_verdict;
};

/// Races the bests in order, and returns what became of each. After the seconds or an interruption the rest is
/// kNotReached. A best whose race fails does not stop the others, except for LogError.
std::vector<RevalidatedBest> revalidate(std::span<const StoredBest> bests, TuningLog& log,
                                        const RevalidationOptions& options);

/// The verdict on a best from its race; a pure function. A result is wrong, and a configuration refused, on a disturbed
/// machine, too; other failures are then undecided, as times are. `recorded_at` is the time of the race. Requires a
/// best without an obstacle.
RevalidatedBest judge(const StoredBest& best, const RaceAgain& race, double tolerance, const std::string& recorded_at);

}  // namespace nestwright
