#include <fmt/format.h>

#include <cctype>
#include <filesystem>

#include "cli/commands/model_tasks.h"
#include "cli/output/record_output.h"
#include "nestwright/database.h"
#include "nestwright/error.h"
#include "nestwright/model/network.h"
#include "support/base/cpp_names.h"

namespace nestwright::cli {
namespace {

/// The name of the file without its folder and ending, as an identifier of C.
std::string name_of_model(const std::string& path) {
  const std::string name = with_word_characters(std::filesystem::path(path).stem().string());
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "model_" + name : name;
}

/// nullopt: there is no database, and none was asked for.
std::optional<TuningLog> database_of(const CommonOptions& common, bool db_given) {
  std::error_code ignored;
  if (!db_given && !std::filesystem::exists(common.db, ignored)) return std::nullopt;
  return open_database(common, OpenMode::kRead);
}

std::string megabytes(std::size_t bytes) { return fmt::format("{:.2f} MB", static_cast<double>(bytes) * 1e-6); }

void print_text(const NetworkExport& result, const std::string& directory) {
  fmt::print("{} exported to {}: {} calls of {} kernels, {} of them tuned\n", result.name, directory, result.steps,
             result.kernels, result.tuned);
  fmt::print("library {}, weights {}, arena {} (at least {} are needed at one time)\n", megabytes(result.library_bytes),
             megabytes(result.weight_bytes), megabytes(result.arena_bytes), megabytes(result.least_arena_bytes));
  if (result.error_of_tolerance) {
    fmt::print("run here: right, largest error {:.3g} of its tolerance\n", *result.error_of_tolerance);
  } else {
    fmt::print("not run: --unchecked\n");
  }
  for (const std::string& file : result.files) {
    if (!file.ends_with(".o")) fmt::print("  {}\n", file);
  }
}

}  // namespace

int export_model(const CommonOptions& common, const ModelOptions& model, const ModelExport& options) {
  const std::optional<TuningLog> log = database_of(common, options.db_given);
  const Graph graph = kernels_of_model(common, model, log ? &*log : nullptr, true).kernels;
  const Target target = common.parsed_target();
  NetworkExportOptions network{.directory = options.directory,
                               .name = options.name.empty() ? name_of_model(model_path(common)) : options.name,
                               .model = std::filesystem::path(model_path(common)).filename().string(),
                               .embed = options.embed,
                               .unchecked = options.unchecked};
  network.compile.caches = common.parsed_caches(target);
  const NetworkExport result = export_network(graph, target, log ? &*log : nullptr, network);
  if (result.tuned < result.kernels) {
    note(
        fmt::format("nestwright: {} of {} kernels were not tuned here, the nearest or default configurations were "
                    "exported: run nestwright tune {} for better ones\n",
                    result.kernels - result.tuned, result.kernels, printable(model_path(common))));
  }
  if (!common.json) {
    print_text(result, options.directory);
    return kDone;
  }
  Json json = {{"name", result.name},
               {"directory", options.directory},
               {"kernels", result.kernels},
               {"tuned", result.tuned},
               {"steps", result.steps},
               {"arena_bytes", result.arena_bytes},
               {"least_arena_bytes", result.least_arena_bytes},
               {"weight_bytes", result.weight_bytes},
               {"library_bytes", result.library_bytes},
               {"files", result.files},
               {"error_of_tolerance", nullptr}};
  if (result.error_of_tolerance) json["error_of_tolerance"] = *result.error_of_tolerance;
  print_json(json);
  return kDone;
}

}  // namespace nestwright::cli
