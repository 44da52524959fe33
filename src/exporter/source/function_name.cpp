#include "exporter/source/function_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "nestwright/error.h"
#include "nestwright/template.h"
#include "support/base/cpp_names.h"
#include "support/data/hash.h"

namespace nestwright {
namespace {

/// Names, besides the keywords of C++, that the exported sources use or must define, or that C does not allow.
const std::set<std::string, std::less<>>& taken_names() {
  static const std::set<std::string, std::less<>> names{
      "linux", "restrict", "typeof", "unix",  // keywords of C, macros
      // of the C library and of our generated sources
      "aligned_alloc", "alignment", "all_ones", "arguments", "block_threads", "bound", "buffers", "build", "calloc",
      "ceil", "check", "checked", "clock_gettime", "close_device", "closure", "code", "context", "cpu_serves", "cubin",
      "device", "done", "driver_error", "element", "elements", "erf", "error", "exit", "exp", "expected", "fabs",
      "failed", "fetch", "find_device", "floor", "floor_div", "floor_mod", "fmax", "free", "frexp", "got", "guard",
      "handle", "has_workspace_key", "i", "is_unchanged", "isfinite", "isnan", "kAlignment", "kWorkspaceBytes",
      "kernel_body", "kernel_parallel", "kernel_names", "kMargin", "labs", "launch", "ldexp", "load", "load_code",
      "log", "log2", "magnitude", "main", "make_kernel", "make_workspace_key", "malloc", "memcpy", "memory",
      "memory_for", "memset", "nearbyint", "of_bfloat16", "of_float16", "offset", "offsets", "on_device", "open_device",
      "parallel", "place_of", "pool", "pool_count_fork", "pool_ends_sleep", "pool_enter", "pool_fork_depth",
      "pool_gets_tasks_soon", "pool_now_ns", "pool_once", "pool_pause", "pool_report", "pool_run", "pool_run_share",
      "pool_sleep", "pool_start", "pool_wait", "pool_wake", "pool_watch_forks", "pool_watches_forks", "pool_work",
      "pow", "prepared", "prepared_memory", "printf", "ptx", "queue", "read_all", "release", "require", "result",
      "right", "round", "run_serial", "send", "serves", "shared_bytes", "shares", "signal", "sizes", "source", "sqrt",
      "state", "stream", "sum", "tanh", "task", "tensor", "thread", "tiles_allowed", "to_bfloat16", "to_float16",
      "times", "turn", "turns", "uniform", "untouched", "usable", "work", "workspace", "workspace_bytes",
      "workspace_key", "workspace_of_this_thread", "workspace_once", "worst"};
  return names;
}

bool is_identifier(const std::string& name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

}  // namespace

std::string default_function_name(const Workload& workload) {
  std::string name = workload.op->name;
  if (!is_identifier(name)) return fmt::format("expression_{:08x}", stable_hash(workload.str()) & 0xffffffff);
  for (const auto& [key, value, is_default] : workload.parameters) {
    if (is_default && key != "dtype") continue;
    name += "_" + (key == "dtype" ? "" : key);
    for (const char c : value)
      name += c == '.' ? "p" : c == ',' ? "_" : c == '-' ? "minus" : c == '+' ? "" : std::string(1, c);
  }
  return name;
}

void check_function_name(const std::string& name) {
  if (!is_identifier(name)) {
    throw UsageError(fmt::format(
        "'{}' cannot be the name of a C function: begin with a letter, go on with letters, digits and _", name));
  }
  if (name.size() > 200)
    throw UsageError("the name of the function is too long for a file: use at most 200 characters");
  if (is_taken_name(name)) refuse_taken_name(name);
}

bool is_taken_name(const std::string& name) { return is_cpp_keyword(name) || taken_names().contains(name); }

void refuse_taken_name(const std::string& name) {
  throw UsageError(
      fmt::format("'{0}' has a meaning in C or C++ or in the exported sources: choose another name, as my_{0}", name));
}

}  // namespace nestwright
