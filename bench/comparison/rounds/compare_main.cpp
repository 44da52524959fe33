// Compares our best kernels with libraries over suites of workloads; bench/compare builds and runs this program.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>

#include "bench/comparison/results/report.h"
#include "bench/comparison/rounds/compare_case.h"
#include "bench/support/child.h"
#include "bench/support/doctor.h"
#include "bench/support/suite.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

Provenance provenance_of(const Options& options, const Field& field) {
  nlohmann::json rivals = nlohmann::json::array();
  for (const Competitor& library : field.libraries) rivals.push_back(library.name);
  nlohmann::json conditions = {{"pages", name_of(options.pages)},
                               {"caches", name_of(options.caches)},
                               {"tuning_seconds", options.seconds},
                               {"rounds", options.rounds},
                               {"seed", options.seed},
                               {"rivals", std::move(rivals)}};
  if (!options.template_name.empty()) conditions["template"] = options.template_name;
  return {options.commit, ask_doctor(), std::move(conditions)};
}

ResultsFile open_results(const Options& options, const Provenance& provenance) {
  if (options.commit.ends_with("-dirty")) {
    fmt::print(stderr,
               "the source has changes that are not committed: results of different changes would look alike\n");
  }
  if (!options.resume) return ResultsFile::begin(options.results, provenance);
  ResultsFile results = ResultsFile::resume(options.results, provenance);
  fmt::print(stderr, "{} comparisons are in {} already\n", results.comparisons(), options.results);
  return results;
}

/// The comparison in the results, or a new one.
Comparison comparison_of(const Case& subject, const Options& options, const Field& field, ResultsFile& results) {
  if (const Comparison* kept = results.find(subject.key())) {
    Comparison comparison = *kept;
    comparison.subject.label = subject.label;  // another suite may use another label
    return comparison;
  }
  Comparison comparison = compare_case(subject, options, field, own_folder());
  results.add(comparison);
  fmt::print("{}\n", to_text(comparison));
  std::fflush(stdout);
  return comparison;
}

Section measure_section(const Suite& suite, int threads, Weights weights, const Options& options, const Field& field,
                        ResultsFile& results) {
  Section section{suite.name, threads, weights, {}};
  for (const SuiteEntry& entry : suite.entries) {
    Row row{entry.label, entry.text, std::nullopt};
    if (entry.workload) {
      row.comparison =
          comparison_of(make_case(entry.label, *entry.workload, threads, weights), options, field, results);
    }
    section.rows.push_back(std::move(row));
  }
  return section;
}

/// Measures each suite for each number of threads and treatment of weights. Several suites also give a joint section.
std::vector<Section> measure(const std::vector<Suite>& suites, const Options& options, const Field& field,
                             ResultsFile& results) {
  std::vector<Section> all;
  for (const Weights weights : options.weights) {
    for (const int threads : options.threads) {
      std::vector<Section> sections;
      for (const Suite& suite : suites) {
        sections.push_back(measure_section(suite, threads, weights, options, field, results));
      }
      if (sections.size() > 1) sections.push_back(joined(sections));
      all.insert(all.end(), sections.begin(), sections.end());
    }
  }
  return all;
}

int run(const Options& options) {
  const std::vector<Suite> suites = load_suites(options.suites, options.workloads, options.suites_folder);
  const Field field = find_field(options.rivals, own_folder());
  const Provenance provenance = provenance_of(options, field);
  ResultsFile results = open_results(options, provenance);
  fmt::print("{}\n", report_heading(provenance, field.absent));
  std::fflush(stdout);
  const std::vector<Section> sections = measure(suites, options, field, results);
  for (const Section& section : sections) fmt::print("{}\n", to_text(section));
  if (!options.json.empty()) {
    nlohmann::json document = report_document(provenance, sections);
    document["absent"] = field.absent;
    write_document(options.json, document);
  }
  return 0;
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  using namespace nestwright;
  try {
    bench::Options options;
    if (const auto code = bench::parse_options(argc, argv, bench::own_folder(), options)) return *code;
    return bench::run(options);
  } catch (const UsageError& e) {
    fmt::print(stderr, "bench/compare: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench/compare: {}\n", e.what());
    return 1;
  }
}
