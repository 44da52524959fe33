#include "support/os/perf_counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "nestwright/error.h"

namespace nestwright {
namespace {

int open_counter(const PerfEvent& event) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.disabled = 1;
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

std::vector<PerfEvent> processor_events() {
  return {{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
          {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
          {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES}};
}

PerfCounters::PerfCounters(const std::vector<PerfEvent>& events) {
  for (const PerfEvent& event : events) {
    counters_.emplace_back(open_counter(event));
    if (counters_.back().get() >= 0) continue;
    why_not_ = errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV
                   ? "this machine, which may be a virtual one, does not count them"
                   : std::string("perf_event_open is refused (") + std::strerror(errno) +
                         "): /proc/sys/kernel/perf_event_paranoid or a container forbids it";
    counters_.clear();
    return;
  }
}

void PerfCounters::start() {
  check(why_not_.empty(), "counters that could not be opened are started");
  for (const UniqueFd& counter : counters_) ioctl(counter.get(), PERF_EVENT_IOC_RESET, 0);
  for (const UniqueFd& counter : counters_) ioctl(counter.get(), PERF_EVENT_IOC_ENABLE, 0);
}

std::vector<double> PerfCounters::stop() {
  for (const UniqueFd& counter : counters_) ioctl(counter.get(), PERF_EVENT_IOC_DISABLE, 0);
  std::vector<double> counts;
  for (const UniqueFd& counter : counters_) {
    std::array<std::uint64_t, 3> values{};  // the count, and the times that it was enabled and running
    if (read(counter.get(), values.data(), sizeof values) != static_cast<ssize_t>(sizeof values)) {
      throw Error("the counters of the processor cannot be read");
    }
    const double share = values[1] > 0 ? static_cast<double>(values[2]) / static_cast<double>(values[1]) : 1;
    counts.push_back(share > 0 ? static_cast<double>(values[0]) / share : 0);
  }
  return counts;
}

}  // namespace nestwright
