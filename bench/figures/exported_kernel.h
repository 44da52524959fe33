// Loads an exported library into this process and calls it as a user's program does, on tensors of its own.
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "runtime/array.h"

namespace nestwright::bench {

class ExportedKernel {
 public:
  /// `workload` determines the tensors. Throws Error where the library or the function cannot be loaded, or takes more
  /// tensors than are supported.
  ExportedKernel(const std::string& library, const std::string& function, const std::string& workload);

  /// Throws Error where the function returns an error code.
  void call() const;

 private:
  void* function_ = nullptr;
  std::vector<Array> tensors_;
  std::vector<void*> pointers_;
};

}  // namespace nestwright::bench
