#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "exporter/sources.h"

namespace nestwright {
namespace {

/// What __builtin_cpu_supports is asked for each ISA.
std::vector<std::string> needed_features(CpuIsa isa) {
  switch (isa) {
    case CpuIsa::kX86_64: return {};
    case CpuIsa::kAvx2: return {"avx", "avx2", "fma", "bmi", "bmi2", "popcnt", "sse4.2"};
    case CpuIsa::kAvx512: return {"avx2", "fma", "bmi", "bmi2", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
  }
  return {};
}

std::string cpu_check(const Exported& e) {
  const std::vector<std::string> features = needed_features(e.task->target.isa);
  if (features.empty()) return "static int cpu_serves(void) { return 1; }\n";
  std::vector<std::string> asked;
  for (const std::string& feature : features) asked.push_back(fmt::format("__builtin_cpu_supports(\"{}\")", feature));
  return fmt::format("static int cpu_serves(void) {{\n  __builtin_cpu_init();\n  return {};\n}}\n",
                     fmt::join(asked, " &&\n         "));
}

/// A kernel without a parallel loop never calls this.
constexpr const char* kSerialPool = R"(
static void run_serial(void* pool, int32_t tasks, kernel_body body, void* closure) {
  (void)pool;
  for (int32_t task = 0; task < tasks; ++task) body(task, 0, closure);
}
)";

constexpr const char* kThreadPool = R"(
/* Workers spin for a moment after a loop, as the next call is often near, and then sleep. */
enum { kSpins = 20000 };

static struct {
  pthread_mutex_t in_use;   /* held by the caller that the pool serves */
  pthread_mutex_t mutex;    /* guards generation for sleepers */
  pthread_cond_t work;
  atomic_int generation;    /* raised once a loop */
  atomic_int next, done;    /* tasks handed out; workers that are through */
  int32_t tasks;
  kernel_body body;
  void* closure;
  int workers;              /* threads that could be started */
} pool = {.in_use = PTHREAD_MUTEX_INITIALIZER, .mutex = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;

static void pause_briefly(void) { __builtin_ia32_pause(); }

static void take_tasks(int thread) {
  for (;;) {
    const int32_t task = atomic_fetch_add(&pool.next, 1);
    if (task >= pool.tasks) return;
    pool.body(task, thread, pool.closure);
  }
}

static void* work(void* thread) {
  int seen = 0;
  for (;;) {
    for (int spin = 0; spin < kSpins && atomic_load(&pool.generation) == seen; ++spin) pause_briefly();
    if (atomic_load(&pool.generation) == seen) {
      pthread_mutex_lock(&pool.mutex);
      while (atomic_load(&pool.generation) == seen) pthread_cond_wait(&pool.work, &pool.mutex);
      pthread_mutex_unlock(&pool.mutex);
    }
    ++seen;
    take_tasks((int)(intptr_t)thread);
    atomic_fetch_add(&pool.done, 1);
  }
  return 0;
}

static void start_pool(void) {
  for (intptr_t thread = 1; thread < kThreads; ++thread) {
    pthread_t id;
    if (pthread_create(&id, 0, work, (void*)thread) != 0) break; /* fewer threads: the same result */
    pthread_detach(id);
    ++pool.workers;
  }
}

static void run_threads(void* unused, int32_t tasks, kernel_body body, void* closure) {
  (void)unused;
  pthread_once(&pool_once, start_pool);
  if (pthread_mutex_trylock(&pool.in_use) != 0) {
    run_serial(0, tasks, body, closure);
    return;
  }
  pool.tasks = tasks;
  pool.body = body;
  pool.closure = closure;
  atomic_store(&pool.next, 0);
  atomic_store(&pool.done, 0);
  pthread_mutex_lock(&pool.mutex);
  atomic_fetch_add(&pool.generation, 1);
  pthread_cond_broadcast(&pool.work);
  pthread_mutex_unlock(&pool.mutex);
  take_tasks(0);
  while (atomic_load(&pool.done) < pool.workers) pause_briefly();
  pthread_mutex_unlock(&pool.in_use);
}
)";

std::string setter(const Exported& e) {
  return fmt::format(R"(
void {0}_set_parallel_for(void* pool_argument, {0}_parallel_for run) {{
  parallel.pool = pool_argument;
  parallel.run = run != 0 ? run : run_threads;
}}
)",
                     e.name);
}

}  // namespace

std::string launcher_source(const Exported& e) {
  std::vector<std::string> pointers, null_checks;
  for (const Tensor& tensor : e.definition->args) {
    pointers.push_back("(void*)" + tensor.name());
    null_checks.push_back(tensor.name() + " == 0");
  }
  std::string text = fmt::format(R"(/* Calls the kernel of {0}.h. Made by Nestwright; needs nothing but a C11 compiler. */
#include "{0}.h"

#include <stdint.h>
#include <stdlib.h>
)",
                                 e.name);
  if (e.is_parallel) text += "#include <pthread.h>\n#include <stdatomic.h>\n";
  text += fmt::format(R"(
enum {{ kThreads = {1} }};
static const size_t kWorkspaceBytes = {2};

typedef void (*kernel_body)(int32_t task, int32_t thread, void* closure);
struct kernel_parallel {{
  void* pool;
  int32_t threads;
  void (*run)(void* pool, int32_t tasks, kernel_body body, void* closure);
}};
__attribute__((visibility("hidden"))) int32_t {3}(void* const* buffers, const int64_t* symbols, void* workspace,
                                                  const struct kernel_parallel* parallel);
)",
                      e.name, e.task->target.threads,
                      e.object->workspace.shared_bytes + e.task->target.threads * e.object->workspace.per_thread_bytes,
                      e.object->symbol);
  text += kSerialPool;
  if (e.is_parallel) text += kThreadPool;
  text += fmt::format("\nstatic struct kernel_parallel parallel = {{0, kThreads, {}}};\n",
                      e.is_parallel ? "run_threads" : "run_serial");
  if (e.is_parallel) text += setter(e);
  text += "\n" + cpu_check(e);
  text += fmt::format(R"(
static _Thread_local void* workspace;

void {0}_release(void) {{
  free(workspace);
  workspace = 0;
}}

int {0}({1}) {{
  void* const buffers[] = {{{2}}};
  if ({3}) return 3;
  if (!cpu_serves()) return 1;
  if (workspace == 0 && kWorkspaceBytes > 0) {{
    workspace = aligned_alloc(64, (kWorkspaceBytes + 63) / 64 * 64);
    if (workspace == 0) return 2;
  }}
  return {4}(buffers, 0, workspace, &parallel);
}}
)",
                      e.name, c_parameters(e), fmt::join(pointers, ", "), fmt::join(null_checks, " || "), e.object->symbol);
  return text;
}

}  // namespace nestwright
