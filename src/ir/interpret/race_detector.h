// Which iterations of a running program are concurrent, and which two of them touched one element. The interpreter's
// iterations form a tree; two of them are ordered unless the loop at which their paths part is a concurrent one.
// Thread rule: none; one detector belongs to one run of the interpreter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/core/stmt.h"

namespace nestwright::ir {

/// An iteration of a concurrent loop, together with those that it runs within. 0 is none.
using Strand = std::uint32_t;

/// What is remembered of one element: who wrote it last, and up to two concurrent readers since. Two are enough: a
/// write that is concurrent to any reader since the last write is concurrent to one of these.
struct ElementHistory {
  Strand writer = 0;  ///< 0: never written
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

  /// The strand that everything starts in.
  static constexpr Strand kRoot = 1;

  /// One execution of a concurrent loop. `loop` must outlive the detector.
  std::uint32_t open_loop(const For& loop);
  /// The iteration `value` of an open loop, begun in `parent`.
  Strand fork(Strand parent, std::uint32_t open_loop, std::int64_t value);

  /// Notes the access and says which earlier one it races with, if any.
  std::optional<Race> read(ElementHistory& element, Strand strand) const;
  std::optional<Race> write(ElementHistory& element, Strand strand) const;

 private:
  struct Node {
    Strand parent;
    std::uint32_t depth;
    std::uint32_t open_loop;
    std::int64_t value;
  };

  /// Set where neither strand comes before the other.
  std::optional<Race> concurrent(Strand a, Strand b) const;

  std::vector<Node> nodes_;
  std::vector<const For*> loops_;
};

}  // namespace nestwright::ir
