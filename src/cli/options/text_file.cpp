#include "cli/options/text_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "nestwright/error.h"

namespace nestwright::cli {

std::string read_text_file(const std::string& file, const std::string& content, const std::string& advice) {
  constexpr std::size_t kMaxFileBytes = 10'000'000;
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream.is_open() || std::filesystem::is_directory(file, ignored)) {
    throw UsageError(fmt::format("file '{}' cannot be read: {}", file, advice));
  }
  std::string text(kMaxFileBytes + 1, '\0');  // reading a device may never end
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) {
    throw UsageError(fmt::format("file '{}' cannot be read to its end: check its disk", file));
  }
  if (text.size() > kMaxFileBytes) {
    throw UsageError(fmt::format("file '{}' has more than {} MB, which no {} needs: {}", file,
                                 kMaxFileBytes / 1'000'000, content, advice));
  }
  return text;
}

}  // namespace nestwright::cli
