// A temporary folder that is removed with its owner.
// Thread rule: one thread at a time.
#pragma once

#include <string>

namespace nestwright {

class ScratchFolder {
 public:
  /// Creates "<purpose>-XXXXXX", with random characters for the Xs, in the system's temporary folder (TMPDIR). Throws
  /// Error if it cannot be created.
  explicit ScratchFolder(const std::string& purpose);
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ~ScratchFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace nestwright
