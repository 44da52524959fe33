#include "bench/figures/machine/load.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include "nestwright/error.h"
#include "target/measured/fma_loop.h"

namespace nestwright::bench {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr std::size_t kBlockBytes = std::size_t{64} << 20;
constexpr Milliseconds kStart{300};  // until a new load runs at full strength

void bind_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw Error(fmt::format("cannot run on processor {}: {}", cpu, std::strerror(errno)));
  }
}

void compute(double milliseconds) {
  const auto end = std::chrono::steady_clock::now() + Milliseconds(milliseconds);
  while (std::chrono::steady_clock::now() < end) run_fma_loop(10'000);
}

}  // namespace

void run_load(LoadKind kind, const LoadOptions& options, pid_t parent) {
  if (options.cpu >= 0) bind_to(options.cpu);
  std::vector<char> from, to;
  if (kind == LoadKind::kMemory) {
    from.assign(kBlockBytes, 1);
    to.assign(kBlockBytes, 2);
  }
  while (getppid() == parent) {
    if (kind == LoadKind::kMemory) {
      std::memcpy(to.data(), from.data(), kBlockBytes);
      std::swap(from, to);
      continue;
    }
    if (kind == LoadKind::kCore) compute(options.busy_ms);
    std::this_thread::sleep_for(Milliseconds(options.idle_ms));
  }
}

Load::Load(LoadKind kind, const LoadOptions& options) {
  if (kind == LoadKind::kNone) return;
  std::vector<std::string> words = {std::filesystem::read_symlink("/proc/self/exe"),
                                    "load",
                                    name_of(kind),
                                    "--busy-ms",
                                    fmt::format("{}", options.busy_ms),
                                    "--idle-ms",
                                    fmt::format("{}", options.idle_ms),
                                    "--parent",
                                    std::to_string(getpid())};
  if (options.cpu >= 0) words.insert(words.end(), {"--cpu", std::to_string(options.cpu)});
  output_ = own_folder() + "/trust-load.txt";
  child_ = std::make_unique<Child>(words, output_, "trust-load");
  std::this_thread::sleep_for(kStart);
  check_running();
}

void Load::check_running() {
  if (!child_) return;
  if (const auto status = child_->ended()) {
    throw Error(fmt::format("the load ended with {}: see {}.err", status->str(), output_));
  }
}

}  // namespace nestwright::bench
