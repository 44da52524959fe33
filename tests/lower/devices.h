// Targets and expectations for the tests of device programs. Thread rule: pure functions.
#pragma once

#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright::testing {

Target device_target(DeviceKind device = DeviceKind::kCuda);

int count_barriers(const ir::Stmt& s);

/// Expects the only kernel of `program` to have `barriers` barriers. Without any one of them the verifier and the
/// interpreter must both report a race between threads, or an access to an element that is still being copied.
void expect_every_barrier_needed(const ir::Program& program, int barriers);

}  // namespace nestwright::testing
