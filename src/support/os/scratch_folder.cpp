#include "support/os/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "nestwright/error.h"

namespace nestwright {

ScratchFolder::ScratchFolder(const std::string& purpose) {
  std::error_code ignored;
  std::string path = (std::filesystem::temp_directory_path(ignored) / (purpose + "-XXXXXX")).string();
  if (mkdtemp(path.data()) == nullptr) {
    throw Error("cannot make the temporary folder " + path + " (" + std::strerror(errno) +
                "); free space there or set TMPDIR");
  }
  path_ = std::move(path);
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace nestwright
