// Compares an output with expected values of some of its elements and of sums over its lines
// (measure/check/large_data.h). Private to measure/. Thread rule: pure functions, which share their work among threads
// as they are told.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "measure/process/protocol.h"
#include "nestwright/measurement.h"

namespace nestwright {

/// Calls `f` with each of 0 .. parts - 1, from any threads, and returns when all calls have ended.
using RunParts = std::function<void(std::int64_t parts, const std::function<void(std::int64_t)>& f)>;
/// One after the other, on the calling thread.
void run_in_turn(std::int64_t parts, const std::function<void(std::int64_t)>& f);

/// What is expected of an output for one set of inputs, as it lies in the tensor file.
class LargeExpectation {
 public:
  /// `elements`: from the first element of the output to the last, with what lies between its rows. `places` and
  /// `block` are as LargeLayout says.
  LargeExpectation(const LargeLayout& layout, std::int64_t elements, std::span<const double> places,
                   std::span<const double> block)
      : layout_(layout), elements_(elements), places_(places), block_(block) {}

  const ir::ElementLines& lines() const { return layout_.lines; }
  double modulus() const { return layout_.modulus; }
  std::int64_t elements() const { return elements_; }
  bool has_lines() const { return layout_.vectors > 0; }
  std::int64_t vectors() const;  ///< of weights; 0: there are no sums for this set
  std::span<const double> places() const { return places_; }
  std::span<const double> expected() const { return part(0, layout_.samples); }
  std::span<const double> bound() const { return part(layout_.samples, layout_.samples); }
  std::span<const double> sums(std::int64_t vector) const { return of_vector(vector, 0, lines().lines()); }
  std::span<const double> bounds(std::int64_t vector) const {
    return of_vector(vector, lines().lines(), lines().lines());
  }
  std::span<const double> weights(std::int64_t vector) const {
    return of_vector(vector, 2 * lines().lines(), lines().segment);
  }

 private:
  std::span<const double> part(std::int64_t begin, std::int64_t count) const {
    return block_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
  }
  std::span<const double> of_vector(std::int64_t vector, std::int64_t begin, std::int64_t count) const {
    return part(2 * layout_.samples + 1 + vector * (2 * lines().lines() + lines().segment) + begin, count);
  }

  LargeLayout layout_;
  std::int64_t elements_;
  std::span<const double> places_, block_;
};

/// Returns what is wrong with `result`, the output that is parameter number `parameter`; empty if nothing is: first of
/// the sampled elements, then of the sums, then of what lies between the rows, which must still be poisoned. Adds to
/// the evidence.
std::string explain_large_mismatch(std::size_t parameter, ir::Type type, const void* result,
                                   const LargeExpectation& expectation, Evidence& evidence, const RunParts& run);

}  // namespace nestwright
