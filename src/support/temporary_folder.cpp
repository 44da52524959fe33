#include "support/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "support/error.h"

namespace nestwright {

TemporaryFolder::TemporaryFolder(const std::string& purpose) {
  std::error_code ignored;
  std::string path = (std::filesystem::temp_directory_path(ignored) / (purpose + "-XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    throw Error("cannot make the temporary folder " + path + " (" + std::strerror(errno) +
                "); free space there or set TMPDIR");
  }
  path_ = std::move(path);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace nestwright
