// Figure: how many exported kernels take, in a fresh process, the time that their tuning reported.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "bench/figures/report/options.h"
#include "bench/figures/report/verdict.h"
#include "bench/figures/tunings/fidelity_plan.h"
#include "bench/figures/tunings/tunings.h"
#include "bench/support/child.h"
#include "measure/race/timing.h"

namespace nestwright::bench {
namespace {

constexpr int kAttempts = 12;  // to get an undisturbed process with the sentinels of the report
constexpr std::chrono::seconds kPause{2};

struct FidelityOptions {
  int kernels = 100, loaded = 20;
  std::string caches = cache_state_name(CacheState::kWarm);
  TuningsOptions tunings{.seconds = 5, .executable = own_nestwright(), .out = own_folder() + "/trust-fidelity"};
};

struct Judged {
  Tuning tuning;
  TunedConfig reported;
  ExportedTiming timing;
  Fidelity fidelity = Fidelity::kNotJudged;
};

ExportedTiming timing_of(const nlohmann::json& kept) {
  return {kept.at("samples_ns").get<std::vector<double>>(), kept.at("fma_ns").get<double>(),
          kept.at("disturbance").get<std::string>(), kept.at("walk_ns").get<double>()};
}

Judged judge(const Tunings& tunings, const Tuning& tuning) {
  Judged judged{tuning, tunings.tune(tuning).winner};
  const std::string name = tuning.name() + ".fresh";
  if (const auto kept = tunings.store().find(name)) {
    judged.timing = timing_of(*kept);
    judged.fidelity = fidelity_of(judged.reported, judged.timing);
    return judged;
  }
  const Tunings::Exported library = tunings.export_library(tuning);
  for (int attempt = 0; attempt < kAttempts && judged.fidelity == Fidelity::kNotJudged; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kPause);
    judged.timing = time_exported({{library.library, library.function, tuning.workload, tuning.caches, tuning.threads}},
                                  Gating::kGated, tunings.store().path("timing.json"))
                        .front();
    judged.fidelity = fidelity_of(judged.reported, judged.timing);
  }
  tunings.store().put(name, {{"samples_ns", judged.timing.samples_ns},
                             {"fma_ns", judged.timing.fma_ns},
                             {"walk_ns", judged.timing.walk_ns},
                             {"disturbance", judged.timing.disturbance}});
  return judged;
}

/// The smallest value that nine of ten do not exceed; 0 without any.
double upper_decile(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(values.size()))) - 1];
}

void add_rows(FigureReport& report, const std::vector<Judged>& all) {
  int judged = 0, met = 0, loaded = 0, loaded_met = 0;
  std::vector<double> widths;
  for (const Judged& one : all) {
    widths.push_back((one.reported.high_ns - one.reported.low_ns) / (2 * one.reported.median_ns));
    if (one.fidelity == Fidelity::kNotJudged) continue;
    const bool is_met = one.fidelity == Fidelity::kMet, is_loaded = one.tuning.load != LoadKind::kNone;
    ++judged;
    met += is_met;
    loaded += is_loaded;
    loaded_met += is_loaded && is_met;
  }
  report.rows = {row_at_least("met by a fresh process", share_of(met, judged), 0.9, "%"),
                 row_of("of those tuned beside a load", share_of(loaded_met, loaded), "%"),
                 {"kernels, of these not judged (disturbed, or sentinels off)",
                  fmt::format("{}, {}", all.size(), static_cast<int>(all.size()) - judged),
                  {},
                  {}},
                 row_at_most("half-width of the reported range, median", median_interval(widths).median, 0.03, "%"),
                 row_at_most("half-width of the reported range, nine of ten", upper_decile(widths), 0.08, "%")};
  for (const Judged& one : all) {
    const double fresh_ns = median_interval(one.timing.samples_ns).median;
    report.details.push_back({{"tuning", one.tuning.name()},
                              {"reported_ns", {one.reported.low_ns, one.reported.median_ns, one.reported.high_ns}},
                              {"fresh_ns", fresh_ns},
                              {"fma_ns", {{"reported", one.reported.fma_ns}, {"fresh", one.timing.fma_ns}}},
                              {"walk_ns", {{"reported", one.reported.walk_ns}, {"fresh", one.timing.walk_ns}}},
                              {"judged", one.fidelity != Fidelity::kNotJudged},
                              {"met", one.fidelity == Fidelity::kMet}});
    if (one.fidelity != Fidelity::kMissed) continue;
    report.rows.push_back(
        {one.tuning.name(), fmt::format("{:.4g} us", fresh_ns * 1e-3),
         fmt::format("reported {:.4g} .. {:.4g}", one.reported.low_ns * 1e-3, one.reported.high_ns * 1e-3), false});
  }
}

void run(const FidelityOptions& options, const Publication& publication) {
  const Tunings tunings(options.tunings.executable, options.tunings.out, options.tunings.seconds);
  std::vector<Judged> all;
  for (const Tuning& tuning :
       plan_fidelity(options.kernels, options.loaded, options.tunings.seconds, parse_cache_state(options.caches))) {
    all.push_back(judge(tunings, tuning));
  }
  FigureReport report{.figure = "fidelity",
                      .conditions = {{"nestwright", options.tunings.executable},
                                     {"seconds", options.tunings.seconds},
                                     {"kernels", options.kernels},
                                     {"loaded", options.loaded},
                                     {"caches", options.caches}}};
  add_rows(report, all);
  publish(report, publication);
}

}  // namespace

void add_fidelity_figure(CLI::App& app, Action& action) {
  auto options = std::make_shared<FidelityOptions>();
  CLI::App* command = app.add_subcommand(
      "fidelity", "exported kernels: the share whose time in a fresh process lies within the reported range");
  command->add_option("--kernels", options->kernels, "how many are tuned")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--loaded", options->loaded, "of these, beside a load")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->add_option("--caches", options->caches, "what the caches contain when a timed call begins")
      ->check(CLI::IsMember(cache_state_names()))
      ->capture_default_str();
  add_tunings_options(*command, options->tunings);
  run_when_chosen(*command, action, options, run);
}

}  // namespace nestwright::bench
