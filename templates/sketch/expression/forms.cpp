#include "templates/sketch/expression/forms.h"

#include <algorithm>

#include "templates/loops/divide.h"
#include "templates/loops/vectors.h"

namespace nestwright {
namespace {

constexpr double kMinScoreShare = 0.65;        ///< of the best score
constexpr double kNoRowReuseFactor = 0.7;      ///< of the score, where each vector that is loaded serves one row
constexpr double kCopiedAndTransposed = 0.63;  ///< of the score, where the operand is copied and the result transposed
constexpr std::size_t kMaxForms = 3;
constexpr std::int64_t kNearStride = 4;  ///< of lanes that contiguous loads and shuffles collect

/// The share of the lanes that `extent` elements keep busy.
double busy_lanes(std::int64_t extent, std::int64_t lanes) {
  return static_cast<double>(extent) / static_cast<double>(ceil_div(extent, lanes) * lanes);
}

double score_along(const StageAnalysis& stage, int axis, const Target& target) {
  const std::int64_t extent = stage.extents[static_cast<std::size_t>(axis)];
  const ir::Type type = widest_type(stage);
  double score = busy_lanes(extent, std::max<std::int64_t>(full_lanes(extent, type, target), target.lanes(type) / 2));
  score *= std::min(1.0, static_cast<double>(extent) / target.lanes(type));
  const bool transposed = axis < stage.spatial && is_transposed(stage, axis);
  if (transposed) {
    // A transposition takes about as long as these steps of the reduction.
    constexpr double kSteps = 8;
    score *= static_cast<double>(stage.reduced_points()) / (static_cast<double>(stage.reduced_points()) + kSteps);
  } else if (axis < stage.spatial && stage.result_stride(axis) != 1) {
    score *= 0.7;
  }
  for (const OperandAccess& access : stage.accesses) {
    const std::optional<std::int64_t> stride = access.strides[static_cast<std::size_t>(axis)];
    if (stride && (*stride == 0 || *stride == 1)) continue;
    const std::int64_t broadcast_period = access.broadcast_period[static_cast<std::size_t>(axis)];
    if (axis >= stage.spatial && broadcast_period > 1 && broadcast_period % target.lanes(type) == 0)
      continue;  // one value for a vector
    const bool may_pack = axis < stage.spatial && access.is_stored && access.dimension_of(axis) >= 0;
    const std::int64_t reuse = reuse_of(stage, access);
    if (stride && *stride >= 2 && *stride <= kNearStride) {
      score *= 0.9;
      continue;
    }
    if (may_pack && access.is_constant) continue;
    score *= may_pack && reuse >= kMinPackingReuse ? (transposed ? kCopiedAndTransposed : 0.9)
             : may_pack && reuse > 1               ? 0.5
                                                   : 0.2;
  }
  return score;
}

bool reads_windows(const OperandAccess& access, int axis, int spatial) {
  return std::any_of(access.axes.begin(), access.axes.end(), [&](const std::vector<int>& mentioned) {
    const bool has_axis = std::find(mentioned.begin(), mentioned.end(), axis) != mentioned.end();
    return has_axis && mentions_reduction(mentioned, spatial);
  });
}

}  // namespace

bool mentions_reduction(const std::vector<int>& axes, int spatial) {
  return std::any_of(axes.begin(), axes.end(), [&](int axis) { return axis >= spatial; });
}

std::string ReductionForm::label() const {
  switch (kind) {
    case Kind::kTiles:
      return "axis" + std::to_string(vector_axis);
    case Kind::kLanes:
      return "reduction";
    case Kind::kScalar:
      return "none";
  }
  return "";
}

ir::Type widest_type(const StageAnalysis& stage) {
  ir::Type type = stage.tensor.dtype();
  for (const OperandAccess& access : stage.accesses) {
    if (access.tensor.defined() && access.tensor.dtype().bytes() > type.bytes()) type = access.tensor.dtype();
  }
  if (type.is_narrow_float() && stage.operations > 0) return kFloat32;  // each operation widens its operands
  return type;
}

std::int64_t reuse_of(const StageAnalysis& stage, const OperandAccess& access) {
  std::int64_t product = 1;
  for (int a = 0; a < stage.spatial; ++a) {
    if (!access.mentions(a)) product *= stage.extents[static_cast<std::size_t>(a)];
  }
  return product;
}

double bytes_of(const StageAnalysis& stage) {
  double bytes = static_cast<double>(stage.points()) * stage.tensor.dtype().bytes();
  for (const OperandAccess& access : stage.accesses) {
    if (!access.tensor.defined()) continue;
    bytes += static_cast<double>(access.tensor.buffer()->elements()) * access.tensor.dtype().bytes();
  }
  return bytes;
}

std::vector<ReductionForm> reduction_forms(const StageAnalysis& stage, const Target& target) {
  std::vector<ReductionForm> forms;
  for (int a = 0; a < stage.spatial; ++a) {
    if (stage.extents[static_cast<std::size_t>(a)] < 2) continue;
    if (stage.results > 1 && a != stage.last_axis()) continue;  // tuples are stored in place, without register tiles
    const double alone = stage.has_reuse() && row_axis(stage, a) < 0 ? kNoRowReuseFactor : 1;
    forms.push_back({ReductionForm::Kind::kTiles, a, alone * score_along(stage, a, target)});
  }
  const int last = stage.last_reduced();
  if (last >= stage.spatial && stage.extents[static_cast<std::size_t>(last)] > 1) {
    const double each = score_along(stage, last, target);
    forms.push_back({ReductionForm::Kind::kLanes, -1, stage.has_reuse() ? each / 2 : each});
  }
  const auto is_better = [](const ReductionForm& a, const ReductionForm& b) { return a.score > b.score; };
  std::stable_sort(forms.begin(), forms.end(), is_better);
  if (forms.empty()) return {{}};
  const double least = kMinScoreShare * forms.front().score;
  std::erase_if(forms, [&](const ReductionForm& form) { return form.score < least; });
  if (forms.size() > kMaxForms) forms.resize(kMaxForms);
  return forms;
}

int row_axis(const StageAnalysis& stage, int vector_axis, int excluded_axis) {
  int best = -1;
  double best_score = 0;
  const auto is_contiguous = [&](int a) { return a > vector_axis && stage.result_stride(a) == 1; };
  for (int a = 0; a < stage.spatial; ++a) {
    const std::int64_t extent = stage.extents[static_cast<std::size_t>(a)];
    if (a == excluded_axis || a == vector_axis || extent < 2) continue;
    // Rows of a later axis come between the lanes of a vector in the result: only transposed tiles have them.
    if (a > vector_axis && !is_contiguous(excluded_axis >= 0 ? excluded_axis : a)) continue;
    double score = 0;
    for (const OperandAccess& access : stage.accesses) {
      if (!access.mentions(vector_axis)) continue;
      score += !access.mentions(a) ? 1 : reads_windows(access, a, stage.spatial) ? 0.5 : 0;
    }
    // Of axes with equal scores the innermost one is taken, whose elements are contiguous.
    score *= extent >= 4 ? 1 : 0.5;
    if (score > 0 && score >= best_score) {
      best = a;
      best_score = score;
    }
  }
  return best;
}

bool is_transposed(const StageAnalysis& stage, int vector_axis) {
  const int row = row_axis(stage, vector_axis);
  return row > vector_axis && stage.result_stride(row) == 1;
}

}  // namespace nestwright
