// Swizzling of matrices in shared memory, which avoids bank conflicts both of threads that store rows and of a
// warpgroup that reads columns (PTX ISA, "Shared Memory Matrix Layout" of wgmma.mma_async, 128-Byte swizzling). In row
// r of 128 bytes, piece p of 16 bytes is stored at the place of piece p ^ (r % 8). Indices in the IR are not swizzled;
// the source emitter swizzles the addresses that it computes from them. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <set>

#include "nestwright/program.h"

namespace nestwright::ir {

inline constexpr std::int64_t kSwizzledRowBytes = 128, kSwizzledRows = 8, kSwizzledPieceBytes = 16;
/// The alignment of a swizzled buffer, in bytes.
inline constexpr std::int64_t kSwizzleAlignment = kSwizzledRows * kSwizzledRowBytes;

/// The buffers that instructions of the kernel read swizzled (TensorInstruction::swizzles_a, swizzles_b).
std::set<Buffer> swizzled_buffers(const Stmt& kernel);

}  // namespace nestwright::ir
