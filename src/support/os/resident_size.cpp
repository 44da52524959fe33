#include "support/os/resident_size.h"

#include <fcntl.h>

#include <array>
#include <charconv>
#include <string>

namespace nestwright {

ResidentSize::ResidentSize(pid_t pid)
    : statm_(open(("/proc/" + std::to_string(pid) + "/statm").c_str(), O_RDONLY | O_CLOEXEC)) {}

std::optional<std::int64_t> ResidentSize::bytes() const {
  static const std::int64_t page_bytes = sysconf(_SC_PAGESIZE);
  std::array<char, 128> text{};
  const ssize_t n = statm_.get() < 0 ? -1 : pread(statm_.get(), text.data(), text.size(), 0);
  if (n <= 0) return std::nullopt;
  // "size resident shared ...", in pages.
  const char* const end = text.data() + n;
  std::int64_t size = 0, resident = 0;
  const auto [blank, size_error] = std::from_chars(text.data(), end, size);
  if (size_error != std::errc() || blank == end) return std::nullopt;
  if (std::from_chars(blank + 1, end, resident).ec != std::errc()) return std::nullopt;
  return resident * page_bytes;
}

}  // namespace nestwright
