// A suite: a list of workloads to compare, read from a JSON file in the format of
// templates/framework/template/workload_file.h, which users can write as well. Weights have no effect here. A workload
// is written as for `nestwright tune`. One whose operator does not exist yet stays in the suite and in every table, as
// an entry without a template. Thread rule: values and pure functions; load_suite reads a file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/workload.h"

namespace nestwright::bench {

struct SuiteEntry {
  std::string label;
  std::string text;                  ///< of the workload: canonical where the operator is known, else as written
  std::optional<Workload> workload;  ///< absent: no template for its operator exists yet
};

struct Suite {
  std::string name;
  std::string summary;
  std::vector<SuiteEntry> entries;
};

/// Throws UsageError, a sentence that names `source`, the entry and the fault: not JSON, a field that is missing,
/// unknown or of a wrong type, an illegal workload, a duplicate.
Suite parse_suite(std::string_view json, const std::string& name, const std::string& source);
/// The names of the suites in `folder`, sorted: those of its files NAME.json.
std::vector<std::string> suite_names(const std::filesystem::path& folder);
/// The suite of this name in `folder`, or in this file. Throws UsageError that lists the names.
Suite load_suite(const std::string& name_or_file, const std::filesystem::path& folder);
/// A suite of single workloads, each labelled by its text. Throws UsageError.
Suite suite_of_workloads(const std::vector<std::string>& workloads);
/// The suites of a command line, followed by one of its single workloads if there are any. Throws UsageError.
std::vector<Suite> load_suites(const std::vector<std::string>& names_or_files,
                               const std::vector<std::string>& workloads, const std::filesystem::path& folder);

}  // namespace nestwright::bench
