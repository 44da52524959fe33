#include "bench/figures/tunings/exported_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/comparison/timing/team.h"
#include "bench/figures/report/figures.h"
#include "bench/figures/tunings/exported_kernel.h"
#include "bench/support/child.h"
#include "measure/race/race_finalists.h"
#include "measure/race/take_reading.h"
#include "nestwright/error.h"
#include "support/os/steal_time.h"
#include "target/measured/fma_loop.h"
#include "target/measured/memory_walk.h"

namespace nestwright::bench {
namespace {

constexpr std::size_t kWords = 5;
constexpr int kSamples = 20;
constexpr double kWaitShare = 0.5;  // of the run: a process of a second or two may wait longer than a session
constexpr double kUngatedSample_ns = 10e6;
constexpr int kUngatedSamples = 50;

/// The time of the FMA loop on several threads at once, the slowest counts. They are not the kernel's, which has a pool
/// of its own.
double time_fma_loops(int threads) {
  std::vector<double> times_ns(static_cast<std::size_t>(threads));
  time_team(threads, [&](int thread) {
    times_ns[static_cast<std::size_t>(thread)] = time_once(steady_clock(), [] { run_fma_loop(kSentinelIterations); });
  });
  return *std::max_element(times_ns.begin(), times_ns.end());
}

/// Takes samples of libraries in this process.
class ExportedSource final : public SampleSource {
 public:
  /// `threads` are those that the kernels run on.
  ExportedSource(std::vector<ExportedKernel>& kernels, int threads) : kernels_(kernels), threads_(threads) {
    for (const ExportedKernel& kernel : kernels_) kernel.call();  // starts its threads
    accounting_.list_threads();
  }

  std::optional<Reading> sample(int candidate, std::int64_t calls, bool warm_up) override {
    const ExportedKernel& kernel = kernels_[static_cast<std::size_t>(candidate)];
    ReadingPlan plan{calls, warm_up, kThreadsWakeNs};
    if (kernel.streams()) plan.before_call = [&] { kernel.establish_stream(); };
    return take_reading(
        steady_clock(), [this] { return accounting_.now(); }, plan, [&] { kernel.call(); },
        [this] { return time_fma_loops(threads_); });
  }

  Surroundings surroundings() override { return {walk_.run(), steal_.since_last_ns()}; }

  void renew_process() override {}  // this process is fresh

  void pause(double ns, const std::string&) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(ns)));
  }

 private:
  std::vector<ExportedKernel>& kernels_;
  int threads_;
  CpuAccounting accounting_;
  StealTime steal_;
  MemoryWalk walk_;
};

std::vector<ExportedTiming> time_gated(std::vector<ExportedKernel>& kernels, int threads) {
  ExportedSource source(kernels, threads);
  DisturbanceGate gate;
  WaitBudget patience(steady_clock(), kWaitShare);
  GatedSampler sampler(source, gate, patience, threads);
  const std::vector<Contender> contenders(kernels.size());
  std::vector<ExportedTiming> timings;
  const TimingOptions options{.finalist_processes = 1,
                              .max_finalist_processes = 1,
                              .finalist_samples = kSamples,
                              .finalist_max_samples = kSamples};
  for (Timing& timing : race_finalists(sampler, {.timing = options}, contenders)) {
    timings.push_back({std::move(timing.raw_ns), median_interval(timing.fma_ns).median, timing.disturbance,
                       median_interval(timing.walk_ns).median});
  }
  return timings;
}

double sample_ungated(const ExportedKernel& kernel) {
  constexpr int kCallsAtOnce = 10;  // between two readings of the clock
  const std::int64_t start = steady_clock().now_ns();
  double ns = 0;
  for (int calls = kCallsAtOnce;; calls += kCallsAtOnce) {
    for (int i = 0; i < kCallsAtOnce; ++i) kernel.call();
    ns = static_cast<double>(steady_clock().now_ns() - start);
    if (ns >= kUngatedSample_ns) return ns / calls;
  }
}

std::vector<ExportedTiming> time_ungated(std::vector<ExportedKernel>& kernels) {
  for (const ExportedKernel& kernel : kernels) kernel.call();
  std::vector<ExportedTiming> timings(kernels.size());
  for (int round = 0; round < kUngatedSamples; ++round) {
    for (std::size_t i = 0; i < kernels.size(); ++i) timings[i].samples_ns.push_back(sample_ungated(kernels[i]));
  }
  return timings;
}

struct ChildOptions {
  bool ungated = false;
  /// kWords for each library: its path, the function, the workload, the state of the caches, the threads.
  std::vector<std::string> words;
};

void run(const ChildOptions& options) {
  const std::vector<std::string>& words = options.words;
  if (words.empty() || words.size() % kWords != 0) {
    throw UsageError("a library, a function, a workload, caches and threads are wanted for each kernel");
  }
  std::vector<ExportedKernel> kernels;
  int threads = 1;
  for (std::size_t i = 0; i < words.size(); i += kWords) {
    kernels.emplace_back(ExportedLibrary{words[i], words[i + 1], words[i + 2], parse_cache_state(words[i + 3]),
                                         std::stoi(words[i + 4])});
    threads = std::max(threads, std::stoi(words[i + 4]));
  }
  nlohmann::json list = nlohmann::json::array();
  for (const ExportedTiming& timing : options.ungated ? time_ungated(kernels) : time_gated(kernels, threads)) {
    list.push_back({{"samples_ns", timing.samples_ns},
                    {"fma_ns", timing.fma_ns},
                    {"walk_ns", timing.walk_ns},
                    {"disturbance", timing.disturbance}});
  }
  fmt::print("{}\n", list.dump());
}

}  // namespace

std::vector<ExportedTiming> time_exported(const std::vector<ExportedLibrary>& libraries, Gating gating,
                                          const std::string& output) {
  std::vector<std::string> words = {std::filesystem::read_symlink("/proc/self/exe"), "time-exported"};
  if (gating == Gating::kUngated) words.push_back("--ungated");
  for (const ExportedLibrary& library : libraries) {
    words.insert(words.end(), {std::filesystem::absolute(library.library), library.function, library.workload,
                               cache_state_name(library.caches), std::to_string(library.threads)});
  }
  const ExitStatus status = Child(words, output, "trust").wait();
  if (status.signaled || status.code != 0) {
    throw Error(fmt::format("timing exported libraries ended with {}: see {}.err", status.str(), output));
  }
  std::ifstream file(output);
  std::vector<ExportedTiming> timings;
  for (const nlohmann::json& timing : nlohmann::json::parse(file)) {
    timings.push_back({timing.at("samples_ns").get<std::vector<double>>(), timing.at("fma_ns").get<double>(),
                       timing.at("disturbance").get<std::string>(), timing.at("walk_ns").get<double>()});
  }
  return timings;
}

void add_exported_timing(CLI::App& app, Action& action) {
  auto options = std::make_shared<ChildOptions>();
  CLI::App* command = app.add_subcommand("time-exported", "time exported libraries, for the figures")->group("");
  command->add_flag("--ungated", options->ungated, "count every sample");
  command->add_option("libraries", options->words, "library, function, workload, caches, threads of each");
  command->callback([options, &action] { action = [options](const Publication&) { run(*options); }; });
}

}  // namespace nestwright::bench
