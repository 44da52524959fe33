#include "support/os/steal_time.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace nestwright {

StealTime::StealTime(const std::string& path) : stat_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), seen_ns_(now_ns()) {}

double StealTime::since_last_ns() {
  const double before_ns = std::exchange(seen_ns_, now_ns());
  return seen_ns_ - before_ns;
}

double StealTime::now_ns() const {
  static const auto ns_per_tick = 1e9 / static_cast<double>(sysconf(_SC_CLK_TCK));
  std::array<char, 256> text{};  // the first line is enough
  if (stat_.get() < 0) return 0;
  const ssize_t bytes = pread(stat_.get(), text.data(), text.size(), 0);
  if (bytes <= 0) return 0;
  return static_cast<double>(steal_ticks({text.data(), static_cast<std::size_t>(bytes)})) * ns_per_tick;
}

long long steal_ticks(std::string_view stat) {
  constexpr std::string_view kLabel = "cpu ";
  constexpr int kStealField = 8;  // user nice system idle iowait irq softirq steal
  if (!stat.starts_with(kLabel)) return 0;
  stat = stat.substr(kLabel.size(), stat.find('\n') - kLabel.size());
  long long value = 0;
  for (int field = 0; field < kStealField; ++field) {
    stat.remove_prefix(std::min(stat.find_first_not_of(' '), stat.size()));
    const auto [end, error] = std::from_chars(stat.data(), stat.data() + stat.size(), value);
    if (error != std::errc()) return 0;
    stat.remove_prefix(static_cast<std::size_t>(end - stat.data()));
  }
  return value;
}

}  // namespace nestwright
