#include "reference/evaluation.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "measure/check/elements.h"
#include "nestwright/error.h"
#include "nestwright/target.h"
#include "support/base/chunks.h"

namespace nestwright {
namespace {

constexpr double kMostSteps = 1e13;    // hours of computing
constexpr double kFewSteps = 1 << 24;  // tens of milliseconds
constexpr std::int64_t kLeastElements = 16;
constexpr std::size_t kMostCornerDimensions = 5;
constexpr double kMostGrowth = 8;  // of the runs from round to round

/// The steps that so many elements of the operation take.
double steps_of(const Operation& op, std::int64_t elements) {
  auto steps = static_cast<double>(elements);
  const ComputeOp* const compute = op.compute();
  if (compute == nullptr) return steps;
  for (const IterVar& axis : compute->reduce_axes) steps *= static_cast<double>(*ir::as_const_int(axis.extent()));
  return steps;
}

bool covers(std::span<const ir::Interval> box, const std::vector<std::int64_t>& shape) {
  return std::equal(box.begin(), box.end(), shape.begin(), [](const ir::Interval& range, std::int64_t extent) {
    return range.lo == 0 && range.hi == extent - 1;
  });
}

}  // namespace

Evaluation::Evaluation(const Definition& definition, const HostTensors& inputs, Rounding rounding, Parts parts) {
  const auto count = static_cast<std::size_t>(definition.inputs);
  const std::span<const Tensor> outputs = std::span(definition.args).subspan(count);
  check(inputs.size() == count, "each input of the definition has its values");
  for (std::size_t i = 0; i < count; ++i) {
    const Tensor& input = definition.args[i];
    const Type type = in_double(input.dtype());
    TensorInDouble tensor{Array::empty(type, ir::constants_of(input.shape()), {.huge_pages = true})};
    check(inputs[i].size() == static_cast<std::size_t>(tensor.value.elements()), "an input has all of its elements");
    for_chunks(inputs[i].size(), [&](std::size_t first, std::size_t end) {
      auto* const chunk = static_cast<std::byte*>(tensor.value.data()) + first * static_cast<std::size_t>(type.bytes());
      encode_elements(type, std::span(inputs[i]).subspan(first, end - first), chunk);
    });
    inputs_.push_back(input);
    tensors_.emplace(input.buffer(), std::move(tensor));
  }
  operations_ = computes_of(outputs);
  const Target target = Target::host();
  const std::shared_ptr<ParallelPool> pool = make_pool(PoolKind::kSpin, target.threads);
  const auto is_exact = [&](const Buffer& buffer) { return !tensors_.at(buffer).bound.has_value(); };
  for (const Operation& op : operations_) all_steps_ += steps_of(op, Tensor(op).buffer()->elements());
  const Extent extent = all_steps_ <= kFewSteps ? Extent::kWhole : Extent::kRuns;
  for (const Operation& op : operations_) {
    Stage stage{.op = op};
    Runs runs = choose_runs(op, target.lanes(kFloat64), target.threads);
    stage.program = std::make_unique<RunProgram>(op, std::move(runs), extent, is_exact, rounding, parts, pool);
    stage.required =
        std::make_unique<RequiredElements>(op, [&](const Buffer& buffer) { return stage_of_.contains(buffer); });
    stage.is_computed.resize(static_cast<std::size_t>(stage.program->runs().count()));
    stage.is_required = stage.is_computed;
    stage.is_output =
        std::any_of(outputs.begin(), outputs.end(), [&](const Tensor& output) { return output.op() == op; });
    for (std::size_t r = 0; r < op->results.size(); ++r) {
      const Buffer& buffer = op->results[r];
      const auto make = [&](Type type) {
        Array array = Array::empty(type, ir::constants_of(buffer->shape), {.huge_pages = true});
        array.fill_bytes(0xff);
        return array;
      };
      TensorInDouble& tensor = tensors_[buffer];
      tensor.value = make(in_double(buffer->element));
      if (stage.program->has_bound(r)) tensor.bound = make(kFloat64);
      if (stage.program->has_nan_count(r)) tensor.nan_count = make(kFloat64);
      stage_of_[buffer] = stages_.size();
    }
    stages_.push_back(std::move(stage));
  }
  tbb::parallel_for(std::size_t{0}, stages_.size(), [&](std::size_t s) { stages_[s].program->compile(); });
}

const Evaluation::Stage& Evaluation::stage(const Operation& op) const {
  return stages_[stage_of_.at(op->results.front())];
}

double Evaluation::steps_of_run(const Stage& stage) { return steps_of(stage.op, stage.program->runs().length()); }

void Evaluation::run(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  for (Stage& stage : stages_) {
    if (all_steps_ <= kFewSteps) {
      std::fill(stage.is_required.begin(), stage.is_required.end(), 1);
    } else if (stage.is_output) {
      require_samples(stage);
    }
  }
  const double least = require_operands();
  if (least > kMostSteps) {
    throw UsageError(
        fmt::format("the reference would take {:.2g} steps, more than {:g}: give smaller sizes", least, kMostSteps));
  }
  double round_begin = elapsed();
  compute_required();
  double share = 0;  // of the outputs' runs, that the last round computed
  const auto rest = [](const Stage& stage) {
    return static_cast<std::int64_t>(stage.is_computed.size()) - stage.computed;
  };
  for (const Stage& stage : stages_) {
    if (!stage.is_output) continue;
    share = std::max(share, static_cast<double>(stage.computed) / static_cast<double>(stage.is_computed.size()));
  }
  while (std::any_of(stages_.begin(), stages_.end(),
                     [&](const Stage& stage) { return stage.is_output && rest(stage) > 0; })) {
    const double now = elapsed();
    const double growth = std::min((seconds - now) / (now - round_begin), kMostGrowth);
    share *= growth;
    bool is_any = false;
    for (Stage& stage : stages_) {
      if (!stage.is_output || rest(stage) == 0) continue;
      const auto more = static_cast<std::int64_t>(share * static_cast<double>(stage.is_computed.size()));
      if (more <= 0) continue;
      require_more(stage, std::min(more, rest(stage)));
      is_any = true;
    }
    if (!is_any) return;
    round_begin = now;
    require_operands();
    compute_required();
  }
}

void Evaluation::require_samples(Stage& stage) {
  const Runs& runs = stage.program->runs();
  const std::vector<std::int64_t>& shape = runs.shape();
  std::vector<std::int64_t> index(shape.size());
  const auto require = [&] { stage.is_required[static_cast<std::size_t>(runs.run_of(index))] = 1; };
  const auto draw = [&] {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      index[d] = std::uniform_int_distribution<std::int64_t>(0, shape[d] - 1)(random_);
    }
  };
  const std::size_t corners = std::size_t{1} << std::min(shape.size(), kMostCornerDimensions);
  for (std::size_t corner = 0; corner < corners; ++corner) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const bool is_last = (corner >> d % kMostCornerDimensions & 1) != 0;
      index[d] = is_last ? shape[d] - 1 : 0;
    }
    require();
  }
  for (std::size_t d = 0; d < shape.size(); ++d) {
    for (const std::int64_t end : {std::int64_t{0}, shape[d] - 1}) {
      draw();
      index[d] = end;
      require();
    }
  }
  const auto marked = std::count(stage.is_required.begin(), stage.is_required.end(), 1);
  const auto rest = static_cast<std::int64_t>(stage.is_required.size()) - marked;
  const std::int64_t least = (kLeastElements + runs.length() - 1) / runs.length();
  require_more(stage, std::min<std::int64_t>(std::max<std::int64_t>(least - marked, 0), rest));
}

void Evaluation::require_more(Stage& stage, std::int64_t count) {
  std::vector<char>& marks = stage.is_required;
  std::vector<std::size_t> rest;
  for (std::size_t run = 0; run < marks.size(); ++run) {
    if (marks[run] == 0) rest.push_back(run);
  }
  for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n) {
    const std::size_t at = std::uniform_int_distribution<std::size_t>(n, rest.size() - 1)(random_);
    std::swap(rest[n], rest[at]);
    marks[rest[n]] = 1;
  }
}

double Evaluation::require_operands() {
  double steps = 0;
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    const auto marked = std::count(stage->is_required.begin(), stage->is_required.end(), 1);
    stage->is_wholly_required = marked == static_cast<std::ptrdiff_t>(stage->is_required.size());
    steps += steps_of_run(*stage) * static_cast<double>(marked - stage->computed);
    if (stage->is_wholly_required) {
      for (const Operation& input : stage->op->inputs) {
        if (input.is_placeholder()) continue;
        std::vector<char>& of_input = stages_[stage_of_.at(input->results.front())].is_required;
        std::fill(of_input.begin(), of_input.end(), 1);
      }
      continue;
    }
    for (std::size_t run = 0; run < stage->is_required.size(); ++run) {
      if (stage->is_required[run] == 0 || stage->is_computed[run] != 0) continue;
      stage->required->visit(stage->program->runs(), static_cast<std::int64_t>(run),
                             [&](const Buffer& buffer, std::span<const ir::Interval> box) {
                               Stage& read = stages_[stage_of_.at(buffer)];
                               if (read.is_wholly_required) return;
                               read.program->runs().mark_box(box, read.is_required);
                               read.is_wholly_required = covers(box, read.program->runs().shape());
                             });
    }
  }
  return steps;
}

void Evaluation::compute_required() {
  for (Stage& stage : stages_) {
    std::vector<std::int64_t> runs;
    for (std::size_t run = 0; run < stage.is_required.size(); ++run) {
      if (stage.is_required[run] == 0 || stage.is_computed[run] != 0) continue;
      runs.push_back(static_cast<std::int64_t>(run));
      stage.is_computed[run] = 1;
    }
    stage.computed += static_cast<std::int64_t>(runs.size());
    stage.program->compute(runs, tensors_);
  }
}

}  // namespace nestwright
