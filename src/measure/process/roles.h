// The two roles of nestwright-worker: the builder compiles candidates, the runner checks and times them.
// Thread rule: one per process.
#pragma once

#include "support/os/channel.h"

namespace nestwright {

/// Serve requests on `channel` until the peer is gone. Return the exit code of the process. run_runner_role throws
/// Error if it cannot send a reply.
int run_builder_role(Channel& channel);
int run_runner_role(Channel& channel);

}  // namespace nestwright
