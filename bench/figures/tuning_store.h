// What a figure of many tunings keeps, a file an entry, so that it goes on after a kill. All of one folder was made in
// one way. Thread rule: one thread at a time, one process at a time.
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace nestwright::bench {

class TuningStore {
 public:
  /// Makes the folder where it is not there. Throws UsageError where it was made under other conditions.
  TuningStore(std::string folder, const nlohmann::json& conditions);

  /// Nothing where it was not put, or not completely.
  std::optional<nlohmann::json> find(const std::string& name) const;
  /// Complete or not there, also after a kill. Throws Error where it cannot be written.
  void put(const std::string& name, const nlohmann::json& value) const;
  /// A path in the folder.
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

}  // namespace nestwright::bench
