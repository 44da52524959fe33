// What the interpreter knows at a point of a run: buffers, and for each iteration that is under way its variables.
// Private to ir/. Thread rule: none; all of it belongs to one run of the interpreter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "ir/core/scalar.h"
#include "ir/core/stmt.h"
#include "ir/interpret/race_detector.h"

namespace nestwright::ir {

/// A buffer that exists: where its elements are, and what happened to each.
struct Storage {
  std::vector<std::int64_t> shape, strides;
  std::span<std::byte> bytes;
  std::vector<std::byte> own;  ///< of an allocation
  std::vector<ElementHistory> history;
  std::set<std::size_t> in_flight;  ///< elements whose copy was committed and not waited for
};

class CopyQueue;

/// One iteration's view: its variables and buffers, innermost last. Loops in lockstep have one frame an iteration.
struct Frame {
  /// What a let holds in one lane.
  struct Lane {
    Scalar value;
    bool defined;  ///< false where it was computed from what was never written: it must not be used
  };
  struct Variable {
    const Var* var;
    Scalar value;
    std::vector<Lane> lanes = {};  ///< of a let; empty for others, which are scalars
  };
  std::vector<Variable> variables;
  std::vector<std::pair<const BufferNode*, Storage*>> buffers;
  Strand strand = RaceDetector::kRoot;
  std::uint32_t warp = 0;                ///< the same for those that differ in threadIdx.x and threadIdx.y only
  std::vector<char> mask;                ///< lanes that enclosing vector conditions leave on; empty: all
  std::array<std::int64_t, 3> thread{};  ///< threadIdx
  CopyQueue* copies = nullptr;           ///< of the thread of a block; null outside of one
};
using Frames = std::span<Frame* const>;

}  // namespace nestwright::ir
