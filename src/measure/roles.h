// The two roles of nestwright-worker.
// Thread rule: one per process.
#pragma once

#include "support/channel.h"

namespace nestwright {

int run_builder_role(Channel& channel);
int run_runner_role(Channel& channel);

}  // namespace nestwright
