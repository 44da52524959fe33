// The destination folder of an export. The files of an export that fails are removed again, so that a partial library
// cannot be mistaken for a complete one.
// Thread rule: one thread.
#pragma once

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// The values of errno for a full disk or an exceeded limit of this user or file.
inline constexpr std::array kNoSpace{ENOSPC, EDQUOT, EFBIG};

class OutputFolder {
 public:
  /// Creates the folder if it does not exist. Throws UsageError.
  explicit OutputFolder(const std::string& path);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  /// Removes the files, and the folder if it was created here and is empty, unless files() was called.
  ~OutputFolder();
  /// Writes a file. Throws UsageError.
  void write(const std::string& file, const std::string& content);
  /// Registers a file that other code writes, and returns its path.
  std::string add(const std::string& file);
  std::string path(const std::string& file) const { return (path_ / file).string(); }
  /// Returns the files that were written and added, in order, and marks the export as complete.
  std::vector<std::string> files() && {
    is_complete_ = true;
    return std::exchange(files_, {});
  }

 private:
  std::filesystem::path path_;
  bool is_new_ = false;  ///< created here
  bool is_complete_ = false;
  std::vector<std::string> files_;
};

}  // namespace nestwright
