// The two roles of nestwright-worker.
// Thread rule: one per process.
#pragma once

#include "support/channel.h"

namespace nestwright {

/// Serve requests on `channel` until the peer is gone. Return the exit code of the process. Throw Error where the
/// channel was closed instead.
int run_builder_role(Channel& channel);
int run_runner_role(Channel& channel);

}  // namespace nestwright
