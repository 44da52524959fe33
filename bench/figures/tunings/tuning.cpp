#include "bench/figures/tunings/tuning.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace nestwright::bench {

std::string Tuning::name() const {
  std::string words = workload;
  std::replace(words.begin(), words.end(), ' ', '-');
  std::erase(words, '=');
  std::replace(words.begin(), words.end(), ',', '.');
  words += "_" + std::to_string(threads) + "t_seed" + std::to_string(seed);
  if (caches != CacheState::kWarm) words += std::string("_") + cache_state_name(caches);
  return load == LoadKind::kNone ? words : words + "_" + name_of(load);
}

TunedConfig tuned_config(const nlohmann::json& record) {
  const nlohmann::json& time = record.at("time_ns");
  return {record.at("template").get<std::string>(),
          record.at("config_text").get<std::string>(),
          time.at("median").get<double>(),
          time.at("low").get<double>(),
          time.at("high").get<double>(),
          record.at("fma_ns").get<double>(),
          record.at("walk_ns").get<double>()};
}

}  // namespace nestwright::bench
