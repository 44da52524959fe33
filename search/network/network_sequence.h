// A compiled network as the sequence of calls that a worker times: NetworkSequence.
// Thread rule: one thread at a time.
#pragma once

#include "measure/sequence/sequence.h"
#include "nestwright/model/graph.h"
#include "network/compiled_network.h"
#include "support/os/unique_fd.h"

namespace nestwright {

/// The calls, and a file in memory with the weights and with inputs as an exported self-test draws them.
struct NetworkSequence {
  SequenceSetup setup;
  UniqueFd data;
};

/// Makes the sequence of a network for its target's threads. Its copies, after the last kernel, are left out. `graph`
/// is what was compiled. Throws Error if there is no memory for the file.
NetworkSequence sequence_of(const CompiledNetwork& network, const Graph& graph);

}  // namespace nestwright
