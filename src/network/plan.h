// What a run of a graph consists of: its kernels, in order, and where each of their tensors lies.
// Thread rule: values and a pure function. Sizes and offsets are in bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "nestwright/model/graph.h"
#include "network/tasks.h"

namespace nestwright {

/// Where a tensor lies while a network runs.
struct Place {
  enum class In : std::uint8_t {
    kInput,     ///< the caller's memory of an input; `number` is that of the input
    kOutput,    ///< likewise
    kArena,     ///< memory of the network
    kConstant,  ///< elements of a constant value; `number` is its ValueId
  } in = In::kArena;
  std::size_t number = 0;
  std::size_t offset = 0;  ///< from the beginning of that memory
  friend bool operator==(const Place&, const Place&) = default;
};

/// A call of the kernel of a task.
struct NetworkStep {
  std::size_t task = 0;  ///< index into NetworkPlan::tasks
  std::size_t node = 0;
  std::vector<Place> buffers;  ///< of the node's inputs, then its outputs
};

/// An output that no kernel writes, because it is an input, a constant, or another output.
struct NetworkCopy {
  Place from, to;
  std::size_t bytes = 0;
};

struct NetworkPlan {
  std::vector<NetworkTask> tasks;  ///< of kernels that are called
  std::vector<NetworkStep> steps;
  std::vector<NetworkCopy> copies;  ///< after all steps
  std::size_t arena_bytes = 0;
  std::size_t live_bytes = 0;  ///< the least that any arena needs
};

/// The input of a task's kernel in whose memory it may write its result; nullopt: there is none.
using InPlaceInput = std::function<std::optional<std::size_t>(std::size_t task)>;

/// Plans the kernels of a graph, which has gone through its passes. Results are written where the caller wants them;
/// what lies between is placed in the arena. Concatenations along the first dimension, and parts of it, cost nothing.
NetworkPlan plan_network(const Graph& graph, const InPlaceInput& in_place = {});

}  // namespace nestwright
