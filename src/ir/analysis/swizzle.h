// Swizzling of matrices in shared memory, so that neither the threads that store rows nor a warpgroup that reads
// columns meet a bank twice (PTX ISA, "Shared Memory Matrix Layout" of wgmma.mma_async, 128-Byte swizzling): of row r
// of 128 bytes, the piece p of 16 bytes lies where piece p ^ r % 8 would. Indices in the IR remain those without
// swizzling; whoever computes an address from them swizzles it. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <set>

#include "ir/core/stmt.h"

namespace nestwright::ir {

inline constexpr std::int64_t kSwizzledRowBytes = 128, kSwizzledRows = 8, kSwizzledPieceBytes = 16;
/// The alignment of a swizzled buffer, in bytes.
inline constexpr std::int64_t kSwizzleAlignment = kSwizzledRows * kSwizzledRowBytes;

/// The buffers that instructions of the kernel read swizzled (TensorInstruction::swizzles_a, swizzles_b).
std::set<Buffer> swizzled_buffers(const Stmt& kernel);

}  // namespace nestwright::ir
