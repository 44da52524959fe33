// polynomials: a short stage that calls exp or the like may evaluate the polynomials of these functions in Estrin's
// form. With few vectors there is little to compute while an operation takes its time, so that shorter chains of
// dependent operations pay for the additional multiplications; with many vectors Horner's form is faster.
//
//   for i: Y[i] = exp(X[i])     ->     for i: Y[i] = estrin(exp(X[i]))
#include "templates/sketch/rules.h"

namespace nestwright {
namespace {

constexpr std::int64_t kFewVectors = 16;  ///< shorter chains pay with one to four, and cost time with hundreds

/// The number of points that do not depend on one another.
std::int64_t independent_points(const StageAnalysis& stage) {
  return stage.is_scan_part ? stage.points() / stage.extents.front() : stage.points();
}

}  // namespace

void define_polynomials(Sketch& sketch) {
  for (int i = 0; i < static_cast<int>(sketch.stages.size()); ++i) {
    const StageAnalysis& stage = sketch.of(i);
    if (stage.polynomials == 0 || stage.is_reduction || stage.spatial == 0) continue;
    if (independent_points(stage) > kFewVectors * sketch.target.lanes(widest_type(stage))) continue;
    const bool is_estrin = sketch.knobs_of(i).define_annotate("polynomials", {"horner", "estrin"}) == "estrin";
    if (is_estrin) sketch.loops_of(i).pragma(sketch.loops_of(i).loops().back(), "estrin", 1);
  }
}

}  // namespace nestwright
