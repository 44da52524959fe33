// A suite: a list of workloads that are compared, read from a JSON file as templates/framework/workload_file.h
// describes it, which a user can write, too. Weights mean nothing here.
//
// A workload is written as for `nestwright tune`. One whose operator there is not yet stays in the suite and in every
// table, as an entry without a template. Thread rule: values and pure functions; load_suite reads a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "templates/framework/workload.h"

namespace nestwright::bench {

struct SuiteEntry {
  std::string label;
  std::string text;                  ///< of the workload: canonical where the operator is known, else as it was given
  std::optional<Workload> workload;  ///< absent: there is no template for its operator yet
};

struct Suite {
  std::string name;
  std::string summary;
  std::vector<SuiteEntry> entries;
};

/// Throws UsageError, one sentence that names `source`, the entry and what is wrong with it: no JSON, fields missing,
/// unknown or of a wrong type, an illegal workload, one that is there twice.
Suite parse_suite(std::string_view json, const std::string& name, const std::string& source);
/// Those that are known by their names: of the files NAME.json in `folder`, sorted.
std::vector<std::string> suite_names(const std::filesystem::path& folder);
/// One that is known by its name (a file NAME.json in `folder`) or is a file. Throws UsageError that lists the names.
Suite load_suite(const std::string& name_or_file, const std::filesystem::path& folder);
/// A suite of single workloads, each its own label. Throws UsageError.
Suite suite_of_workloads(const std::vector<std::string>& workloads);
/// What a command line names: suites, then one of its single workloads where there are any. Throws UsageError.
std::vector<Suite> load_suites(const std::vector<std::string>& names_or_files,
                               const std::vector<std::string>& workloads, const std::filesystem::path& folder);

}  // namespace nestwright::bench
