// The two roles of nestwright-worker. Each serves its channel until the peer is gone, and gives back the exit code.
#pragma once

#include "support/channel.h"

namespace nestwright {

int run_builder_role(Channel& channel);
int run_runner_role(Channel& channel);

}  // namespace nestwright
