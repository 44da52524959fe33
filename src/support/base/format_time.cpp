#include "support/base/format_time.h"

#include <fmt/format.h>

namespace nestwright {

std::string format_time(double ns) {
  if (ns < 1e3) return fmt::format("{:.4g} ns", ns);
  if (ns < 1e6) return fmt::format("{:.4g} us", ns * 1e-3);
  if (ns < 1e9) return fmt::format("{:.4g} ms", ns * 1e-6);
  return fmt::format("{:.4g} s", ns * 1e-9);
}

std::string format_time_range(double median_ns, double low_ns, double high_ns) {
  return fmt::format("{} [{} .. {}]", format_time(median_ns), format_time(low_ns), format_time(high_ns));
}

}  // namespace nestwright
