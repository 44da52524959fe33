// A folder with one file for each tuning of a figure, so that the figure can be resumed after a kill. All files of a
// folder were made under the same conditions. Thread rule: one thread at a time, one process at a time.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace nestwright::bench {

class TuningStore {
 public:
  /// Creates the folder if necessary. Throws UsageError where it was made under other conditions.
  TuningStore(std::string folder, const nlohmann::json& conditions);

  /// The entry of this name; nullopt where there is no complete one.
  std::optional<nlohmann::json> find(const std::string& name) const;
  /// Writes an entry atomically, so that it is complete or absent after a kill. Throws Error where it cannot be
  /// written.
  void put(const std::string& name, const nlohmann::json& value) const;
  /// A path in the folder.
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

}  // namespace nestwright::bench
