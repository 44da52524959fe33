// Measures how long candidates take to lower to the loop form, with features, and separately to the vector form: random
// configurations of matmul.cpu and random schedules of a convolution, on one thread and on several. Also shows whether
// memory grows over many candidates.

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <functional>
#include <numeric>
#include <thread>

#include "bench/conv2d_schedules.h"
#include "cost_model/features.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "nestwright/target.h"

namespace nestwright::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// CPU time of this thread, which excludes the work of others on the machine.
double core_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct DrawnSchedule {
  Schedule schedule;
  std::vector<Tensor> args;
};
/// Makes candidates of one kind. Each thread has its own maker.
using Maker = std::function<DrawnSchedule(std::mt19937_64&)>;

struct Stages {
  std::vector<double> schedule_ms, lower_ms, features_ms, both_ms, expand_ms;
  int refused = 0;
};

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Maker make_matmul(const Target& target) {
  const Template& t = *builtin_registry().find_template("matmul.cpu");
  const Workload workload = parse_workload("matmul m=512 n=512 k=512");
  const ConfigSpace space = discover_space(t, workload, target);
  return [&t, workload, space, target](std::mt19937_64& random) {
    Instance instance = instantiate(t, workload, target, space.sample(random).value());
    return DrawnSchedule{std::move(instance.schedule), instance.definition.args};
  };
}

Maker make_convolution() {
  return [op = make_conv2d()](std::mt19937_64& random) {
    return DrawnSchedule{draw_conv2d_schedule(op, random), op.args()};
  };
}

void run_one(const Maker& make, const Target& target, std::mt19937_64& random, bool expands, Stages& times) {
  try {
    const double start_ms = core_ms();
    const DrawnSchedule candidate = make(random);
    const double lowering_ms = core_ms();
    const ir::Program program = lower(candidate.schedule, candidate.args, target, "candidate");
    const double lower_ms = core_ms() - lowering_ms;
    Features features;
    program_features(program, {}, features);
    const double both_ms = core_ms() - lowering_ms;
    times.schedule_ms.push_back(lowering_ms - start_ms);
    times.lower_ms.push_back(lower_ms);
    times.features_ms.push_back(both_ms - lower_ms);
    times.both_ms.push_back(both_ms);
    if (!expands) return;
    const double expanding_ms = core_ms();
    expand(program, target);
    times.expand_ms.push_back(core_ms() - expanding_ms);
  } catch (const ScheduleError&) {
    ++times.refused;
  } catch (const LowerError&) {
    ++times.refused;
  }
}

void print_row(const char* what, std::vector<double> values) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  fmt::print("  {:<24} {:>8.4f} {:>8.4f} {:>8.4f} {:>8.4f}\n", what, mean, at(0.5), at(0.99), values.back());
}

std::int64_t resident_kib() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/// Candidates per second over all threads.
double throughput(const std::function<Maker()>& maker, const Target& target, unsigned threads, int count) {
  std::vector<std::thread> pool;
  const auto start = Clock::now();
  for (unsigned t = 0; t < threads; ++t) {
    pool.emplace_back([&, t] {
      const Maker make = maker();
      std::mt19937_64 random(1000 + t);
      Stages times;
      for (int i = 0; i < count; ++i) run_one(make, target, random, false, times);
    });
  }
  for (std::thread& thread : pool) thread.join();
  return threads * count / (ms_since(start) / 1000);
}

struct Options {
  int count = 2000, memory = 100000;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::uint64_t seed = 1;
};

void measure(const char* name, const std::function<Maker()>& maker, const Target& target, const Options& options) {
  const Maker make = maker();
  std::mt19937_64 random(options.seed);
  Stages warm_up, times;
  for (int i = 0; i < options.count / 20; ++i) run_one(make, target, random, true, warm_up);
  for (int i = 0; i < options.count; ++i) run_one(make, target, random, true, times);
  fmt::print("{}: {} candidates, {} refused; ms on a core{:>12} {:>8} {:>8} {:>8}\n", name, times.lower_ms.size(),
             times.refused, "mean", "median", "99%", "most");
  print_row("schedule", times.schedule_ms);
  print_row("loop form", times.lower_ms);
  print_row("features", times.features_ms);
  print_row("loop form and features", times.both_ms);
  print_row("vector form", times.expand_ms);
  double alone = 0;
  for (unsigned threads = 1; threads <= options.threads; threads *= 2) {
    const double rate = throughput(maker, target, threads, options.count);
    if (threads == 1) alone = rate;
    fmt::print("  {} thread{}: {:.0f} candidates a second, {:.2f} times one\n", threads, threads > 1 ? "s" : " ", rate,
               rate / alone);
  }
  if (options.memory == 0) return;
  Stages rest;
  const int tenth = std::max(1, options.memory / 10);
  std::int64_t early = 0;
  for (int i = 0; i < options.memory; ++i) {
    if (i == tenth) early = resident_kib();
    run_one(make, target, random, false, rest);
    if (i % 1000 == 0) rest = {};
  }
  fmt::print("  resident memory after {} and after {}: {} and {} KiB\n", tenth, options.memory, early, resident_kib());
}

int run(int argc, char** argv) {
  CLI::App app("Times the lowering of random candidates; see the top of bench/lowering_main.cpp.", "bench/lowering");
  Options options;
  app.add_option("--count", options.count, "candidates that are timed, of each kind")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--memory", options.memory, "candidates over which memory is watched, 0: not at all")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "most threads")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--seed", options.seed, "of the draws")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const Target target = Target::host();
  measure("matmul.cpu 512x512x512", [&] { return make_matmul(target); }, target, options);
  measure("conv2d 1x64x56x56 by 64x64x3x3", [] { return make_convolution(); }, target, options);
  return 0;
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  try {
    return nestwright::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench/lowering: {}\n", error.what());
    return 1;
  }
}
