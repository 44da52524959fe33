// What happens to the iterations that a split leaves over, where its factor does not divide the extent.
// Thread rule: values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright {

enum class TailKind : std::uint8_t {
  kGuard,      ///< `if (likely(i < extent))` around the body. Always legal; a test an iteration.
  kPartition,  ///< a full main body and a peeled tail. Legal on constant extents; doubles the code of the body.
  kPredicate,  ///< masks on the loads and stores of a vectorised inner loop, in the last block alone where the extent
               ///< is constant, else in every one. An inner loop without vectors has nothing to mask: its tail is
               ///< partitioned where the extent is constant, else guarded.
  kCompose,    ///< consecutive segments, each with its own inner extent, which cover the extent exactly: one body a
               ///< segment.
};

/// A tail strategy with its parameters.
struct Tail {
  TailKind kind = TailKind::kGuard;
  /// kCompose: inner extents of the segments, first to last; split chooses how many tiles of each and refuses where no
  /// combination covers the extent.
  std::vector<std::int64_t> segments;

  static Tail guard() { return {}; }
  static Tail partition() { return {TailKind::kPartition, {}}; }
  static Tail predicate() { return {TailKind::kPredicate, {}}; }
  static Tail compose(std::vector<std::int64_t> segments) { return {TailKind::kCompose, std::move(segments)}; }
  /// As printed and parsed: guard, partition, predicate, compose{14,12}.
  std::string str() const;
  /// The inverse of str(). Throws UsageError that lists the known strategies.
  static Tail parse(std::string_view text);
};

/// How many tiles of each of `segments` cover `extent` exactly: as few tiles as possible and, among those, as many of
/// the first as possible. Empty where no combination does. Requires positive segments.
std::vector<std::int64_t> compose_counts(std::int64_t extent, const std::vector<std::int64_t>& segments);

}  // namespace nestwright
