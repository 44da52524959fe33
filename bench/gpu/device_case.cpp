#include "bench/gpu/device_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>

#include "bench/gpu/rival.h"
#include "codegen/backend.h"
#include "ir/serialize/serialize.h"
#include "measure/check/elements.h"
#include "nestwright/lookup.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "nestwright/tune.h"
#include "runtime/device_program.h"
#include "search/task/check_data.h"
#include "templates/matmul/shape.h"

namespace nestwright::bench {
namespace {

constexpr double kSampleNs = 20e6;
constexpr double kWarmUpNs = 500e6;
constexpr std::int64_t kMaxCalls = 100000;
constexpr std::int64_t kMaxSets = 1024;

/// float32 multiply-adds per cycle of a multiprocessor (CUDA Programming Guide, "Arithmetic Instructions"); 0: unknown.
int multiply_adds_a_cycle(const std::string& arch) {
  if (arch == "sm_75" || arch == "sm_80") return 64;
  return arch.empty() ? 0 : 128;
}

/// The peak at the device's current clock; 0: unknown.
double float32_peak_gflops(Device& device) {
  const Target& target = device.info().target;
  return 2e-3 * multiply_adds_a_cycle(target.arch) * target.multiprocessors * device.conditions().clock_mhz;
}

/// The tensors of a workload on the device, in several sets through which calls rotate.
class Tensors {
 public:
  Tensors(Device& device, const CheckData& data) : device_(device), data_(data) {
    std::int64_t set_bytes = 0;
    for (std::size_t p = 0; p < data.types.size(); ++p) set_bytes += bytes(p);
    const std::int64_t sets = std::min(kMaxSets, 2 * device.info().target.l2_bytes / set_bytes + 1);
    for (std::int64_t s = 0; s < sets; ++s) add_set();
  }

  const std::vector<DeviceMemoryPtr>& first() const { return sets_.front(); }
  const std::vector<DeviceMemoryPtr>& next() { return sets_[next_++ % sets_.size()]; }

  /// Returns what is wrong with the outputs of the first set after `call`; empty if they are correct. `allowed_error`
  /// is a factor on the reference's error bounds.
  std::string check(double allowed_error, const std::function<void()>& call) const {
    for (std::size_t p = 0; p < data_.types.size(); ++p) {
      if (is_output(p)) device_.fill(*sets_.front()[p], 0xff);
    }
    call();
    device_.synchronise();
    std::size_t output = 0;
    for (std::size_t p = 0; p < data_.types.size(); ++p) {
      if (!is_output(p)) continue;
      std::vector<std::byte> seen(static_cast<std::size_t>(bytes(p)));
      device_.download(*sets_.front()[p], seen);
      std::vector<double> bound = data_.bound[output];
      for (double& each : bound) each *= allowed_error;
      const auto c = compare_elements(data_.types[p], seen.data(), data_.expected[output], bound);
      if (c.first_wrong >= 0) return fmt::format("wrong result: element {} of parameter {}", c.first_wrong, p);
      ++output;
    }
    return {};
  }

 private:
  bool is_output(std::size_t p) const { return data_.roles[p] == ir::Role::kOutput; }
  std::int64_t bytes(std::size_t p) const { return data_.elements[p] * data_.types[p].bytes(); }

  void add_set() {
    std::vector<DeviceMemoryPtr>& set = sets_.emplace_back();
    std::size_t input = 0;
    for (std::size_t p = 0; p < data_.types.size(); ++p) {
      set.push_back(device_.allocate(bytes(p)));
      if (is_output(p)) continue;
      if (sets_.size() > 1) {
        device_.copy(*sets_.front()[p], *set.back());
      } else {
        std::vector<std::byte> encoded(static_cast<std::size_t>(bytes(p)));
        encode_elements(data_.types[p], data_.inputs[input], encoded.data());
        device_.upload(*set.back(), encoded);
      }
      ++input;
    }
  }

  Device& device_;
  const CheckData& data_;
  std::vector<std::vector<DeviceMemoryPtr>> sets_;
  std::size_t next_ = 0;
};

/// A contestant: a call on a set of tensors.
struct Entrant {
  std::size_t series = 0;
  std::function<void(std::span<const DeviceMemoryPtr>)> run;
  std::int64_t calls = 1;

  double time_ns(Device& device, Tensors& tensors) const {
    const double ns = device.time_ns([&] {
      for (std::int64_t i = 0; i < calls; ++i) run(tensors.next());
    });
    return ns / static_cast<double>(calls);
  }
  void choose_calls(Device& device, Tensors& tensors) {
    time_ns(device, tensors);  // the first call may load code
    const double ns = std::max(time_ns(device, tensors), 100.0);
    calls = std::clamp<std::int64_t>(static_cast<std::int64_t>(kSampleNs / ns) + 1, 1, kMaxCalls);
  }
};

/// Runs until the clock is that under load: idle devices lower it.
void warm_up(Device& device, Tensors& tensors, const std::vector<Entrant>& entrants) {
  for (double ns = 0; ns < kWarmUpNs && !entrants.empty();) {
    const Entrant& first = entrants.front();
    ns += std::max(first.time_ns(device, tensors), 100.0) * static_cast<double>(first.calls);
  }
}

/// A copy on the device that reads and writes as many bytes as the workload.
class DeviceCopy {
 public:
  DeviceCopy(Device& device, double bytes)
      : device_(device), half_(std::max<std::int64_t>(4, static_cast<std::int64_t>(bytes / 2))) {
    const std::int64_t pairs = std::min(kMaxSets, device.info().target.l2_bytes / half_ + 1);
    for (std::int64_t i = 0; i < pairs; ++i) pairs_.emplace_back(device.allocate(half_), device.allocate(half_));
    calls_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(kSampleNs / std::max(time_ns(), 100.0)), 1, kMaxCalls);
  }
  double gb_s() { return 2 * static_cast<double>(half_) / time_ns(); }

 private:
  double time_ns() {
    const double ns = device_.time_ns([&] {
      for (std::int64_t i = 0; i < calls_; ++i) {
        const auto& [from, to] = pairs_[next_++ % pairs_.size()];
        device_.copy(*from, *to);
      }
    });
    return std::max(ns, 1.0) / static_cast<double>(calls_);
  }

  Device& device_;
  std::int64_t half_;
  std::vector<std::pair<DeviceMemoryPtr, DeviceMemoryPtr>> pairs_;
  std::int64_t calls_ = 1;
  std::size_t next_ = 0;
};

TuningSummary tune(const Task& task, TuningLog& log, const DeviceOptions& options) {
  fmt::print(stderr, "tuning {} for {} s ...\n", task.workload.str(), options.seconds);
  const SessionResult result = run_session(
      task, log,
      {.budget = {.seconds = options.seconds}, .template_name = options.template_name, .seed = options.seed});
  fmt::print(stderr, "  {} trials in {:.1f} s, {} before; best {:.1f} GFLOP/s\n", result.trials, result.seconds,
             result.earlier_trials, result.best ? result.best->gflops() : 0);
  return {options.seconds, result.trials, result.earlier_trials};
}

std::unique_ptr<DeviceProgram> our_program(const Task& task, const Lookup& found,
                                           const std::shared_ptr<Device>& device) {
  const ir::Program loops = program_of(task, *found.source, found.config, "kernel");
  const CompiledObject object =
      compile_program(expand(loops, task.target), task.target, {.pipeline = Pipeline::kFinal});
  return std::make_unique<DeviceProgram>(device, object.object, ir::deserialize(object.launches));
}

/// The cost of a launch: the time of a kernel that computes one element.
double launch_ns(const std::shared_ptr<Device>& device) {
  constexpr int kLaunches = 1000;
  const Task task{parse_workload("elementwise function=relu shape=1"), device->info().target};
  const CheckData data = make_check_data(task.workload);
  Tensors tensors(*device, data);
  const std::unique_ptr<DeviceProgram> program = our_program(task, look_up(task, nullptr), device);
  const auto launch_all = [&] {
    for (int i = 0; i < kLaunches; ++i) program->run(tensors.first());
  };
  device->time_ns(launch_all);  // the first launches may load code
  return device->time_ns(launch_all) / kLaunches;
}

void run_rounds(bench::Comparison& comparison, std::vector<Entrant> entrants, Device& device, Tensors& tensors,
                std::uint64_t seed) {
  DeviceCopy copy(device, comparison.subject.bytes);
  for (Entrant& entrant : entrants) entrant.choose_calls(device, tensors);
  warm_up(device, tensors, entrants);
  std::mt19937_64 random(seed);
  for (int round = 0; round < comparison.rounds_asked; ++round) {
    std::shuffle(entrants.begin(), entrants.end(), random);
    for (const Entrant& entrant : entrants) {
      comparison.series[entrant.series].times_ns.push_back(entrant.time_ns(device, tensors));
    }
    comparison.peaks_gflops.push_back(float32_peak_gflops(device));  // at the clock under load
    comparison.copies_gb_s.push_back(copy.gb_s());
  }
}

}  // namespace

std::string subject_text(const std::string& workload, const DeviceOptions& options) {
  return options.template_name.empty() ? workload : workload + ", by " + options.template_name;
}

bench::Comparison compare_on_device(const std::string& label, const Workload& workload,
                                    const std::shared_ptr<Device>& device, const DeviceOptions& options) {
  const Definition definition = *workload.definition;
  const bool in_tf32 = workload.op->name == "matmul" && matmul_shape(workload).in_tf32;
  const bool knows_peak = definition.args.at(0).dtype() == kFloat32 && !in_tf32 && float32_peak_gflops(*device) > 0;
  bench::Comparison comparison{.subject = {.label = label,
                                           .workload = subject_text(workload.str(), options),
                                           .flops = definition.flops,
                                           .bytes = definition.bytes,
                                           .peak_scale = knows_peak ? 1.0 : 0.0},
                               .rounds_asked = options.rounds};
  const Task task{workload, device->info().target};
  TuningLog log = TuningLog::open(options.db, OpenMode::kWrite);
  if (options.seconds > 0) comparison.tuning = tune(task, log, options);

  const Lookup found = look_up(task, &log, options.template_name);
  const CheckData data = make_check_data(workload);
  Tensors tensors(*device, data);
  std::vector<Entrant> entrants;
  const auto enter = [&](const std::string& name, const std::string& detail, double allowed_error,
                         std::function<void(std::span<const DeviceMemoryPtr>)> run) {
    const std::string wrong = tensors.check(allowed_error, [&] { run(tensors.first()); });
    comparison.series.push_back({name, wrong.empty() ? detail : wrong, !wrong.empty(), {}});
    if (wrong.empty()) entrants.push_back({comparison.series.size() - 1, std::move(run)});
  };

  const std::unique_ptr<DeviceProgram> ours = our_program(task, found, device);
  enter("nestwright", fmt::format("{} {}", found.source->name, found.config.str()), 1,
        [&](std::span<const DeviceMemoryPtr> set) { ours->run(set); });
  std::unique_ptr<Rival> cublas;
  if (device->info().kind == DeviceKind::kCuda) {
    try {
      cublas = make_cublas(workload);
      if (cublas) {
        enter(cublas->name(), cublas->detail(), cublas->allowed_error(),
              [&](std::span<const DeviceMemoryPtr> set) { cublas->run(set); });
      }
    } catch (const DeviceError& e) {
      comparison.series.push_back({"cuBLAS", e.what(), true, {}});
    }
  }
  comparison.launch_ns = launch_ns(device);
  run_rounds(comparison, std::move(entrants), *device, tensors, options.seed);
  return comparison;
}

}  // namespace nestwright::bench
