// Writes a file, compressed with gzip if its name ends in ".gz", which gets its name only when it is complete.
// Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace nestwright {

/// Functions throw UsageError, which names the file, if it cannot be written. Without finish(), nothing is left.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();
  void write(std::string_view bytes);
  /// Completes the file, and replaces an existing one of its name.
  void finish();

 private:
  struct Handle;
  [[noreturn]] void refuse() const;
  std::string path_, unfinished_;
  std::unique_ptr<Handle> file_;
};

}  // namespace nestwright
