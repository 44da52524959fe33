// The state of the interpreter: the storage of buffers, and for each running iteration a frame with its variables.
// Private to ir/.
// Thread rule: all objects belong to one run of the interpreter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "ir/core/scalar.h"
#include "ir/interpret/race_detector.h"
#include "nestwright/program.h"

namespace nestwright::ir {

/// The storage of a live buffer, and the access history of each element.
struct Storage {
  std::vector<std::int64_t> shape, strides;
  std::span<std::byte> bytes;
  std::vector<std::byte> own;           ///< the memory of an allocation; empty for parameters
  std::vector<ElementHistory> history;  ///< empty for an input that is never written
  std::set<std::size_t> in_flight;      ///< elements whose copy is in flight
};

class CopyQueue;

/// The variables and buffers of one iteration, innermost last. A loop in lockstep has one frame per iteration.
struct Frame {
  /// The value of a let in one lane.
  struct Lane {
    Scalar value;
    bool defined;  ///< false where it was computed from uninitialised elements: it must not be used
  };
  struct Variable {
    const Var* var;
    Scalar value;
    std::vector<Lane> lanes = {};  ///< the lanes of a let; empty for other variables, which are scalars
  };
  std::vector<Variable> variables;
  std::vector<std::pair<const BufferNode*, Storage*>> buffers;
  Strand strand = RaceDetector::kRoot;
  std::uint32_t warp = 0;                ///< equal for threads that differ in threadIdx.x and threadIdx.y only
  std::vector<char> mask;                ///< the lanes that enclosing vector conditions enable; empty: all
  std::array<std::int64_t, 3> thread{};  ///< threadIdx
  CopyQueue* copies = nullptr;           ///< the queue of the device thread; null outside of blocks
};
using Frames = std::span<Frame* const>;

}  // namespace nestwright::ir
