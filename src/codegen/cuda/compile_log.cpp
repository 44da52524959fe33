#include "codegen/cuda/compile_log.h"

#include <charconv>

#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

/// The number before `words` in the line; 0 if the line does not contain them.
std::int64_t number_before(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos || at == 0) return 0;
  std::size_t first = at;
  while (first > 0 && line[first - 1] >= '0' && line[first - 1] <= '9') --first;
  std::int64_t number = 0;
  std::from_chars(line.data() + first, line.data() + at, number);
  return number;
}

template <class F>
void for_each_line(std::string_view text, const F& on_line) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    on_line(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::vector<KernelResources> resources_of(std::string_view log) {
  constexpr std::string_view kEntry = "Compiling entry function '";
  std::vector<KernelResources> kernels;
  for_each_line(log, [&](std::string_view line) {
    if (const std::size_t at = line.find(kEntry); at != std::string_view::npos) {
      const std::string_view rest = line.substr(at + kEntry.size());
      kernels.emplace_back().kernel = rest.substr(0, rest.find('\''));
    }
    if (kernels.empty()) return;
    KernelResources& kernel = kernels.back();
    if (line.find("bytes stack frame") != std::string_view::npos) {
      kernel.stack_bytes = number_before(line, " bytes stack frame");
      kernel.spill_bytes = number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    }
    if (line.find(" registers") != std::string_view::npos) {
      kernel.registers = static_cast<int>(number_before(line, " registers"));
      kernel.shared_bytes = number_before(line, " bytes smem");
    }
  });
  return kernels;
}

std::string first_error(std::string_view log) {
  constexpr std::size_t kLongest = 300;
  std::string found;
  for_each_line(log, [&](std::string_view line) {
    if (!found.empty() || line.find("error") == std::string_view::npos) return;
    found = line.substr(0, kLongest);
  });
  if (found.empty()) found = log.substr(0, std::min(log.find('\n'), kLongest));
  while (!found.empty() && (found.back() == '\r' || found.back() == ' ')) found.pop_back();
  return found;
}

}  // namespace nestwright::codegen
