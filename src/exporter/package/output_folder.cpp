#include "exporter/package/output_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

#include "nestwright/error.h"

namespace nestwright {

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
  if (path.empty()) throw UsageError("no directory was named for the exported library");
  std::error_code error;
  is_new_ = std::filesystem::create_directories(path_, error);
  if (error) throw UsageError(fmt::format("cannot make directory '{}': {}", path, error.message()));
}

OutputFolder::~OutputFolder() {
  if (is_complete_) return;
  std::error_code ignored;
  for (const std::string& file : files_) std::filesystem::remove(path_ / file, ignored);
  if (is_new_) std::filesystem::remove(path_, ignored);
}

void OutputFolder::write(const std::string& file, const std::string& content) {
  errno = 0;
  std::ofstream out(path_ / file, std::ios::binary);
  if (out) files_.push_back(file);
  out << content;
  out.close();
  if (out) return;
  const bool is_full = std::find(kNoSpace.begin(), kNoSpace.end(), errno) != kNoSpace.end();
  throw UsageError(fmt::format(
      "cannot write '{}': {}", path(file),
      is_full ? "no space left on its disk; free some and export again" : "check permissions and free space"));
}

std::string OutputFolder::add(const std::string& file) {
  files_.push_back(file);
  return path(file);
}

}  // namespace nestwright
