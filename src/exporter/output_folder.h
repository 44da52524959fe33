// The folder that an export goes to. What was written of one that fails is removed again, so that no part of a library
// passes for a whole one. Thread rule: one thread.
#pragma once

#include <array>
#include <cerrno>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace nestwright {

/// What errno says of a disk without room, or without more of it for this user or this file.
inline constexpr std::array kNoSpace{ENOSPC, EDQUOT, EFBIG};

class OutputFolder {
 public:
  /// Made where it is not there. Throws UsageError.
  explicit OutputFolder(const std::string& path);
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  /// Removes the files, and the folder where it was made and is empty, unless files() was called.
  ~OutputFolder();
  /// Throws UsageError.
  void write(const std::string& file, const std::string& content);
  /// For a file that somebody else writes: its path.
  std::string add(const std::string& file);
  std::string path(const std::string& file) const { return (path_ / file).string(); }
  /// What was written and added, in order. The export is complete.
  std::vector<std::string> files() && { return std::exchange(files_, {}); }

 private:
  std::filesystem::path path_;
  bool is_new_ = false;  ///< made here
  std::vector<std::string> files_;
};

}  // namespace nestwright
