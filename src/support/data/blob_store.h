// Keeps what is costly to compute, and can be computed again at any time, in files of a directory: one file for each
// key. Several processes may use one directory at once.
// Thread rule: a value; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

class BlobStore {
 public:
  /// The directory is made when something is kept. An empty name: nothing is kept.
  explicit BlobStore(std::string directory = {}) : directory_(std::move(directory)) {}

  /// What was kept under the key last. Absent if there is nothing, or if it cannot be read, is damaged, or belongs to
  /// another key.
  std::optional<std::string> find(std::string_view key) const;
  /// Keeps the blob in place of what was kept under the key. If it cannot be written, as on a full disk, nothing is
  /// kept.
  void keep(std::string_view key, std::string_view blob) const;

 private:
  std::string path_of(std::string_view key) const;

  std::string directory_;
};

}  // namespace nestwright
