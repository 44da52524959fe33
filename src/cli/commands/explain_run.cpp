#include "cli/commands/explain_run.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "cli/options/common_options.h"
#include "cli/output/tune_output.h"
#include "ir/core/elements.h"
#include "kernel/has_parallel_loop.h"
#include "nestwright/array.h"
#include "nestwright/build.h"
#include "nestwright/error.h"
#include "runtime/start_cost.h"
#include "search/task/check_data.h"
#include "search/task/timing_lock.h"
#include "support/base/clock.h"
#include "support/os/machine_lock.h"
#include "support/os/perf_counters.h"
#include "templates/framework/template/operator_data.h"

namespace nestwright::cli {
namespace {

constexpr double kCounted_s = 0.2;
constexpr double kMaxBytes = 1 << 30;  // of tensors that are filled for it
constexpr double kMemoryBytes = 1e12;  // larger than every cache

/// The tensors of a call, in memory of their own.
class CallTensors {
 public:
  explicit CallTensors(const Workload& workload) {
    const Definition& definition = *workload.definition;
    const HostTensors inputs = uniform_inputs(workload);
    for (std::size_t i = 0; i < definition.args.size(); ++i) {
      const ir::Buffer& buffer = definition.args[i].buffer();
      const std::int64_t elements = buffer->elements();
      Array& memory = memory_.emplace_back(Array::empty(buffer->element, {elements}));
      if (i < inputs.size()) {
        ir::encode_elements(buffer->element, inputs[i], static_cast<std::byte*>(memory.data()));
      } else {
        memory.fill_bytes(0);
      }
      std::vector<std::int64_t> shape = ir::constants_of(buffer->shape), strides;
      if (!buffer->strides.empty()) strides = ir::constants_of(buffer->strides);
      views_.emplace_back(memory.data(), buffer->element, std::move(shape), std::move(strides));
    }
  }

  /// The arguments whose numbers are, or are not, among the constant inputs.
  std::vector<ArrayRef> arguments(const std::vector<std::size_t>& constants, bool constant) {
    std::vector<ArrayRef> chosen;
    for (std::size_t i = 0; i < views_.size(); ++i) {
      const bool is_constant = std::find(constants.begin(), constants.end(), i) != constants.end();
      if (is_constant == constant) chosen.emplace_back(views_[i]);
    }
    return chosen;
  }

 private:
  std::vector<Array> memory_;
  std::vector<ArrayView> views_;
};

bool prepares(const Function& function) {
  const auto& parameters = function.program().parameters;
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const ir::Parameter& parameter) { return parameter.role == ir::Role::kPrepared; });
}

/// The template of a point, with the labels of its configuration resolved.
std::pair<const Template*, Config> resolved(const TaskContext& context, const Point& point) {
  const Template* const source = context.workload().op->find_template(point.template_name);
  check(source != nullptr, "a point is of a template that its operator lacks");
  return {source, context.space(*source).resolve(point.config)};
}

/// The nanoseconds that the start of the point's parallel loop takes; 0 if it has none.
double start_ns(const TaskContext& context, const Point& point) {
  const int threads = context.target().threads;
  if (threads == 1) return 0;
  const auto [source, config] = resolved(context, point);
  const ir::Program program = program_of(context.task(), *source, config, kernel_name(context.workload()));
  return has_parallel_loop(program) ? measure_start_cost(PoolKind::kSpin, threads).hot_ns : 0;
}

}  // namespace

CallCounts count_calls(const TaskContext& context, const Point& point, PerfCounters& counters) {
  const Workload& workload = context.workload();
  const auto [source, config] = resolved(context, point);
  const Instance instance = instantiate(*source, workload, context.target(), config);
  // Built after the counters were opened, so that the threads of its pool are counted.
  Function function = build(instance.schedule, instance.definition.args, context.target(), kernel_name(workload));
  CallTensors tensors(workload);
  std::vector<std::size_t> constants;
  if (prepares(function)) {
    constants = constant_operands(workload);
    function = function.prepare_of(tensors.arguments(constants, true));
  }
  const std::vector<ArrayRef> arguments = tensors.arguments(constants, false);
  function.call(arguments);
  Clock& clock = steady_clock();
  const bool counts_events = counters.why_not().empty();
  if (counts_events) counters.start();
  const std::int64_t begin_ns = clock.now_ns();
  std::int64_t calls = 0, end_ns = begin_ns;
  while (static_cast<double>(end_ns - begin_ns) < kCounted_s * 1e9) {
    function.call(arguments);
    ++calls;
    end_ns = clock.now_ns();
  }
  const std::vector<double> counts = counts_events ? counters.stop() : std::vector<double>(3);
  const auto per_call = [&](double total) { return total / static_cast<double>(calls); };
  return {per_call(counts[0]), per_call(counts[1]), per_call(counts[2]),
          per_call(static_cast<double>(end_ns - begin_ns))};
}

void measure_bound(const TaskContext& context, const BestRecord& best, BestBound& bound) {
  const Task& task = context.task();
  const bool is_cold = task.caches == CacheState::kCold;
  note_missing_lock(task.target);
  MachineLock lock(timing_lock_name(task.target));
  bool said = false;
  const MachineLock::Hold hold = lock.hold([&] {
    if (!std::exchange(said, true)) note("another tuner has the machine: explain --run waits for it\n");
    return false;
  });
  bound.rates.peak_gflops = std::max(bound.rates.peak_gflops, peak_of(task, measure_peak(task.target)));
  bound.rates.read_gb_s = measure_read_rate(task.target, is_cold ? kMemoryBytes : bound.work.bytes);
  bound.level = is_cold ? "memory" : "a working set of this size";
  bound.rates.is_faster_level = false;
  bound.rates.start_ns = start_ns(context, best.point);
  double time_ns = best.timing.median_ns;
  PerfCounters counters(processor_events());
  bound.why_not_counted = counters.why_not();
  if (bound.work.bytes > kMaxBytes) {
    bound.why_not_counted = "the tensors are too large to be filled for it";
  } else {
    const CallCounts counts = count_calls(context, best.point, counters);
    if (bound.why_not_counted.empty()) bound.counts = counts;
    bound.is_time_of_run = !is_cold;  // one call after the other finds the caches warm
    if (bound.is_time_of_run) time_ns = counts.ns;
  }
  bound.bound = time_bound(bound.work, time_ns, bound.rates);
}

}  // namespace nestwright::cli
