// What the tests of programs for devices share.
#pragma once

#include "ir/core/program.h"
#include "target/target.h"

namespace nestwright::testing {

Target device_target(DeviceKind device = DeviceKind::kCuda);

int count_barriers(const ir::Stmt& s);

/// Expects the only kernel of `program` to have `barriers` barriers, and each to be missed where it is left out: by the
/// verifier and by the interpreter, with a race between threads or an access to what is still being copied.
void expect_every_barrier_needed(const ir::Program& program, int barriers);

}  // namespace nestwright::testing
