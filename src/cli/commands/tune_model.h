// Times the network of a model when its kernels were tuned, and chooses among them as it runs: race_model().
// Thread rule: one thread at a time. `interrupted` may be set from a signal handler. Unit: seconds.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "cli/commands/tune_file.h"

namespace nestwright::cli {

/// The part of the budget's seconds in which the network of the list's model is timed; 0: the list has none, its
/// seconds are not limited, or are too few.
double network_race_seconds(const TaskList& list, const Budget& budget);

/// Races the network of the list's model within the rest of the budget, and notes it if there is no time. Absent if
/// there is no network, or if it was not timed. A failure of it is noted: the kernels' records stay.
std::optional<NetworkRecord> race_model(const TaskList& list, TuningLog& log, const SessionOptions& options,
                                        const std::function<double()>& elapsed_s, const std::atomic<bool>& interrupted);

}  // namespace nestwright::cli
