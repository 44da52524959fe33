#include "cli/options/common_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "cli/options/option_checks.h"
#include "nestwright/device.h"
#include "nestwright/error.h"
#include "nestwright/plugin.h"
#include "nestwright/registry.h"
#include "nestwright/text_operator.h"
#include "search/task/check_data.h"
#include "search/task/timing_lock.h"
#include "support/os/machine_lock.h"

namespace nestwright::cli {
namespace {

constexpr std::uint64_t kMaxThreads = 4096;  // the limit of a target, too

/// Those of NESTWRIGHT_PLUGINS, which colons separate, and those of --plugin.
std::vector<std::string> plugin_files(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  const char* const listed = std::getenv("NESTWRIGHT_PLUGINS");
  std::istringstream words(listed == nullptr ? "" : listed);
  for (std::string file; std::getline(words, file, ':');) {
    if (!file.empty()) files.push_back(file);
  }
  files.insert(files.end(), given.begin(), given.end());
  return files;
}

}  // namespace

std::string CommonOptions::workload_text() const { return fmt::format("{}", fmt::join(workload, " ")); }

Registry CommonOptions::registry() const {
  Registry registry = builtin_registry();
  std::set<std::filesystem::path> loaded;
  for (const std::string& file : plugin_files(plugins)) {
    std::error_code ignored;
    if (loaded.insert(std::filesystem::weakly_canonical(file, ignored)).second) load_plugin(file, registry);
  }
  return registry;
}

std::string CommonOptions::given_line() const {
  if (expression.empty()) return {};
  return printable(fmt::format("given     {}{}{}\n", expression, workload.empty() ? "" : " ", workload_text()));
}

Workload CommonOptions::parsed_workload(const Registry& registry) const {
  if (!has_workload()) throw UsageError("no workload is given: write one, or an expression with --expr");
  if (expression.empty() && workload.front().ends_with(".onnx")) {
    throw UsageError("a model is not a workload: nestwright model --tasks prints those of its kernels");
  }
  // The text first, so that columns are those of the option's value.
  return expression.empty() ? parse_any_workload(registry, workload_text())
                            : workload_of(expression + (workload.empty() ? "" : " " + workload_text()), registry);
}

TaskContext CommonOptions::task(const Registry& registry) const {
  const Workload wanted = parsed_workload(registry);
  const Target parsed = parsed_target();
  return Task{wanted, parsed, parsed_caches(parsed)};
}

CacheState CommonOptions::parsed_caches(const Target& parsed) const {
  const bool is_device = parsed.device != DeviceKind::kCpu;
  if (!caches) return is_device ? CacheState::kCold : CacheState::kWarm;
  const CacheState state = parse_cache_state(*caches);
  if (is_device && state != CacheState::kCold) {
    throw UsageError(fmt::format("kernels of devices are always timed with cold caches, not {}: leave --caches out",
                                 cache_state_name(state)));
  }
  return state;
}

Workload parse_any_workload(const Registry& registry, const std::string& text) {
  return is_expression_text(text) ? workload_of(text, registry) : registry.parse_workload(text);
}

Target CommonOptions::parsed_target() const {
  Target parsed = find_target(target);
  if (parsed.device != DeviceKind::kCpu && threads > 0) {
    throw UsageError(fmt::format("--threads is for CPUs, and {} is none: leave it out", target));
  }
  if (threads > 0) parsed.threads = threads;
  return parsed;
}

std::string printable(const std::string& text) {
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_control = (byte < 0x20 && c != '\n') || byte == 0x7f;
    shown += is_control ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return shown;
}

OpenOptions database_options() {
  OpenOptions options;
  options.on_note = [](const std::string& text) { note("nestwright: " + printable(text) + "\n"); };
  return options;
}

TuningLog open_database(const CommonOptions& options, OpenMode mode, bool check) {
  OpenOptions how = database_options();
  how.check = check;
  return TuningLog::open(options.db, mode, how);
}

Lookup look_up_in(const CommonOptions& options, bool db_given, const TaskContext& context, std::string_view only) {
  std::error_code ignored;  // opening it tells what is wrong
  const auto type = std::filesystem::status(options.db, ignored).type();
  if (!db_given && type == std::filesystem::file_type::not_found) return look_up(context, nullptr, only);
  const TuningLog log = open_database(options, OpenMode::kRead);
  return look_up(context, &log, only);
}

std::string references_kept_by(const CommonOptions& options) {
  std::error_code ignored;
  return std::filesystem::exists(options.db, ignored) ? references_folder(options.db) : "";
}

void note(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

void note_missing_lock(const Target& target) {
  const MachineLock lock(timing_lock_name(target));
  if (!lock.is_available()) note("nestwright: " + printable(lock.message()) + "\n");
}

int print_error(ExitCode code, std::string sentence) {
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  std::fflush(stdout);  // standard output may be the same terminal
  note(fmt::format("nestwright: {}\n", printable(sentence)));
  return code;
}

void add_workload(Command& command, CommonOptions& options) {
  command.add_option("workload", options.workload,
                     "operator and parameters, e.g. matmul m=512 n=512 k=512 tb=1 dtype=float64, or an expression and "
                     "its sizes");
  command
      .add_option("--expr", options.expression,
                  "an expression instead of an operator, with its sizes as the workload, e.g. --expr \"C[i, j] = "
                  "sum(k, A[i, k] * B[k, j])\" i=512 j=512 k=512 (docs/expressions.md)")
      .value_name("TEXT")
      .check(not_empty());
  add_plugins(command, options);
}

void add_plugins(Command& command, CommonOptions& options) {
  command
      .add_option("--plugin", options.plugins,
                  "a shared object that adds operators and templates; may be repeated (also: NESTWRIGHT_PLUGINS, with "
                  "colons between)")
      .value_name("FILE")
      .one_value_each();
}

Argument add_db(Command& command, CommonOptions& options) {
  options.db = "nestwright.db";
  return command.add_option("--db", options.db, "database file")
      .take_from_environment("NESTWRIGHT_DB")
      .value_name("FILE")
      .show_default();
}

Argument add_target(Command& command, CommonOptions& options) {
  command.add_option("--threads", options.threads, "threads that the kernel may use (default: the target's)")
      .value_name("N")
      .check(integer(1, kMaxThreads));
  return command
      .add_option("--target", options.target,
                  "host or cpu (this machine's), cuda or opencl (its first device), or for example "
                  "cpu,isa=avx2,threads=1 or cuda,arch=sm_90")
      .value_name("TARGET")
      .show_default();
}

void add_caches(Command& command, CommonOptions& options) {
  command
      .add_option(
          "--caches", options.caches,
          "what the caches contain when a timed call begins: warm (the tensors of the last call), cold (none of "
          "them) or stream (inputs that were just written, but no weights, as between the layers of a network); "
          "each has its own records (default: warm; on devices always cold)")
      .value_name("STATE")
      .one_of(cache_state_names());
}

void add_json(Command& command, CommonOptions& options) {
  command.add_flag("--json", options.json, "one JSON document on standard output");
}

}  // namespace nestwright::cli
