#include "bench/support/tuned_run.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "bench/support/child.h"
#include "bench/support/database_files.h"
#include "bench/support/trial_rows.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

}  // namespace

TunedRun run_tuning(const std::string& name, const std::string& workload, const std::vector<std::string>& options) {
  const std::filesystem::path folder = std::filesystem::path(own_folder()) / "search";
  std::filesystem::create_directories(folder);
  const std::string database = folder / (name + ".db"), output = folder / (name + ".json");
  remove_database(database);

  std::vector<std::string> words = {own_folder() + "/nestwright", "tune", workload, "--db", database, "--json"};
  words.insert(words.end(), options.begin(), options.end());
  const double start_s = now_s();
  const ExitStatus status = Child(words, output, "search").wait();
  TunedRun run;
  run.wall_seconds = now_s() - start_s;
  if (status.signaled || status.code != 0) {
    throw Error(fmt::format("nestwright tune ended with {}: see {}.err", status.str(), output));
  }
  std::ifstream(output) >> run.report;
  for (const auto& [id, row] : read_trials(database)) {
    run.trials.push_back({row.recorded_s - start_s, row.median_ns, row.counts});
  }
  return run;
}

}  // namespace nestwright::bench
