#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "exporter/source/sources.h"
#include "ir/gpu/launch.h"
#include "runtime/compiled_kernel.h"

namespace nestwright {
namespace {

/// The function that runs the tasks of a parallel loop. A kernel without parallel loops never calls it, but takes it.
std::string loop_runner(const Exported& e) {
  if (e.is_parallel) return "\n" + thread_pool_source();
  return R"(
typedef void (*kernel_body)(int32_t task, int32_t thread, void* closure);

static void run_serial(void* unused, int32_t tasks, kernel_body body, void* closure) {
  (void)unused;
  for (int32_t task = 0; task < tasks; ++task) body(task, 0, closure);
}
)";
}

std::string includes(const Exported& e) {
  std::string text = "#include <stdint.h>\n#include <stdlib.h>\n";
  if (e.task->target.isa != CpuIsa::kX86_64) text += "#include <cpuid.h>\n";
  if (e.task->target.isa != CpuIsa::kX86_64) text += "#include <stdatomic.h>\n";
  if (e.workspace_bytes() > 0) text += "#include <pthread.h>\n";
  return text;
}

std::string kernel_declaration(const Exported& e) {
  return fmt::format(R"(
struct kernel_parallel {{
  void* pool;
  int32_t threads;
  void (*run)(void* pool, int32_t tasks, kernel_body body, void* closure);
}};
/* The tuned code ({0}_kernel.o). Hidden: it is to be entered through the checks below only. */
__attribute__((visibility("hidden"))) int32_t {1}(void* const* buffers, const int64_t* symbols, void* workspace,
                                                  const struct kernel_parallel* parallel);
)",
                     e.name, e.object->symbol) +
         (e.has_preparation() ? fmt::format(R"(/* And what fills its prepared buffers. */
__attribute__((visibility("hidden"))) int32_t {}(void* const* buffers, const int64_t* symbols, void* workspace,
                                                  const struct kernel_parallel* parallel);
)",
                                            e.object->preparation)
                              : "");
}

std::string parallel_loop(const Exported& e) {
  if (!e.is_parallel) return "\nstatic const struct kernel_parallel parallel = {0, 1, run_serial};\n";
  return fmt::format(R"(
enum {{ kThreads = {1} }};
static struct pool_share shares[kThreads];
static struct thread_pool pool = {{.shares = shares, .threads = kThreads}};
static struct kernel_parallel parallel = {{&pool, kThreads, pool_run}};

EXPORTED void {0}_set_parallel_for(void* threads, {0}_parallel_for run) {{
  parallel.pool = run != 0 ? threads : &pool;
  parallel.run = run != 0 ? run : pool_run;
}}
)",
                     e.name, e.threads());
}

/// Returns workspace_of_this_thread() and NAME_release().
std::string workspace_source(const Exported& e) {
  if (e.workspace_bytes() == 0) {
    return fmt::format("\nEXPORTED void {0}_release(void) {{}} /* this kernel has no workspace */\n", e.name);
  }
  return fmt::format(R"(
/* Bytes, a multiple of the alignment. The key frees what a thread has not released when it ends. */
enum {{ kAlignment = 64 }};
static const size_t kWorkspaceBytes = {1};
static pthread_key_t workspace_key;
static int has_workspace_key;
static pthread_once_t workspace_once = PTHREAD_ONCE_INIT;

static void make_workspace_key(void) {{ has_workspace_key = pthread_key_create(&workspace_key, free) == 0; }}

static void* workspace_of_this_thread(void) {{
  pthread_once(&workspace_once, make_workspace_key);
  if (!has_workspace_key) return 0;
  void* workspace = pthread_getspecific(workspace_key);
  if (workspace != 0) return workspace;
  workspace = aligned_alloc(kAlignment, kWorkspaceBytes);
  if (workspace != 0 && pthread_setspecific(workspace_key, workspace) != 0) {{
    free(workspace);
    return 0;
  }}
  return workspace;
}}

EXPORTED void {0}_release(void) {{
  pthread_once(&workspace_once, make_workspace_key);
  if (!has_workspace_key) return;
  free(pthread_getspecific(workspace_key));
  pthread_setspecific(workspace_key, 0);
}}
)",
                     e.name, e.workspace_bytes());
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
  return fmt::format(R"(
EXPORTED int {0}({1}) {{
  if (!({2})) return 3;
  if (!cpu_serves()) return 1;
{7}{3}  void* const buffers[] = {{{4}}};
  return {5}(buffers, 0, {6}, &parallel);
}}
)",
                     name, parameters, fmt::join(usable, " && "),
                     has_workspace ? "  void* const workspace = workspace_of_this_thread();\n"
                                     "  if (workspace == 0) return 2;\n"
                                   : "",
                     fmt::join(pointers, ", "), symbol, has_workspace ? "workspace" : "0",
                     uses_tiles(e.object->extensions) ? "  if (!tiles_allowed()) return 4;\n" : "");
}

std::string functions_source(const Exported& e) {
  std::string text = R"(
static int usable(const void* tensor, size_t alignment) {
  return tensor != 0 && (uintptr_t)tensor % alignment == 0;
}
)" + function_source(e, e.name, c_parameters(e), e.object->symbol, false);
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
  const std::string text = fmt::format(
      R"(/* Calls the kernel of {0}.h. Made by Nestwright; needs nothing but a C11 compiler and POSIX. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
{2}#include "{0}.h"

{1}
#define EXPORTED __attribute__((visibility("default")))
)",
      e.name, includes(e),
      e.is_parallel ? "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE /* for the affinity of threads */\n#endif\n" : "");
  return text + loop_runner(e) + kernel_declaration(e) + parallel_loop(e) +
         cpu_check_source(e.task->target.isa, e.object->extensions) + workspace_source(e) + functions_source(e);
}

}  // namespace nestwright
