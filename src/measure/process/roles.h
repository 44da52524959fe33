// The roles of nestwright-worker: run_builder_role compiles candidates, run_runner_role checks and times them,
// run_sequence_role times networks.
// Thread rule: one per process.
#pragma once

#include "support/os/channel.h"

namespace nestwright {

/// Serve requests on `channel` until the peer is gone. Return the exit code of the process. The latter two
/// throw Error if they cannot send a reply.
int run_builder_role(Channel& channel);
int run_runner_role(Channel& channel);
int run_sequence_role(Channel& channel);

}  // namespace nestwright
