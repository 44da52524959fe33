// race_network() times the best configurations of a network's expensive kernels inside the running network, where ranks
// change: a kernel that reads much data is faster alone, where nothing else needs the caches.
//
//   1. The candidates of all expensive tasks are compared at once (measure/sequence/alternatives.h). A candidate takes
//      the place of the task's best if it is faster with 95% confidence.
//   2. The network with these choices races against the network of the best kernels, as finalists do, in several fresh
//      processes. Only if it is faster there, too, the choices are recorded.
// Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/race/race_finalists.h"
#include "nestwright/database.h"
#include "nestwright/model/graph.h"
#include "nestwright/tune.h"

namespace nestwright {

struct NetworkRaceOptions {
  CacheState caches = CacheState::kStream;  ///< of the tasks that are looked up
  Effort effort = Effort::kNormal;
  /// The time for everything, in seconds; infinity: no limit. Where it is short, fewer candidates are compiled.
  std::function<double()> seconds_left;
  /// Called with what is being done, for people: "timing kernels in the network". May be empty.
  std::function<void(const std::string& phase, const RaceProgress& progress)> on_progress;
};

/// A network to be raced: a graph of kernels and what is recorded with it.
struct RacedNetwork {
  const Graph* kernels = nullptr;
  std::string model_graph;   ///< NetworkRecord::model_graph
  std::string model;         ///< NetworkRecord::model
  NetworkVariant variant;    ///< that made the kernels
  double default_ratio = 1;  ///< the time of the default variant's network relative to this one's
};

/// Races networks of one model, with the best kernels of each, and returns the number of the fastest. The first one
/// keeps its place if no other is faster with 95% confidence. nullopt: nothing was decided, because the machine was
/// disturbed, a kernel failed, or the time was over. Sets default_ratio of each, relative to the first. Throws as
/// race_network().
std::optional<std::size_t> race_variants(std::span<RacedNetwork> networks, const Target& target, TuningLog& log,
                                         const NetworkRaceOptions& options);

/// Returns the record of the network. The log has it, unless `seconds_left` were over before the network was timed: its
/// median is then 0. Throws UsageError as compile_network() does, Error if a kernel fails in the network, LogError.
NetworkRecord race_network(const RacedNetwork& network, const Target& target, TuningLog& log,
                           const NetworkRaceOptions& options);

}  // namespace nestwright
