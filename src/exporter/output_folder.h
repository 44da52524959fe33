// The folder that an export goes to. Thread rule: one thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nestwright {

class OutputFolder {
 public:
  /// Made where it is not there. Throws UsageError.
  explicit OutputFolder(const std::string& path);
  /// Throws UsageError.
  void write(const std::string& file, const std::string& content);
  /// For a file that somebody else writes: its path.
  std::string add(const std::string& file);
  std::string path(const std::string& file) const { return (path_ / file).string(); }
  /// What was written and added, in order.
  std::vector<std::string> files() && { return std::move(files_); }

 private:
  std::filesystem::path path_;
  std::vector<std::string> files_;
};

}  // namespace nestwright
