// The resident memory of a process. Limits use it for processes that reserve address space without using it (drivers,
// sanitizers).
// Thread rule: immutable. Unit: bytes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "support/os/unique_fd.h"

namespace nestwright {

class ResidentSize {
 public:
  explicit ResidentSize(pid_t pid);
  /// Returns the size of all its mappings that are in memory, including shared ones. Takes 2 us. Absent once the
  /// process is gone.
  std::optional<std::int64_t> bytes() const;

 private:
  UniqueFd statm_;
};

}  // namespace nestwright
