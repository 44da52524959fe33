#include "exporter/sources.h"

namespace nestwright {

// As runtime/spin_pool.h, which the kernel was timed with: contiguous shares, workers that spin for 50 us and then
// sleep.
std::string thread_pool_source() {
  return R"(
/* A pool of pthreads. What a loop is stands in plain members: written before `generation` is raised, read after it was seen
 * to rise, and not written again before `running` is back to 0. Tasks go out in contiguous shares, one a thread, so that a
 * thread finds in its caches what it had there at the last call. */
static struct {
  atomic_int busy;              /* a caller has the pool; it alone starts threads and loops */
  atomic_uint generation;       /* one more for every loop */
  atomic_int running;           /* workers that have not finished this loop */
  pthread_mutex_t mutex;        /* for those that sleep until the generation rises */
  pthread_cond_t risen;
  int32_t threads;              /* with the caller's; 0: not started */
  int32_t tasks;
  kernel_body body;
  void* closure;
} pool = {.mutex = PTHREAD_MUTEX_INITIALIZER, .risen = PTHREAD_COND_INITIALIZER};

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The next loop is often near: waking from sleep takes longer than a small kernel. */
static int rises_soon(unsigned seen) {
  const int64_t end = now_ns() + 50000;
  do {
    for (int turn = 0; turn < 64; ++turn) {
      if (atomic_load_explicit(&pool.generation, memory_order_acquire) != seen) return 1;
      __builtin_ia32_pause();
    }
  } while (now_ns() < end);
  return 0;
}

static void run_share(int32_t thread) {
  const int64_t tasks = pool.tasks, threads = pool.threads;
  const int32_t end = (int32_t)(tasks * (thread + 1) / threads);
  for (int32_t task = (int32_t)(tasks * thread / threads); task < end; ++task) pool.body(task, thread, pool.closure);
}

static void* work(void* thread) {
  unsigned seen = 0;
  for (;;) {
    if (!rises_soon(seen)) {
      pthread_mutex_lock(&pool.mutex);
      while (atomic_load(&pool.generation) == seen) pthread_cond_wait(&pool.risen, &pool.mutex);
      pthread_mutex_unlock(&pool.mutex);
    }
    ++seen; /* a loop ends when all workers have finished it: none is ever missed */
    run_share((int32_t)(intptr_t)thread);
    atomic_fetch_sub_explicit(&pool.running, 1, memory_order_release);
  }
  return 0;
}

/* The child of a fork has the memory of the pool but none of its threads: it starts its own. */
static void forget_threads(void) {
  pool.threads = 0;
  atomic_store(&pool.busy, 0);
  pool.mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  pool.risen = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}

static void start_pool(void) {
  static int watches_forks = 0;
  if (!watches_forks) watches_forks = pthread_atfork(0, 0, forget_threads) == 0;
  atomic_store(&pool.generation, 0);
  pool.threads = 1;
  sigset_t all, before; /* signals are for the program's own threads */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (watches_forks && pool.threads < kThreads) {
    pthread_t id;
    if (pthread_create(&id, 0, work, (void*)(intptr_t)pool.threads) != 0) break; /* fewer threads, the same result */
    pthread_detach(id);
    ++pool.threads;
  }
  pthread_sigmask(SIG_SETMASK, &before, 0);
}

static void run_threads(void* unused, int32_t tasks, kernel_body body, void* closure) {
  if (tasks < 2 || atomic_exchange(&pool.busy, 1)) {
    run_serial(unused, tasks, body, closure);
    return;
  }
  if (pool.threads == 0) start_pool();
  pool.tasks = tasks;
  pool.body = body;
  pool.closure = closure;
  atomic_store_explicit(&pool.running, pool.threads - 1, memory_order_relaxed);
  pthread_mutex_lock(&pool.mutex);
  atomic_fetch_add(&pool.generation, 1);
  pthread_cond_broadcast(&pool.risen);
  pthread_mutex_unlock(&pool.mutex);
  run_share(0);
  for (unsigned turn = 1; atomic_load_explicit(&pool.running, memory_order_acquire) != 0; ++turn) {
    __builtin_ia32_pause();
    if (turn % 1024 == 0) sched_yield(); /* where cores are short, a worker may need this one */
  }
  atomic_store(&pool.busy, 0);
}
)";
}

}  // namespace nestwright
