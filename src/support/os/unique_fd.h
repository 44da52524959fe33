// An owned file descriptor, closed on destruction.
// Thread rule: one thread at a time.
#pragma once

#include <unistd.h>

#include <utility>

namespace nestwright {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() {
    if (fd_ >= 0) close(fd_);
  }
  /// The descriptor; -1 if it owns none.
  int get() const { return fd_; }

 private:
  int fd_ = -1;
};

}  // namespace nestwright
