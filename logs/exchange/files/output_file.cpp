#include "logs/exchange/files/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>

#include "logs/open_log.h"
#include "nestwright/error.h"

namespace nestwright {

namespace fs = std::filesystem;

struct OutputFile::Handle {
  UniqueFd descriptor;  ///< of the same file, which stays open when zlib closes its own
  gzFile file = nullptr;
};

OutputFile::OutputFile(const std::string& path)
    : path_(path), file_name_(real_file(path)), file_(std::make_unique<Handle>()) {
  const bool is_gzip = path.ends_with(".gz");
  if (path == "-") {
    write_to(UniqueFd(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)), is_gzip);
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (path.empty() || fs::is_directory(status)) refuse();
  if (fs::is_regular_file(status) && is_sqlite_file(path)) {
    throw UsageError(fmt::format("file '{}' is a database and was left as it is: give another file", path));
  }
  const bool is_special = fs::exists(status) && !fs::is_regular_file(status);
  if (!is_special) unfinished_ = fmt::format("{}-unfinished-{}", file_name_, getpid());
  // The real name of a pipe that the path of a descriptor names, /dev/stdout, is no path.
  const std::string& opened = is_special ? path_ : unfinished_;
  constexpr mode_t kMode = 0666;  // less what the process masks
  write_to(UniqueFd(open(opened.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode)), is_gzip);
}

void OutputFile::write_to(UniqueFd descriptor, bool is_gzip) {
  if (descriptor.get() < 0) refuse();
  file_->descriptor = std::move(descriptor);
  file_->file = gzdopen(fcntl(file_->descriptor.get(), F_DUPFD_CLOEXEC, 0), is_gzip ? "wb6" : "wbT");
  if (file_->file == nullptr) refuse();
}

OutputFile::~OutputFile() {
  if (file_->file == nullptr) return;
  gzclose(file_->file);
  remove_unfinished();
}

void OutputFile::remove_unfinished() const {
  std::error_code ignored;
  if (!unfinished_.empty()) fs::remove(unfinished_, ignored);
}

void OutputFile::refuse() const {
  if (path_ == "-") throw UsageError("standard output cannot be written: check the space on the disk");
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
  bool is_written = gzclose(file_->file) == Z_OK;
  file_->file = nullptr;
  if (!unfinished_.empty()) {
    is_written = is_written && fsync(file_->descriptor.get()) == 0;
    std::error_code error;
    if (is_written) fs::rename(unfinished_, file_name_, error);
    is_written = is_written && !error;
  }
  if (is_written) return;
  remove_unfinished();
  refuse();
}

}  // namespace nestwright
