// A file in memory with the tensors and the reference results of a task. Each runner process maps it, so that a process
// that replaces a crashed one is ready immediately, and no kernel can change the inputs. Large inputs are made in it,
// in chunks on all cores, so that no other copy of them exists. Thread rule: one thread at a time.
#pragma once

#include <optional>
#include <vector>

#include "measure/process/protocol.h"
#include "measure/run/runner.h"
#include "support/os/unique_fd.h"

namespace nestwright {

class TensorFile {
 public:
  /// Writes the file. Throws UsageError for inconsistent `data`, Error if there is no memory.
  explicit TensorFile(const CheckData& data);
  /// Appends the large and small magnitudes of LargeData, which no layout before has: only thorough checks need them.
  /// Nothing if they are there, or if there are none. Throws Error if there is no memory.
  void append_wide();
  bool has_wide_to_come() const;           ///< whether append_wide() does anything
  double set_s() const { return set_s_; }  ///< seconds that the last set of large inputs, with its reference, took
  int fd() const { return fd_.get(); }
  std::int64_t bytes() const { return bytes_; }
  const std::vector<TensorLayout>& layout() const { return layout_; }

 private:
  void append_all(const CheckData& data);
  void append_large();
  void append_set(InputSet set);
  void append_reference(InputSet set);

  UniqueFd fd_;
  std::optional<LargeData> large_;
  std::int64_t bytes_ = 0;
  std::vector<TensorLayout> layout_;
  double set_s_ = 0;
};

}  // namespace nestwright
