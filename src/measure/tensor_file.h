// The tensors and the reference of a task in a file in memory, which each runner process maps: one that is replaced
// after a crash is ready at once, and no kernel can change the inputs. Thread rule: immutable once made.
#pragma once

#include <vector>

#include "measure/protocol.h"
#include "measure/runner.h"
#include "support/unique_fd.h"

namespace nestwright {

class TensorFile {
 public:
  /// Throws UsageError where the parts of `data` do not fit together, Error where there is no memory.
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
