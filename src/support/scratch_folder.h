// A folder of its own for files that nobody needs later, removed with its owner.
// Thread rule: one thread at a time.
#pragma once

#include <string>

namespace nestwright {

class ScratchFolder {
 public:
  /// "<purpose>-" and six characters, where the system keeps such things (TMPDIR). Throws Error where it cannot be
  /// made.
  explicit ScratchFolder(const std::string& purpose);
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&& other) noexcept;
  ~ScratchFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace nestwright
