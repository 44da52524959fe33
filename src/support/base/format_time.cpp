#include "support/base/format_time.h"

#include <fmt/format.h>

namespace nestwright {

std::string format_time(double ns) {
  if (ns < 1e3) return fmt::format("{:.4g} ns", ns);
  if (ns < 1e6) return fmt::format("{:.4g} us", ns * 1e-3);
  if (ns < 1e9) return fmt::format("{:.4g} ms", ns * 1e-6);
  return fmt::format("{:.4g} s", ns * 1e-9);
}

}  // namespace nestwright
