#include "reference/run_program.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "ir/traversal/rewrite.h"
#include "nestwright/build.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "reference/hoist_indices.h"

namespace nestwright {
namespace {

constexpr std::int64_t kElementsOfCall = std::int64_t{1} << 18;

/// Whether an index of a read depends on data. The verifier cannot follow it through the lanes of vectors.
bool gathers(const ComputeOp& op) {
  const std::vector<Expr>& values = op.values();
  return std::any_of(values.begin(), values.end(), [](const Expr& value) {
    return ir::any_expr(value, [](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      return load != nullptr && std::any_of(load->indices.begin(), load->indices.end(), ir::reads_data);
    });
  });
}

std::vector<Buffer> buffers_read(const ComputeOp& op) {
  std::vector<Buffer> buffers;
  for (const Expr& value : op.values()) {
    ir::for_each_expr(value, [&](const Expr& e) {
      const auto* const load = e.as<ir::Load>();
      if (load == nullptr || std::find(buffers.begin(), buffers.end(), load->buffer) != buffers.end()) return;
      buffers.push_back(load->buffer);
    });
  }
  return buffers;
}

/// Copies elements of `from`, `length` for each run, to their places in `to`.
void scatter(const Array& from, const Runs& runs, std::span<const std::int64_t> chosen, Array& to) {
  const auto bytes = static_cast<std::size_t>(from.type().bytes());
  const auto length = static_cast<std::size_t>(runs.length());
  const auto* source = static_cast<const std::byte*>(from.data());
  for (const std::int64_t run : chosen) {
    auto* target = static_cast<std::byte*>(to.data()) + static_cast<std::size_t>(runs.offset_of(run)) * bytes;
    if (runs.stride() == 1) {
      std::memcpy(target, source, length * bytes);
    } else {
      const std::size_t step = static_cast<std::size_t>(runs.stride()) * bytes;
      for (std::size_t e = 0; e < length; ++e) std::memcpy(target + e * step, source + e * bytes, bytes);
    }
    source += length * bytes;
  }
}

}  // namespace

RunProgram::RunProgram(const Operation& op, Runs runs, Extent extent,
                       const std::function<bool(const Buffer&)>& is_exact, Rounding rounding, Parts parts,
                       const std::shared_ptr<ParallelPool>& pool)
    : op_(op),
      runs_(std::move(runs)),
      extent_(extent),
      values_(op->results.size(), -1),
      bounds_(values_),
      nan_counts_(values_),
      pool_(pool) {
  DoubleProgram program(rounding);
  for (const Buffer& buffer : buffers_read(*op.compute())) {
    ErrorBoundedTensor read{placeholder(buffer->shape, in_double(buffer->element), buffer->name), {}};
    reads_.push_back({buffer, false});
    inputs_.push_back(read.value);
    if (parts == Parts::kValuesAndBounds && !is_exact(buffer)) {
      read.bound = placeholder(buffer->shape, kFloat64, buffer->name + ".bound");
      reads_.push_back({buffer, true});
      inputs_.push_back(read.bound);
    }
    program.set(buffer, std::move(read));
  }
  const ComputedRegion computed = region();
  const auto add = [&](const Tensor& tensor, int& place) {
    if (!tensor.defined()) return;
    place = static_cast<int>(outputs_.size());
    outputs_.push_back(tensor);
  };
  if (parts == Parts::kValues) {
    const std::vector<Tensor> values = program.compute_values(op, computed);
    for (std::size_t r = 0; r < values.size(); ++r) add(values[r], values_[r]);
  } else {
    const std::vector<ErrorBoundedTensor> results = program.compute_region(op, computed);
    for (std::size_t r = 0; r < results.size(); ++r) {
      add(results[r].value, values_[r]);
      add(results[r].bound, bounds_[r]);
      add(results[r].nan_count, nan_counts_[r]);
    }
  }
}

ComputedRegion RunProgram::region() {
  const std::vector<std::int64_t>& shape = runs_.shape();
  if (extent_ == Extent::kWhole) {
    return {op_->results.front()->shape, [](std::span<const Expr> x) { return std::vector<Expr>(x.begin(), x.end()); }};
  }
  const Expr count(var("runs"));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    starts_.push_back(placeholder({count}, kInt64, op_->name + ".at" + std::to_string(d)));
    inputs_.push_back(starts_.back());
  }
  return {{count, Expr(runs_.length())}, [this](std::span<const Expr> x) {
            std::vector<Expr> axes;
            for (std::size_t d = 0; d < starts_.size(); ++d) {
              const bool is_along = d == runs_.dimension();
              const std::int64_t last = runs_.shape()[d] - (is_along ? runs_.length() : 1);
              const Expr start = clamp(starts_[d](x[0]), Expr(0), Expr(last));  // clamped for the verifier
              axes.push_back(is_along ? start + x[1] : start);
            }
            return axes;
          }};
}

/// Reductions run outside of the elements of a run, whose partial sums stay in the L1 cache. Only they are vectorized,
/// since functions of vectors are long code.
Schedule RunProgram::schedule() const {
  Schedule schedule = create_schedule(outputs_);
  const std::int64_t lanes = Target::host().lanes(kFloat64);
  const bool is_vector = runs_.length() >= lanes && !gathers(*op_.compute());
  for (const Operation& op : computes_of(outputs_)) {
    Stage stage = schedule[Tensor(op)];
    std::vector<IterVar> outer = op.compute()->axes;
    if (outer.empty()) continue;
    std::vector<IterVar> inner{outer[extent_ == Extent::kWhole ? runs_.dimension() : 1]};
    outer.erase(std::find(outer.begin(), outer.end(), inner.front()));
    const std::vector<IterVar>& reduced = op.compute()->reduce_axes;
    if (extent_ == Extent::kWhole && !reduced.empty()) {
      const auto [block, of_run] = stage.split(inner.front(), factor(runs_.length()));
      outer.insert(outer.begin(), block);
      inner.front() = of_run;
    }
    if (is_vector && !reduced.empty()) {
      const auto [vectors, vector] = stage.split(inner.front(), factor(lanes));
      inner = {vectors, vector};
    }
    std::vector<IterVar> loops = outer;
    loops.insert(loops.end(), reduced.begin(), reduced.end());
    loops.insert(loops.end(), inner.begin(), inner.end());
    stage.reorder(loops);
    if (!outer.empty()) stage.parallel(loops.front());
    if (is_vector && !reduced.empty()) stage.vectorize(loops.back());
  }
  return schedule;
}

void RunProgram::compile() {
  Target target = Target::host();
  target.threads = pool_->threads();
  std::vector<Tensor> args = inputs_;
  args.insert(args.end(), outputs_.begin(), outputs_.end());
  const ir::Program loops = lower(schedule(), args, target, "reference");
  function_ = build(extent_ == Extent::kRuns ? hoist_indices(loops) : loops, target, {.pool = pool_});
}

void RunProgram::compute_whole(std::map<Buffer, TensorInDouble>& tensors) const {
  std::vector<Array*> outputs(outputs_.size());
  const auto set = [&](int place, Array& array) { outputs[static_cast<std::size_t>(place)] = &array; };
  for (std::size_t r = 0; r < op_->results.size(); ++r) {
    TensorInDouble& result = tensors.at(op_->results[r]);
    set(values_[r], result.value);
    if (has_bound(r)) set(bounds_[r], *result.bound);
    if (has_nan_count(r)) set(nan_counts_[r], *result.nan_count);
  }
  std::vector<ArrayRef> arguments = arguments_of(tensors);
  for (Array* output : outputs) arguments.emplace_back(*output);
  function_->call(arguments);
}

std::vector<ArrayRef> RunProgram::arguments_of(std::map<Buffer, TensorInDouble>& tensors) const {
  std::vector<ArrayRef> arguments;
  for (const Read& read : reads_) {
    const TensorInDouble& tensor = tensors.at(read.buffer);
    arguments.emplace_back(read.is_bound ? *tensor.bound : tensor.value);
  }
  return arguments;
}

void RunProgram::compute(std::span<const std::int64_t> runs, std::map<Buffer, TensorInDouble>& tensors) const {
  if (extent_ == Extent::kWhole) return compute_whole(tensors);
  const auto most = static_cast<std::size_t>(std::max<std::int64_t>(kElementsOfCall / runs_.length(), 1));
  for (std::size_t begin = 0; begin < runs.size(); begin += most) {
    compute_part(runs.subspan(begin, std::min(most, runs.size() - begin)), tensors);
  }
}

void RunProgram::compute_part(std::span<const std::int64_t> runs, std::map<Buffer, TensorInDouble>& tensors) const {
  const auto count = static_cast<std::int64_t>(runs.size());
  const std::size_t rank = runs_.shape().size();
  std::vector<Array> starts, outputs;
  for (std::size_t d = 0; d < rank; ++d) starts.push_back(Array::empty(kInt64, {count}));
  std::vector<std::int64_t> index(rank);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    runs_.first_of(runs[r], index);
    for (std::size_t d = 0; d < rank; ++d) starts[d].as<std::int64_t>()[r] = index[d];
  }
  for (const Tensor& output : outputs_) outputs.push_back(Array::empty(output.dtype(), {count, runs_.length()}));
  std::vector<ArrayRef> arguments = arguments_of(tensors);
  for (Array& start : starts) arguments.emplace_back(start);
  for (Array& output : outputs) arguments.emplace_back(output);
  function_->call(arguments);
  const auto keep = [&](int output, Array& result) {
    scatter(outputs[static_cast<std::size_t>(output)], runs_, runs, result);
  };
  for (std::size_t r = 0; r < op_->results.size(); ++r) {
    TensorInDouble& result = tensors.at(op_->results[r]);
    keep(values_[r], result.value);
    if (has_bound(r)) keep(bounds_[r], *result.bound);
    if (has_nan_count(r)) keep(nan_counts_[r], *result.nan_count);
  }
}

}  // namespace nestwright
