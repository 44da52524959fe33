// Compares our best kernels with cuBLAS and with a copy, on a device: bench/gpu/run calls it on the GPU machine.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/child.h"
#include "bench/comparison/doctor.h"
#include "bench/comparison/report.h"
#include "bench/comparison/results_file.h"
#include "bench/comparison/suite.h"
#include "bench/gpu/device_case.h"
#include "support/error.h"
#include "templates/registry.h"

namespace nestwright::bench {
namespace {

struct Options {
  std::string device = "cuda", suites_folder, results, json, check, commit = "unknown";
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
      ->capture_default_str();
  app.add_option("--rounds", options.measuring.rounds, "of measuring, a workload")
      ->check(CLI::PositiveNumber)
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
  app.add_option("--check", options.check, "what `nestwright tune --file --json` said, to be put into the document");
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
  return {options.commit,
          ask_doctor(),
          {{"device", device.name},
           {"driver", device.driver},
           {"target", device.target.str()},
           {"tuning_seconds", options.measuring.seconds},
           {"rounds", options.measuring.rounds},
           {"seed", options.measuring.seed}}};
}

/// Seconds that a workload takes at most beside its tuning: compiling, checking and the rounds.
constexpr double kBesideTuning_s = 45;

/// A suite, and of which template only; empty: all.
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
    if (at == std::string::npos || find_template(only.back()) != nullptr) continue;
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

/// Why the part's template, if it has one, does not serve the workload there; empty: it does.
std::string why_not(const Part& part, const Workload& workload, const Target& target) {
  if (part.template_name.empty()) return {};
  try {
    templates_for(workload, target, part.template_name);
  } catch (const UsageError& e) {
    return e.what();
  }
  return {};
}

int run(const Options& options) {
  const std::vector<Part> parts = parts_of(options);
  const std::shared_ptr<Device> device =
      make_device(options.device == "cuda" ? DeviceKind::kCuda : DeviceKind::kOpenCl);
  const Provenance provenance = provenance_of(options, device->info());
  ResultsFile results = options.resume ? ResultsFile::resume(options.results, provenance)
                                       : ResultsFile::begin(options.results, provenance);
  fmt::print("{}\n", heading_text(provenance, {}));
  const auto start = std::chrono::steady_clock::now();
  bool out_of_time = false;
  std::vector<Section> sections;
  for (const Part& part : parts) {
    Section& section = sections.emplace_back(Section{.suite = part.name()});
    DeviceOptions measuring = options.measuring;
    measuring.template_name = part.template_name;
    for (const SuiteEntry& entry : part.suite.entries) {
      const Case subject{.label = entry.label, .workload = subject_text(entry.text, measuring)};
      Row row{subject.label, subject.workload, std::nullopt};
      if (const std::string reason = entry.workload ? why_not(part, *entry.workload, device->info().target) : "";
          !reason.empty()) {
        fmt::print(stderr, "{}\n", reason);
        section.rows.push_back(std::move(row));
        continue;
      }
      const double left_s =
          options.within_s - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      if (const Comparison* kept = entry.workload ? results.find(subject.key()) : nullptr) {
        row.comparison = *kept;
      } else if (options.within_s > 0 && left_s < options.measuring.seconds + kBesideTuning_s) {
        out_of_time = true;
        continue;
      } else if (entry.workload) {
        row.comparison = compare_on_device(entry.label, *entry.workload, device, measuring);
        results.add(*row.comparison);
        fmt::print("{}\n", to_text(*row.comparison));
        std::fflush(stdout);
      }
      section.rows.push_back(std::move(row));
    }
  }
  for (const Section& section : sections) fmt::print("{}\n", to_text(section));
  if (!options.json.empty()) {
    nlohmann::json document = document_of(provenance, sections);
    document["complete"] = !out_of_time;
    if (!options.check.empty()) document["check"] = nlohmann::json::parse(std::ifstream(options.check));
    write_document(options.json, document);
  }
  return out_of_time ? kOutOfTime : 0;
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
