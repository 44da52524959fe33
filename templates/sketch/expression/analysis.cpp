#include "templates/sketch/expression/analysis.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "ir/core/intrinsic_table.h"
#include "ir/traversal/equal.h"
#include "ir/traversal/linear.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "schedule/state/scan_parts.h"
#include "schedule/state/state.h"

namespace nestwright {
namespace {

/// Whether its value is worth storing: it is computed by a polynomial, or by a call.
bool is_expensive(ir::Intrinsic intrinsic) {
  using enum ir::Intrinsic;
  constexpr std::array kExpensive{kExp, kLog, kLog2, kTanh, kSigmoid, kErf, kSin, kCos, kPow};
  return std::find(kExpensive.begin(), kExpensive.end(), intrinsic) != kExpensive.end();
}

/// Whether a CPU computes the function on vectors, by a polynomial. analysis_test.cpp compares it with is_expanded().
bool is_polynomial(ir::Intrinsic intrinsic, ir::Type type) {
  using enum ir::Intrinsic;
  constexpr std::array kPolynomials{kExp, kLog, kLog2, kTanh, kSigmoid, kErf};
  return type.is_float() && type.bits <= 32 &&
         std::find(kPolynomials.begin(), kPolynomials.end(), intrinsic) != kPolynomials.end();
}

std::int64_t constant_extent(const IterVar& axis, const std::string& stage) {
  const std::int64_t* const extent = ir::as_const_int(axis.extent());
  if (extent != nullptr) return *extent;
  throw UsageError("the extent of axis " + axis.name() + " of " + stage +
                   " is a symbol: a space is made of constant extents only; give it a number");
}

/// The greatest common divisor of the divisors c of all quotients `var`/c in `e`, if it mentions `var` nowhere else;
/// else 1.
std::int64_t broadcast_period_of(const Expr& e, const ir::Var& var) {
  std::int64_t common = 0;
  int mentions = 0, quotients = 0;
  ir::for_each_expr(e, [&](const Expr& part) {
    if (ir::is_var(part, var)) ++mentions;
    const auto* const binary = part.as<ir::Binary>();
    if (binary == nullptr || binary->op != ir::BinaryOp::kDiv || !ir::is_var(binary->a, var)) return;
    const std::int64_t* const divisor = ir::as_const_int(binary->b);
    if (divisor == nullptr) return;
    common = std::gcd(common, *divisor);
    ++quotients;
  });
  return quotients > 0 && quotients == mentions ? common : 1;
}

OperandAccess access_of(const ir::Load& load, const std::vector<IterVar>& axes) {
  OperandAccess access;
  access.strides.assign(axes.size(), 0);
  access.broadcast_period.assign(axes.size(), 0);
  for (std::size_t d = 0; d < load.indices.size(); ++d) {
    const ir::Linear index = ir::to_linear(load.indices[d]);
    const Expr stride = load.buffer->stride(static_cast<int>(d));
    const std::int64_t* const step = ir::as_const_int(stride);
    std::vector<int> mentioned;
    std::vector<std::int64_t> moves;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const std::int64_t coefficient = index.coefficient(axes[a].var());
      const bool is_hidden = index.is_nonlinear_in(axes[a].var());
      if (coefficient != 0 || is_hidden) {
        mentioned.push_back(static_cast<int>(a));
        moves.push_back(is_hidden ? 0 : coefficient);
        access.broadcast_period[a] =
            std::gcd(access.broadcast_period[a], broadcast_period_of(load.indices[d], axes[a].var()));
      }
      std::optional<std::int64_t>& sum = access.strides[a];
      if (is_hidden || (coefficient != 0 && step == nullptr)) {
        sum.reset();
      } else if (sum && coefficient != 0) {
        *sum += coefficient * *step;
      }
    }
    const bool is_alone = index.constant == 0 && index.terms.size() == 1 && mentioned.size() == 1 &&
                          index.terms[0].coefficient == 1 &&
                          index.coefficient(axes[static_cast<std::size_t>(mentioned[0])].var()) == 1;
    access.identity.push_back(is_alone ? mentioned[0] : -1);
    access.axes.push_back(std::move(mentioned));
    access.steps.push_back(std::move(moves));
  }
  return access;
}

bool has_equal_strides(const OperandAccess& a, const OperandAccess& b) {
  return a.tensor == b.tensor && a.strides == b.strides && a.axes == b.axes;
}

/// Adds the read of `access` to those of `known`. Requires equal strides.
void add_read(OperandAccess& known, const OperandAccess& access) {
  const Expr& read = access.reads.front();
  if (std::any_of(known.reads.begin(), known.reads.end(), [&](const Expr& other) { return ir::equal(other, read); })) {
    return;
  }
  known.reads.push_back(read);
  for (std::size_t d = 0; d < access.identity.size(); ++d) {
    if (known.identity[d] != access.identity[d]) known.identity[d] = -1;
  }
}

/// Whether the expression combines data. Neither indices nor int64 data count: they have the same type.
bool is_data_operation(const Expr& e) {
  const auto* const binary = e.as<ir::Binary>();
  return binary != nullptr && binary->a.type() != ir::Type{kIndex} && !binary->a.type().is_bool();
}

/// The stages of a schedule, and where they are in the result.
class Analysis {
 public:
  Analysis(const ScheduleState& state, const std::vector<Tensor>& constants)
      : state_(state), constants_(constants), number_(state.stages.size(), -1) {
    for (std::size_t i = 0; i < state.stages.size(); ++i) {
      if (state.stages[i].attach.kind == AttachKind::kInline) continue;
      number_[i] = static_cast<int>(found_.size());
      add(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) note_reader(static_cast<int>(i));
  }

  std::vector<StageAnalysis> take() { return std::move(found_); }

 private:
  void add(int stage) {
    const StageState& source = state_.stages[static_cast<std::size_t>(stage)];
    const ComputeOp& op = *source.op.compute();
    StageAnalysis result;
    result.tensor = source.origin;
    result.name = source.name;
    result.results = static_cast<int>(source.op->results.size());
    result.is_output = source.is_output;
    result.is_reduction = op.reduction() != nullptr;
    result.is_scan_part = scan_place(state_, stage).part != ScanPart::kNone;
    result.is_prepared = source.attach.kind == AttachKind::kPrepared;
    std::vector<IterVar> axes = op.axes;
    axes.insert(axes.end(), op.reduce_axes.begin(), op.reduce_axes.end());
    result.spatial = static_cast<int>(op.axes.size());
    for (const IterVar& axis : axes) result.extents.push_back(constant_extent(axis, source.name));
    for (const Expr& value : op.values()) {
      ir::for_each_expr(value, [&](const Expr& e) { add_expression(e, axes, result); });
    }
    found_.push_back(std::move(result));
  }

  void add_expression(const Expr& e, const std::vector<IterVar>& axes, StageAnalysis& result) const {
    const auto* const select = e.as<ir::Select>();
    if (select != nullptr && !ir::reads_data(select->condition)) result.has_branch = true;
    if (is_data_operation(e)) ++result.operations;
    if (const auto* call = e.as<ir::Call>()) {
      result.operations += ir::intrinsic_info(call->intrinsic).operations;
      if (is_expensive(call->intrinsic)) ++result.expensive;
      if (is_polynomial(call->intrinsic, e.type())) ++result.polynomials;
    }
    const auto* const load = e.as<ir::Load>();
    if (load == nullptr) return;
    OperandAccess access = access_of(*load, axes);
    const Result from = state_.producer(load->buffer);
    if (from.stage >= 0) {
      access.tensor = Tensor(state_.stages[static_cast<std::size_t>(from.stage)].origin.op(), from.number);
      access.producer = number_[static_cast<std::size_t>(from.stage)];
      access.is_stored = access.producer >= 0 && found_[static_cast<std::size_t>(access.producer)].is_reduction &&
                         !found_[static_cast<std::size_t>(access.producer)].is_scan_part;
    } else {
      const auto is_read = [&](const Tensor& input) { return input.buffer() == load->buffer; };
      const auto input = std::find_if(state_.inputs.begin(), state_.inputs.end(), is_read);
      if (input != state_.inputs.end()) access.tensor = *input;
      access.is_stored = access.tensor.defined();
      access.is_constant = std::find(constants_.begin(), constants_.end(), access.tensor) != constants_.end();
    }
    access.reads.push_back(e);
    const auto known = std::find_if(result.accesses.begin(), result.accesses.end(),
                                    [&](const OperandAccess& other) { return has_equal_strides(other, access); });
    if (known != result.accesses.end()) {
      add_read(*known, access);
    } else {
      result.accesses.push_back(std::move(access));
    }
  }

  void note_reader(int reader) {
    for (const OperandAccess& access : found_[static_cast<std::size_t>(reader)].accesses) {
      if (access.producer < 0) continue;
      std::vector<int>& readers = found_[static_cast<std::size_t>(access.producer)].readers;
      if (std::find(readers.begin(), readers.end(), reader) == readers.end()) readers.push_back(reader);
    }
  }

  const ScheduleState& state_;
  const std::vector<Tensor>& constants_;
  std::vector<int> number_;  ///< index in found_ of each stage of the schedule; -1: it is inlined
  std::vector<StageAnalysis> found_;
};

/// The product of the extents [first, end), or the largest number if it is beyond.
std::int64_t product_of(const std::vector<std::int64_t>& extents, int first, int end) {
  std::int64_t product = 1;
  for (int axis = first; axis < end; ++axis) {
    if (__builtin_mul_overflow(product, extents[static_cast<std::size_t>(axis)], &product)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return product;
}

/// The last axis of [first, end) that has several points, else the last one.
int last_of_several(const std::vector<std::int64_t>& extents, int first, int end) {
  for (int axis = end - 1; axis >= first; --axis) {
    if (extents[static_cast<std::size_t>(axis)] > 1) return axis;
  }
  return end - 1;
}

}  // namespace

bool OperandAccess::mentions(int axis) const {
  return std::any_of(axes.begin(), axes.end(), [&](const std::vector<int>& mentioned) {
    return std::find(mentioned.begin(), mentioned.end(), axis) != mentioned.end();
  });
}

std::int64_t OperandAccess::step_of(int axis, std::size_t dimension) const {
  const std::vector<int>& mentioned = axes[dimension];
  const auto found = std::find(mentioned.begin(), mentioned.end(), axis);
  return found == mentioned.end() ? 0 : steps[dimension][static_cast<std::size_t>(found - mentioned.begin())];
}

bool OperandAccess::is_affine(std::size_t dimension) const {
  return std::find(steps[dimension].begin(), steps[dimension].end(), 0) == steps[dimension].end();
}

int OperandAccess::dimension_of(int axis) const {
  int found = -1, mentioned = 0;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (std::find(axes[d].begin(), axes[d].end(), axis) != axes[d].end()) ++mentioned;
    if (identity[d] == axis) found = static_cast<int>(d);
  }
  return mentioned == 1 ? found : -1;
}

int StageAnalysis::last_axis() const { return last_of_several(extents, 0, spatial); }
int StageAnalysis::last_reduced() const { return last_of_several(extents, spatial, static_cast<int>(extents.size())); }

std::int64_t StageAnalysis::points() const { return points_from(0); }

std::int64_t StageAnalysis::points_from(int first) const { return product_of(extents, first, spatial); }

std::int64_t StageAnalysis::reduced_points() const {
  return product_of(extents, spatial, static_cast<int>(extents.size()));
}

bool StageAnalysis::has_reuse() const {
  return std::any_of(accesses.begin(), accesses.end(), [&](const OperandAccess& access) {
    for (int a = 0; a < spatial; ++a) {
      if (extents[static_cast<std::size_t>(a)] > 1 && !access.mentions(a)) return true;
    }
    return false;
  });
}

std::int64_t StageAnalysis::reads_of(const Tensor& read) const {
  std::size_t reads = 0;
  for (const OperandAccess& access : accesses) {
    if (access.tensor == read) reads += access.reads.size();
  }
  return static_cast<std::int64_t>(reads);
}

std::int64_t StageAnalysis::result_stride(int axis) const {
  const Expr stride = tensor.buffer()->stride(axis);
  const std::int64_t* const constant = ir::as_const_int(stride);
  return constant == nullptr ? 0 : *constant;
}

std::vector<StageAnalysis> analyse_stages(const Schedule& schedule, const std::vector<Tensor>& constants) {
  return Analysis(schedule.state(), constants).take();
}

}  // namespace nestwright
