#include "cli/command.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "support/error.h"

namespace nestwright::cli {

std::string CommonOptions::workload_text() const { return fmt::format("{}", fmt::join(workload, " ")); }

Workload CommonOptions::parsed_workload() const { return parse_workload(workload_text()); }

Target CommonOptions::parsed_target() const {
  Target parsed = Target::parse(target);
  if (threads < 0) throw UsageError(fmt::format("--threads {} is not a number of threads: give 1 or more", threads));
  if (threads > 0) parsed.threads = threads;
  return parsed;
}

void add_workload(CLI::App& command, CommonOptions& options, bool required) {
  auto* option = command.add_option("workload", options.workload,
                                    "operator and parameters, e.g. matmul m=512 n=512 k=512 ta=0 tb=1 dtype=float32");
  if (required) option->required();
}

void add_db(CLI::App& command, CommonOptions& options) {
  options.db = "nestwright.db";
  command.add_option("--db", options.db, "database file")->envname("NESTWRIGHT_DB")->capture_default_str();
}

void add_target(CLI::App& command, CommonOptions& options) {
  command.add_option("--target", options.target, "target, e.g. host or cpu,isa=avx2,threads=1")->capture_default_str();
  command.add_option("--threads", options.threads, "threads that the kernel may use (default: the target's)");
}

void add_json(CLI::App& command, CommonOptions& options) {
  command.add_flag("--json", options.json, "one JSON document on standard output");
}

}  // namespace nestwright::cli
