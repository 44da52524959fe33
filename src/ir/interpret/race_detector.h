// Detects data races of the interpreted program: accesses of two concurrent iterations to one element, one of which
// writes. The iterations of a run form a tree; two of them are ordered unless the loop of their lowest common ancestor
// is concurrent.
// Thread rule: a detector belongs to one run of the interpreter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::ir {

/// A node of the tree: an iteration of a concurrent loop within its enclosing ones. 0 is none.
using Strand = std::uint32_t;

/// The access history of one element: its last writer and up to two concurrent readers since. Two are enough: a write
/// that is concurrent with any reader since the last write is concurrent with one of these.
struct ElementHistory {
  Strand writer = 0;  ///< 0: uninitialised
  Strand reader = 0;
  Strand other_reader = 0;
};

/// Two concurrent iterations of one loop.
struct Race {
  const For* loop;
  std::int64_t first, second;
};

class RaceDetector {
 public:
  RaceDetector();

  /// The root of the tree, in which a run starts.
  static constexpr Strand kRoot = 1;

  /// Begins one execution of a concurrent loop and returns its number. `loop` must outlive the detector.
  std::uint32_t open_loop(const For& loop);
  /// Begins the iteration `value` of an open loop as a child of `parent`.
  Strand fork(Strand parent, std::uint32_t open_loop, std::int64_t value);

  /// Records the access. Returns the race with an earlier access, if there is one.
  std::optional<Race> read(ElementHistory& element, Strand strand) const;
  std::optional<Race> write(ElementHistory& element, Strand strand) const;

 private:
  struct Node {
    Strand parent;
    std::uint32_t depth;
    std::uint32_t open_loop;
    std::int64_t value;
  };

  /// The loop and iterations at which two strands are concurrent; absent where they are ordered.
  std::optional<Race> concurrent(Strand a, Strand b) const;

  std::vector<Node> nodes_;
  std::vector<const For*> loops_;
};

}  // namespace nestwright::ir
