#include "exporter/output_folder.h"

#include <fmt/format.h>

#include <fstream>

#include "support/error.h"

namespace nestwright {

OutputFolder::OutputFolder(const std::string& path) : path_(path) {
  if (path.empty()) throw UsageError("no directory was named for the exported library");
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) throw UsageError(fmt::format("cannot make directory '{}': {}", path, error.message()));
}

void OutputFolder::write(const std::string& file, const std::string& content) {
  std::ofstream out(path_ / file, std::ios::binary);
  out << content;
  out.close();
  if (!out) {
    throw UsageError(fmt::format("cannot write '{}': check permissions and free space", path(file)));
  }
  files_.push_back(file);
}

std::string OutputFolder::add(const std::string& file) {
  files_.push_back(file);
  return path(file);
}

}  // namespace nestwright
