#include "bench/figures/tunings/tuning_store.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

constexpr const char* kConditions = "conditions";

}  // namespace

TuningStore::TuningStore(std::string folder, const nlohmann::json& conditions) : folder_(std::move(folder)) {
  std::filesystem::create_directories(folder_);
  const std::optional<nlohmann::json> there = find(kConditions);
  if (!there) {
    put(kConditions, conditions);
  } else if (*there != conditions) {
    throw UsageError(fmt::format("{} was made with {}, and this run has {}: give another --out", folder_, there->dump(),
                                 conditions.dump()));
  }
}

std::optional<nlohmann::json> TuningStore::find(const std::string& name) const {
  std::ifstream file(path(name + ".json"));
  if (!file) return std::nullopt;
  return nlohmann::json::parse(file);
}

void TuningStore::put(const std::string& name, const nlohmann::json& value) const {
  const std::string final_path = path(name + ".json"), unfinished = final_path + ".unfinished";
  std::ofstream file(unfinished);
  file << value.dump(2) << '\n';
  file.close();
  if (!file) throw Error("cannot write " + unfinished + ": check the folder and the space on the disk");
  std::filesystem::rename(unfinished, final_path);
}

}  // namespace nestwright::bench
