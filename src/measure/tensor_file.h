// A file in memory with the tensors and the reference results of a task. Each runner process maps it, so that a process
// that replaces a crashed one is ready immediately, and no kernel can change the inputs.
// Thread rule: immutable.
#pragma once

#include <vector>

#include "measure/protocol.h"
#include "measure/runner.h"
#include "support/unique_fd.h"

namespace nestwright {

class TensorFile {
 public:
  /// Writes the file. Throws UsageError for inconsistent `data`, Error if there is no memory.
  explicit TensorFile(const CheckData& data);
  int fd() const { return fd_.get(); }
  std::int64_t bytes() const { return bytes_; }
  const std::vector<TensorLayout>& layout() const { return layout_; }

 private:
  UniqueFd fd_;
  std::int64_t bytes_ = 0;
  std::vector<TensorLayout> layout_;
};

}  // namespace nestwright
