// How much memory a process holds, for limits on what reserves address space that it never uses (drivers, sanitizers).
// Thread rule: immutable. Unit: bytes.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "support/unique_fd.h"

namespace nestwright {

class ResidentSize {
 public:
  explicit ResidentSize(pid_t pid);
  /// Of all its mappings that are in memory, shared ones included. Takes 2 us. Nothing once the process is gone.
  std::optional<std::int64_t> bytes() const;

 private:
  UniqueFd statm_;
};

}  // namespace nestwright
