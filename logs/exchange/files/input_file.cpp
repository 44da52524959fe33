#include "logs/exchange/files/input_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "nestwright/error.h"
#include "support/data/hash.h"

namespace nestwright {

struct InputFile::Handle {
  gzFile file;
};

InputFile::InputFile(const std::string& path)
    : path_(path), file_(std::make_unique<Handle>()), buffer_(std::size_t{1} << 16) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw UsageError(fmt::format("'{}' is a folder: give a file", path));
  }
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error)) {
    throw UsageError(fmt::format("'{}' is not a regular file, which alone can be read twice: give a file", path));
  }
  file_->file = gzopen(path.c_str(), "rb");  // reads plain files, too
  if (file_->file == nullptr) {
    throw UsageError(fmt::format("file '{}' cannot be read: check its name and its permissions", path));
  }
}

InputFile::~InputFile() { gzclose(file_->file); }

InputFile::int_type InputFile::underflow() {
  const int read = gzread(file_->file, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = Z_OK;
  if (read <= 0) gzerror(file_->file, &code);
  if (read < 0 || code == Z_BUF_ERROR) {
    throw UsageError(
        fmt::format("file '{}' cannot be read to its end ({}): copy it again", path_,
                    code == Z_ERRNO ? "the disk failed" : "its compressed data are damaged or incomplete"));
  }
  if (read == 0) return traits_type::eof();
  const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(read));
  hash_ = hash_combine(hash_, stable_hash(bytes));
  size_ += bytes.size();
  if (const std::size_t last = bytes.find_last_not_of(" \t\r\n"); last != std::string_view::npos) last_ = bytes[last];
  setg(buffer_.data(), buffer_.data(), buffer_.data() + read);
  return traits_type::to_int_type(buffer_.front());
}

std::optional<std::string> InputFile::line() {
  if (sgetc() == traits_type::eof()) return std::nullopt;
  std::string line;
  while (sgetc() != traits_type::eof()) {
    char* const end = std::find(gptr(), egptr(), '\n');
    line.append(gptr(), end);
    const bool is_complete = end != egptr();
    setg(eback(), end + (is_complete ? 1 : 0), egptr());
    if (is_complete) break;
  }
  return line;
}

std::string InputFile::read(std::size_t size) {
  std::string bytes(size, '\0');
  bytes.resize(static_cast<std::size_t>(sgetn(bytes.data(), static_cast<std::streamsize>(size))));
  return bytes;
}

}  // namespace nestwright
