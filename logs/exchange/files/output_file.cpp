#include "logs/exchange/files/output_file.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>

#include "nestwright/error.h"

namespace nestwright {

struct OutputFile::Handle {
  gzFile file = nullptr;
};

OutputFile::OutputFile(const std::string& path)
    : path_(path), unfinished_(fmt::format("{}-unfinished-{}", path, getpid())), file_(std::make_unique<Handle>()) {
  std::error_code error;
  if (path.empty() || std::filesystem::is_directory(path, error)) refuse();
  file_->file = gzopen(unfinished_.c_str(), path.ends_with(".gz") ? "wb6" : "wbT");
  if (file_->file == nullptr) refuse();
}

OutputFile::~OutputFile() {
  if (file_->file == nullptr) return;
  gzclose(file_->file);
  std::error_code ignored;
  std::filesystem::remove(unfinished_, ignored);
}

void OutputFile::refuse() const {
  throw UsageError(fmt::format("file '{}' cannot be written: check its folder and the space on the disk", path_));
}

void OutputFile::write(std::string_view bytes) {
  constexpr std::size_t kMaxBytes = std::size_t{1} << 24;  // a length of zlib is an unsigned
  while (!bytes.empty()) {
    const auto part = static_cast<unsigned>(std::min(bytes.size(), kMaxBytes));
    if (gzwrite(file_->file, bytes.data(), part) != static_cast<int>(part)) refuse();
    bytes.remove_prefix(part);
  }
}

void OutputFile::finish() {
  const int code = gzclose(file_->file);
  file_->file = nullptr;
  std::error_code error;
  if (code == Z_OK) std::filesystem::rename(unfinished_, path_, error);
  if (code == Z_OK && !error) return;
  std::error_code ignored;
  std::filesystem::remove(unfinished_, ignored);
  refuse();
}

}  // namespace nestwright
