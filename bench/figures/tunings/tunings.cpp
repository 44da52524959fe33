#include "bench/figures/tunings/tunings.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/figures/machine/load.h"
#include "bench/support/child.h"
#include "nestwright/error.h"
#include "support/data/hash.h"

namespace nestwright::bench {
namespace {

constexpr int kFound = 10;

std::string fingerprint_of(const std::string& executable) {
  std::ifstream file(executable, std::ios::binary);
  if (!file) throw UsageError("there is no executable " + executable);
  return fmt::format("{:016x}", stable_hash(std::string(std::istreambuf_iterator<char>(file), {})));
}

}  // namespace

std::string own_nestwright() { return own_folder() + "/nestwright"; }

Tunings::Tunings(std::string executable, const std::string& folder, double seconds)
    : executable_(std::move(executable)),
      store_(folder, {{"nestwright", fingerprint_of(executable_)}, {"seconds", seconds}}) {}

nlohmann::json Tunings::run(const Tuning& tuning, const std::string& suffix, std::vector<std::string> words) const {
  words.insert(words.begin() + 1, tuning.workload);
  words.insert(words.begin(), executable_);
  words.insert(words.end(),
               {"--threads", std::to_string(tuning.threads), "--db", store_.path(tuning.name() + ".db"), "--json"});
  // Other builds may not have the option.
  if (tuning.caches != CacheState::kWarm) words.insert(words.end(), {"--caches", cache_state_name(tuning.caches)});
  const std::string output = store_.path(tuning.name() + suffix);
  const ExitStatus status = Child(words, output, "trust").wait();
  if (status.signaled || status.code != 0) {
    throw Error(
        fmt::format("nestwright {} of {} ended with {}: see {}.err", words[1], tuning.name(), status.str(), output));
  }
  std::ifstream file(output);
  return nlohmann::json::parse(file);
}

nlohmann::json Tunings::query(const Tuning& tuning, const std::string& suffix,
                              const std::vector<std::string>& options) const {
  std::vector<std::string> words = {"query"};
  words.insert(words.end(), options.begin(), options.end());
  return run(tuning, suffix, words);
}

TunedKernel Tunings::tune(const Tuning& tuning) const {
  std::optional<nlohmann::json> kept = store_.find(tuning.name());
  if (!kept) {
    fmt::print(stderr, "tuning {}\n", tuning.name());
    for (const char* suffix : {".db", ".db-wal", ".db-shm"})
      std::filesystem::remove(store_.path(tuning.name() + suffix));
    {
      Load load(tuning.load);
      run(tuning, ".tune",
          {"tune", "--seconds", fmt::format("{}", tuning.seconds), "--seed", std::to_string(tuning.seed)});
      load.check_running();
    }
    kept = {{"winner", query(tuning, ".query", {"--exact"})},
            {"found", query(tuning, ".top", {"--top", std::to_string(kFound)})}};
    store_.put(tuning.name(), *kept);
  }
  TunedKernel kernel{tuned_config(kept->at("winner")), {}};
  for (const nlohmann::json& record : kept->at("found")) kernel.found.push_back(tuned_config(record));
  return kernel;
}

Tunings::Exported Tunings::export_library(const Tuning& tuning) const {
  const std::string folder = store_.path(tuning.name() + ".exported");
  const nlohmann::json said = run(tuning, ".export", {"export", "--exact", "--out", folder});
  for (const auto& file : said.at("files")) {
    const std::string name = file.get<std::string>();
    if (name.ends_with(".so")) return {folder + "/" + name, said.at("function").get<std::string>()};
  }
  throw Error("nestwright export made no shared library in " + folder);
}

}  // namespace nestwright::bench
