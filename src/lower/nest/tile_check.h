// Checks the statements that a tensor intrinsic emits for a tile. They are the user's, so this is done in release
// builds too, where the verifier does not run. Internal to lower/. Thread rule: pure functions.
#pragma once

#include <span>
#include <string>

#include "nestwright/schedule.h"

namespace nestwright {

/// Throws LowerError where `emitted` is undefined, or where it accesses anything but the tile of `output`, those of
/// `inputs` and buffers that it allocates itself; an access that cannot be proved to lie in its tile counts as outside.
/// `stage` and `intrinsic` are for the message.
void check_tile(const ir::Stmt& emitted, const TensorSlice& output, std::span<const TensorSlice> inputs,
                const TensorIntrinsic& intrinsic, const std::string& stage);

}  // namespace nestwright
