// Tail strategies: how a split executes the remaining iterations where its factor does not divide the extent.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright {

enum class TailKind : std::uint8_t {
  kGuard,      ///< `if (likely(i < extent))` around the body. Always legal; costs a test in each iteration.
  kPartition,  ///< a full main body and a peeled tail. Requires a constant extent; doubles the code of the body.
  kPredicate,  ///< masked loads and stores in a vectorised inner loop: only in the last block where the extent is
               ///< constant, else in every block. The tail of an inner loop that is not vectorised is partitioned where
               ///< the extent is constant, else guarded.
  kCompose,    ///< consecutive segments, each with its own inner extent, that cover the extent exactly. One copy of the
               ///< body for each segment.
};

/// A tail strategy with its parameters.
struct Tail {
  TailKind kind = TailKind::kGuard;
  /// kCompose: the inner extents of the segments, first to last. split chooses the number of tiles of each, and refuses
  /// where no combination covers the extent.
  std::vector<std::int64_t> segments;

  static Tail guard() { return {}; }
  static Tail partition() { return {TailKind::kPartition, {}}; }
  static Tail predicate() { return {TailKind::kPredicate, {}}; }
  static Tail compose(std::vector<std::int64_t> segments) { return {TailKind::kCompose, std::move(segments)}; }
  /// The text that parse() takes: guard, partition, predicate, compose{14,12}.
  std::string str() const;
  /// The inverse of str(). Throws UsageError that lists the known strategies.
  static Tail parse(std::string_view text);
};

/// The number of tiles of each of `segments` that cover `extent` exactly, with as few tiles as possible and then as
/// many of the first segment as possible. Empty where no combination does. Requires positive segments.
std::vector<std::int64_t> compose_counts(std::int64_t extent, const std::vector<std::int64_t>& segments);

}  // namespace nestwright
