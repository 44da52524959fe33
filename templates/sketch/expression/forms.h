// The loop forms of a reduction, ranked by the strides of its reads.
// Thread rule: pure functions.
//
//   C[i, j] = sum(k, A[i, k] * B[k, j])     tiles of vectors along j
//   y[i] = sum(k, A[i, k])                  lanes: partial sums of each row in a vector
//   y[j] = sum(k, A[k, j])                  tiles of vectors along j, without rows
#pragma once

#include <string>
#include <vector>

#include "nestwright/target.h"
#include "templates/sketch/expression/analysis.h"

namespace nestwright {

struct ReductionForm {
  enum class Kind : std::uint8_t {
    kTiles,   ///< vectors along a spatial axis, accumulators in registers over the whole reduction
    kLanes,   ///< vectors along the innermost axis of the reduction
    kScalar,  ///< neither: one element at a time
  } kind = Kind::kScalar;
  int vector_axis = -1;  ///< kTiles
  double score = 0;      ///< higher is likelier to be fast

  std::string label() const;
};

/// Forms of a reduction, the likeliest to be fast first, without those whose score is far below the best; never empty.
std::vector<ReductionForm> reduction_forms(const StageAnalysis& stage, const Target& target);

/// Returns the row axis of a register tile: the spatial axis along which most reads of a vector along `vector_axis` can
/// be shared, because they do not depend on it or read overlapping windows along it; -1 if there is none. It precedes
/// `vector_axis`, unless the result is contiguous along it or along `excluded_axis`, a row axis chosen before.
int row_axis(const StageAnalysis& stage, int vector_axis, int excluded_axis = -1);

/// Whether the result is contiguous along the rows of a register tile, not along its vectors: it is transposed before
/// it is stored.
bool is_transposed(const StageAnalysis& stage, int vector_axis);

/// How often each element that is read is used: the number of points of the spatial axes that the read does not
/// mention.
std::int64_t reuse_of(const StageAnalysis& stage, const OperandAccess& access);

/// The least number of uses of an element for which packing pays.
inline constexpr std::int64_t kMinPackingReuse = 8;

/// Bytes of the result and of what is read, each once.
double bytes_of(const StageAnalysis& stage);

/// Whether an axis of the reduction is among `axes`, those that the index of a dimension mentions.
bool mentions_reduction(const std::vector<int>& axes, int spatial);

/// The widest type that a stage computes with.
ir::Type widest_type(const StageAnalysis& stage);

}  // namespace nestwright
