#include "bench/strategy_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "bench/tuned_run.h"
#include "support/error.h"

namespace nestwright::bench {
namespace {

using Json = nlohmann::json;
using Runs = std::vector<std::vector<TimedTrial>>;  // one a seed

Runs run_seeds(const SuiteEntry& entry, const std::string& strategy, const StrategyComparison& options) {
  Runs runs;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    std::vector<std::string> words = {"--strategy",         strategy,   "--seed",
                                      std::to_string(seed), "--trials", std::to_string(options.trials)};
    words.insert(words.end(), options.tune_options.begin(), options.tune_options.end());
    runs.push_back(run_tuning("strategy", entry.text, words).trials);
  }
  return runs;
}

std::vector<std::optional<int>> counts_of(const Runs& runs, double known_best_ns, double share) {
  std::vector<std::optional<int>> counts;
  for (const auto& trials : runs) counts.push_back(trials_to_share(trials, known_best_ns, share));
  return counts;
}

std::string shown(const std::optional<double>& median, int most) {
  return median ? fmt::format("{:g}", *median) : fmt::format(">{}", most);
}

}  // namespace

void compare_strategies(const Suite& suite, const StrategyComparison& options) {
  std::string head = fmt::format("{:<28} {:>12}", fmt::format("trials to {:.0f}%", 100 * options.share), "best known");
  for (const std::string& strategy : options.strategies) head += fmt::format(" {:>13}", strategy);
  fmt::print("{}\n", head);
  std::fflush(stdout);

  Json entries = Json::array();
  for (const SuiteEntry& entry : suite.entries) {
    if (!entry.workload) throw Error(entry.text + ": there is no template for this operator");
    std::vector<Runs> all;
    double known = 0;
    for (const std::string& strategy : options.strategies) {
      all.push_back(run_seeds(entry, strategy, options));
      for (const auto& trials : all.back()) {
        const double best = best_ns(trials);
        if (best > 0 && (known == 0 || best < known)) known = best;
      }
    }
    std::string line = fmt::format("{:<28} {:>9.1f} us", entry.label, known * 1e-3);
    Json strategies = Json::object();
    for (std::size_t s = 0; s < all.size(); ++s) {
      const auto counts = counts_of(all[s], known, options.share);
      const auto median = median_reached(counts);
      line += fmt::format(" {:>13}", shown(median, options.trials));
      Json& told = strategies[options.strategies[s]];
      told["median"] = median ? Json(*median) : Json();
      for (const auto& count : counts) told["seeds"].push_back(count ? Json(*count) : Json());
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
    entries.push_back(
        {{"label", entry.label}, {"workload", entry.text}, {"best_ns", known}, {"strategies", strategies}});
  }
  if (options.json.empty()) return;
  std::ofstream file(options.json);
  file << Json{{"share", options.share}, {"trials", options.trials}, {"entries", entries}}.dump(2) << '\n';
  if (!file.flush()) throw Error("cannot write " + options.json + ": check the folder and the space on the disk");
}

}  // namespace nestwright::bench
