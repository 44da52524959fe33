#include "support/base/utc_time.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

namespace nestwright {

std::string utc_now_text() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}Z",
                     std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
}

}  // namespace nestwright
