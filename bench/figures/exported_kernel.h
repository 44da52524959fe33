// An exported library in this process, called as a program calls it, on tensors of its own.
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "runtime/array.h"

namespace nestwright::bench {

class ExportedKernel {
 public:
  /// `workload` says what tensors it takes. Throws Error where the library or the function cannot be had, or where it
  /// takes more tensors than are supported.
  ExportedKernel(const std::string& library, const std::string& function, const std::string& workload);

  /// Throws Error where it gives back an error.
  void call() const;

 private:
  void* function_ = nullptr;
  std::vector<Array> tensors_;
  std::vector<void*> pointers_;
};

}  // namespace nestwright::bench
