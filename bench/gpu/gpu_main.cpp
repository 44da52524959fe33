// Compares our best kernels with cuBLAS and with a copy, on a device; bench/gpu/run calls it on the GPU machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "bench/comparison/results/report.h"
#include "bench/comparison/results/results_file.h"
#include "bench/gpu/check_rows.h"
#include "bench/gpu/device_case.h"
#include "bench/support/child.h"
#include "bench/support/doctor.h"
#include "bench/support/suite.h"
#include "nestwright/database.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"

namespace nestwright::bench {
namespace {

struct Options {
  std::string device = "cuda", suites_folder, results, json, check_db, count_db, commit = "unknown";
  std::vector<std::string> suites;
  std::vector<std::string> workloads;
  double within_s = 0;
  bool resume = false;
  DeviceOptions measuring;
};

constexpr const char* kWhat =
    "Times our best kernels on a device side by side with cuBLAS, and with a copy of as many bytes. Exit codes: 0 "
    "done, "
    "1 failed, 2 usage, 75 out of time: call it again with --resume.";
constexpr int kOutOfTime = 75;

std::optional<int> parse(int argc, char** argv, Options& options) {
  options.measuring.db = own_folder() + "/gpu.db";
  options.results = own_folder() + "/gpu.jsonl";
  CLI::App app(kWhat, "bench/gpu");
  app.add_option(
      "suites", options.suites,
      "names in the folder of suites, or files of that form; with @TEMPLATE behind it, by that template only");
  app.add_option("--workload", options.workloads, "a single workload; may be repeated")->allow_extra_args(false);
  app.add_option("--suites-folder", options.suites_folder, "where the named suites lie");
  app.add_option("--device", options.device, "cuda or opencl: the first of that kind")
      ->check(CLI::IsMember({"cuda", "opencl"}))
      ->capture_default_str();
  app.add_option("--seconds", options.measuring.seconds, "of tuning, a workload; 0: take what the database has")
      ->check(CLI::NonNegativeNumber)
      ->take_last()
      ->capture_default_str();
  app.add_option("--rounds", options.measuring.rounds, "of measuring, a workload")
      ->check(CLI::PositiveNumber)
      ->take_last()
      ->capture_default_str();
  app.add_option("--within", options.within_s,
                 "begin no workload that may not end within this many seconds; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--seed", options.measuring.seed, "of the tuning and of the order in the rounds")
      ->capture_default_str();
  app.add_option("--db", options.measuring.db, "database file")->capture_default_str();
  app.add_option("--results", options.results, "where every comparison is kept as soon as it is done")
      ->capture_default_str();
  app.add_flag("--resume", options.resume, "go on with what the results file has");
  app.add_option("--json", options.json, "file for everything as one JSON document");
  app.add_option("--check-db", options.check_db,
                 "database of a check of results: its findings are printed and added to the document");
  app.add_option("--count", options.count_db, "do nothing but to print how many trials this database has");
  app.add_option("--commit", options.commit, "of the source, kept with the results");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  if (options.suites.empty() && options.workloads.empty())
    options.suites = {"gpu_matmul", "gpu_memory_bound", "gpu_tensor_cores@matmul.mma", "gpu_tensor_cores@matmul.wgmma"};
  return std::nullopt;
}

Provenance provenance_of(const Options& options, const DeviceInfo& device) {
  nlohmann::json doctor = ask_doctor();
  nlohmann::json conditions = {{"device", device.name},
                               {"driver", device.driver},
                               {"target", device.target.str()},
                               {"compiler", doctor.at("backends").at(options.device)},
                               {"tuning_seconds", options.measuring.seconds},
                               {"rounds", options.measuring.rounds},
                               {"seed", options.measuring.seed}};
  return {options.commit, std::move(doctor), std::move(conditions), false};
}

/// Upper bound on the seconds of a workload besides its tuning: compiling, checking and the rounds.
constexpr double kBesideTuning_s = 45;

/// A suite, and the only template to compare; empty: all.
struct Part {
  Suite suite;
  std::string template_name;
  std::string name() const { return template_name.empty() ? suite.name : suite.name + "@" + template_name; }
};

std::vector<Part> parts_of(const Options& options) {
  std::vector<std::string> suites, only;
  for (const std::string& text : options.suites) {
    const std::size_t at = text.rfind('@');
    suites.push_back(text.substr(0, at));
    only.push_back(at == std::string::npos ? std::string() : text.substr(at + 1));
    if (at == std::string::npos || builtin_registry().find_template(only.back()) != nullptr) continue;
    throw UsageError(
        fmt::format("there is no template '{}', which {} asks for: see nestwright templates", only.back(), text));
  }
  std::vector<Part> parts;
  for (Suite& suite : load_suites(suites, options.workloads, options.suites_folder)) {
    const std::size_t at = parts.size();
    parts.push_back({std::move(suite), at < only.size() ? only[at] : std::string()});
  }
  return parts;
}

/// A workload is left out once it has ended more calls of this program than this.
constexpr int kMaxAttempts = 2;

/// Stands for a comparison that could not be made. It counts as complete, so that the suite continues.
Comparison failure(const Case& subject, const std::string& why) {
  return {.subject = subject, .series = {{"nestwright", why, true, {}}}};
}

/// The rows of the check of results of the suite gpu_check; none where there is no file of it.
std::vector<CheckRow> read_check(const Options& options) {
  if (options.check_db.empty()) return {};
  std::vector<std::string> workloads;
  for (const SuiteEntry& entry : load_suite("gpu_check", options.suites_folder).entries) {
    workloads.push_back(entry.text);
  }
  return check_rows(TuningLog::open(options.check_db, OpenMode::kRead).trials({}), workloads);
}

/// Why the part's template, if it has one, does not serve the workload on the target; empty where it does.
std::string why_not(const Part& part, const Workload& workload, const Target& target) {
  if (part.template_name.empty()) return {};
  try {
    templates_for(workload, target, part.template_name);
  } catch (const UsageError& e) {
    return e.what();
  }
  return {};
}

/// Goes through the parts until everything is compared or there is a reason to stop.
class Run {
 public:
  Run(const Options& options, std::shared_ptr<Device> device)
      : options_(options),
        device_(std::move(device)),
        provenance_(provenance_of(options, device_->info())),
        results_(options.resume ? ResultsFile::resume(options.results, provenance_)
                                : ResultsFile::begin(options.results, provenance_)) {}

  int operator()(const std::vector<Part>& parts) {
    check_ = read_check(options_);
    fmt::print("{}\n", report_heading(provenance_, {}));
    if (!check_.empty()) fmt::print("{}", to_text(check_));
    for (const Part& part : parts) sections_.push_back(Section{.suite = part.name()});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (const SuiteEntry& entry : parts[i].suite.entries) {
        auto row = compare(parts[i], entry);
        if (!row) continue;
        sections_[i].rows.push_back(std::move(*row));
        write_report(false);  // the next workload may end this process
      }
    }
    for (const Section& section : sections_) fmt::print("{}\n", to_text(section));
    write_report(!is_incomplete_);
    if (is_incomplete_) return kOutOfTime;
    return std::any_of(check_.begin(), check_.end(), [](const CheckRow& row) { return row.is_wrong(); }) ? 1 : 0;
  }

 private:
  /// Returns nullopt where the workload is left to the next call.
  std::optional<Row> compare(const Part& part, const SuiteEntry& entry) {
    DeviceOptions measuring = options_.measuring;
    measuring.template_name = part.template_name;
    const Case subject{.label = entry.label, .workload = subject_text(entry.text, measuring)};
    Row row{subject.label, subject.workload, std::nullopt};
    if (!entry.workload) return row;
    if (const std::string reason = why_not(part, *entry.workload, device_->info().target); !reason.empty()) {
      fmt::print(stderr, "{}\n", reason);
      return row;
    }
    if (const Comparison* kept = results_.find(subject.key())) {
      row.comparison = *kept;
      return row;
    }
    if (device_is_lost_ || is_out_of_time()) {
      is_incomplete_ = true;
      return std::nullopt;
    }
    row.comparison = compare_now(subject, *entry.workload, measuring);
    results_.add(*row.comparison);
    fmt::print("{}\n", to_text(*row.comparison));
    std::fflush(stdout);
    return row;
  }

  void write_report(bool is_complete) const {
    if (options_.json.empty()) return;
    nlohmann::json document = report_document(provenance_, sections_);
    document["complete"] = is_complete;
    if (!check_.empty()) document["check"] = to_json(check_);
    write_document(options_.json, document);
  }

  Comparison compare_now(const Case& subject, const Workload& workload, const DeviceOptions& measuring) {
    if (results_.attempts(subject.key()) >= kMaxAttempts) {
      return failure(subject, fmt::format("{} calls of this program ended while it was compared", kMaxAttempts));
    }
    results_.note_attempt(subject.key());
    try {
      return compare_on_device(subject.label, workload, device_, measuring);
    } catch (const DeviceLostError& e) {
      device_is_lost_ = true;
      return failure(subject, e.what());
    } catch (const std::exception& e) {
      return failure(subject, e.what());
    }
  }

  bool is_out_of_time() const {
    if (options_.within_s <= 0) return false;
    const double spent_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    return options_.within_s - spent_s < options_.measuring.seconds + kBesideTuning_s;
  }

  const Options& options_;
  std::shared_ptr<Device> device_;
  Provenance provenance_;
  ResultsFile results_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<CheckRow> check_;
  std::vector<Section> sections_;
  bool device_is_lost_ = false, is_incomplete_ = false;
};

int run(const Options& options) {
  if (!options.count_db.empty()) {
    fmt::print("{}\n", TuningLog::open(options.count_db, OpenMode::kRead).trials({}).size());
    return 0;
  }
  const std::vector<Part> parts = parts_of(options);
  return Run(options, make_device(options.device == "cuda" ? DeviceKind::kCuda : DeviceKind::kOpenCl))(parts);
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  using namespace nestwright;
  try {
    bench::Options options;
    if (const auto code = bench::parse(argc, argv, options)) return *code;
    return bench::run(options);
  } catch (const UsageError& e) {
    fmt::print(stderr, "bench/gpu: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench/gpu: {}\n", e.what());
    return 1;
  }
}
