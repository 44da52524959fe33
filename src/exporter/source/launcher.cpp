#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "exporter/source/c_text.h"
#include "exporter/source/sources.h"
#include "ir/gpu/launch.h"
#include "runtime/compiled_kernel.h"

namespace nestwright {
namespace {

/// The function that runs the tasks of a parallel loop. A kernel without parallel loops never calls it, but takes it.
std::string loop_runner(const Exported& e) {
  if (e.is_parallel) return "\n" + std::string(embedded_text("thread_pool"));
  return "\n" + c_text("library/serial_loop");
}

std::string includes(const Exported& e) {
  std::string text = "#include <stdint.h>\n#include <stdlib.h>\n";
  if (e.task->target.isa != CpuIsa::kX86_64) text += "#include <cpuid.h>\n";
  if (e.task->target.isa != CpuIsa::kX86_64) text += "#include <stdatomic.h>\n";
  if (e.workspace_bytes() > 0) text += "#include <pthread.h>\n";
  return text;
}

std::string kernel_declaration(const Exported& e) {
  const std::string declaration =
      "\n" + c_text("library/kernel_declaration", {{"NAME", e.name}, {"SYMBOL", e.object->symbol}});
  if (!e.has_preparation()) return declaration;
  return declaration + c_text("library/preparation_declaration", {{"PREPARATION", e.object->preparation}});
}

std::string parallel_loop(const Exported& e) {
  if (!e.is_parallel) return "\nstatic const struct kernel_parallel parallel = {0, 1, run_serial};\n";
  return "\n" + c_text("library/parallel_loop", {{"NAME", e.name}, {"THREADS", std::to_string(e.threads())}});
}

/// Returns workspace_of_this_thread() and NAME_release().
std::string workspace_source(const Exported& e) {
  if (e.workspace_bytes() == 0) {
    return fmt::format("\nEXPORTED void {0}_release(void) {{}} /* this kernel has no workspace */\n", e.name);
  }
  return "\n" + c_text("library/workspace", {{"NAME", e.name}, {"BYTES", std::to_string(e.workspace_bytes())}});
}

/// Returns an entry of the library: checks, then the kernel's entry `symbol`. With `constants` it takes the constants
/// and fills the prepared data; otherwise it takes the other tensors and reads the prepared data.
std::string function_source(const Exported& e, const std::string& name, const std::string& parameters,
                            const std::string& symbol, bool constants) {
  std::vector<std::string> pointers, usable;
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const std::string& tensor = e.parameters[i];
    const bool is_taken = e.is_constant(i) == constants;
    pointers.push_back(is_taken ? "(void*)" + tensor : "0");
    if (is_taken) usable.push_back(fmt::format("usable({0}, {1})", tensor, e.alignment(i)));
  }
  if (e.has_preparation()) usable.emplace_back("usable(prepared, 64)");
  std::int64_t offset = 0;
  for (const std::int64_t bytes : e.object->prepared_bytes) {
    pointers.push_back(fmt::format("(char*)prepared + {}", offset));
    offset += bytes;
  }
  const bool has_workspace = e.workspace_bytes() > 0;
  const std::string workspace =
      "  void* const workspace = workspace_of_this_thread();\n  if (workspace == 0) return 2;\n";
  return "\n" + c_text("library/entry",
                       {{"NAME", name},
                        {"PARAMETERS", parameters},
                        {"USABLE", fmt::format("{}", fmt::join(usable, " && "))},
                        {"TILES", uses_tiles(e.object->extensions) ? "  if (!tiles_allowed()) return 4;\n" : ""},
                        {"WORKSPACE", has_workspace ? workspace : ""},
                        {"POINTERS", fmt::format("{}", fmt::join(pointers, ", "))},
                        {"SYMBOL", symbol},
                        {"WORKSPACE_ARGUMENT", has_workspace ? "workspace" : "0"}});
}

std::string functions_source(const Exported& e) {
  std::string text =
      "\n" + c_text("library/usable") + function_source(e, e.name, c_parameters(e), e.object->symbol, false);
  if (!e.has_preparation()) return text;
  return text + function_source(e, e.name + "_prepare", c_preparation_parameters(e), e.object->preparation, true);
}

}  // namespace

int Exported::alignment(std::size_t argument) const {
  const int element = definition->args[argument].dtype().bytes();
  if (task->target.device == DeviceKind::kOpenCl) return element;  // buffers may begin at any element
  if (task->target.device == DeviceKind::kCuda) return ir::kPointerAlignment;
  return program == nullptr ? element : std::max(element, program->parameters[argument].buffer->alignment);
}

bool Exported::is_constant(std::size_t argument) const {
  return program != nullptr && program->parameters[argument].is_constant;
}

std::int64_t Exported::prepared_bytes() const {
  return std::accumulate(object->prepared_bytes.begin(), object->prepared_bytes.end(), std::int64_t{0});
}

std::int64_t Exported::workspace_bytes() const { return nestwright::workspace_bytes(object->workspace, threads()); }

std::string launcher_source(const Exported& e) {
  const std::string text = c_text(
      "library/launcher",
      {{"NAME", e.name},
       {"INCLUDES", includes(e)},
       {"DEFINES",
        e.is_parallel ? "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE /* for the affinity of threads */\n#endif\n" : ""}});
  return text + loop_runner(e) + kernel_declaration(e) + parallel_loop(e) +
         cpu_check_source(e.task->target.isa, e.object->extensions) + workspace_source(e) + functions_source(e);
}

}  // namespace nestwright
