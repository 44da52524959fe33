// Writes a file, compressed with gzip if its name ends in ".gz", which gets its name only when it is complete.
// Bytes for a pipe, a device or standard output ("-") go there at once.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "support/os/unique_fd.h"

namespace nestwright {

/// Functions throw UsageError, which names the file, if it cannot be written or is a database. Without finish(),
/// nothing is left. Where the path is a symbolic link, the file that it names is written.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();
  void write(std::string_view bytes);
  /// Completes the file on the disk, and replaces an existing one of its name.
  void finish();

 private:
  struct Handle;
  void write_to(UniqueFd descriptor, bool is_gzip);
  [[noreturn]] void refuse() const;
  void remove_unfinished() const;
  std::string path_;
  std::string file_name_, unfinished_;  ///< unfinished_ is empty if the bytes go to the file itself
  std::unique_ptr<Handle> file_;
};

}  // namespace nestwright
