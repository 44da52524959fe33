/* A pool of threads that runs parallel loops, the caller's thread among them: the quickest way into a small loop.
 * Nestwright times kernels with this text and copies it into the libraries that it exports: C11 and POSIX, all static.
 *
 * The tasks of a loop are divided into contiguous shares, one a thread, so that a thread finds in its caches what it
 * had there at the last call. Threads claim tasks, from their own share first, then from the others'. The caller waits
 * for tasks that a thread is inside of, never for a thread that has not begun: it runs that thread's tasks itself.
 *
 * Only a claim gives the right to read the description of a share, and it keeps the loop from ending. A thread that
 * comes late therefore cannot confuse two loops, whatever it remembers of `unclaimed`: a compare-and-swap that succeeds
 * claims a task of the loop that runs now, and the description is read after it.
 *
 * Thread rule: one caller at a time has the threads; the loops of others that call meanwhile run on the thread that
 * calls. In the child of a fork the pool starts threads of its own. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

typedef void (*kernel_body)(int32_t task, int32_t thread, void* closure);

enum {
  kSpinNs = 50000, /* that a thread without tasks spins before it sleeps: to wake it takes longer than a small kernel */
  kRunsOfShare = 16, /* a claim takes one task, or of a long share this part of what is left */
  kStop = -1,        /* instead of a number of unclaimed tasks: the share's thread is to end */
};

struct thread_pool;

struct pool_share {
  _Alignas(64) atomic_int unclaimed; /* tasks that nobody has begun: the last ones of the share */
  int32_t end;                       /* of the share's tasks: the number after the last one */
  int32_t tasks;                     /* of the loop */
  int32_t thread;
  kernel_body body;
  void* closure;
  struct thread_pool* pool;
  _Alignas(64) atomic_int is_asleep; /* the thread waits for `wake`, or is about to */
  sem_t wake;
  pthread_t id;
};

struct thread_pool {
  struct pool_share* shares; /* of each thread; the caller's is the first */
  int32_t threads;           /* the caller's among them */
  int32_t created;           /* of them, the caller's among them: fewer where the system refuses */
  unsigned started_at;       /* fork depth at which the threads were created; 0: they were not */
  atomic_uint busy_at;       /* fork depth at which a caller took the threads; 0: they are free */
  atomic_int sleepers;
  _Alignas(64) atomic_int finished; /* tasks of this loop that ended on other threads than the caller's */
};

/* 1, and one more in the child of each fork: it has the memory of the pools, but none of their threads. */
static atomic_uint pool_fork_depth = 1;
static int pool_watches_forks;
static pthread_once_t pool_once = PTHREAD_ONCE_INIT;

static void pool_count_fork(void) { atomic_fetch_add_explicit(&pool_fork_depth, 1, memory_order_relaxed); }

static void pool_watch_forks(void) { pool_watches_forks = pthread_atfork(0, 0, pool_count_fork) == 0; }

static void pool_pause(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

static int64_t pool_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Runs tasks of the share until none is unclaimed. Returns how many it ran. */
static int32_t pool_run_share(struct pool_share* share, int32_t thread) {
  int32_t ran = 0;
  int left = atomic_load_explicit(&share->unclaimed, memory_order_relaxed);
  while (left > 0) {
    const int32_t run = left < 2 * kRunsOfShare ? 1 : left / kRunsOfShare;
    if (!atomic_compare_exchange_weak_explicit(&share->unclaimed, &left, left - run, memory_order_acquire,
                                               memory_order_relaxed)) {
      continue;
    }
    const kernel_body body = share->body;
    void* const closure = share->closure;
    const int32_t first = share->end - left;
    for (int32_t task = first; task < first + run; ++task) body(task, thread, closure);
    ran += run;
    left -= run;
  }
  return ran;
}

static void pool_report(struct thread_pool* pool, int32_t ran) {
  if (ran > 0) atomic_fetch_add_explicit(&pool->finished, ran, memory_order_release);
}

/* A turn of waiting. What is waited for may need this core: it is yielded after some 5 to 10 us. */
static void pool_wait(unsigned turn) {
  pool_pause();
  if (turn >= 256 && turn % 64 == 0) sched_yield();
}

/* Whether the share gets tasks, or kStop, within kSpinNs. The clock is read seldom, as it costs more than a turn. */
static int pool_gets_tasks_soon(const struct pool_share* own) {
  const int64_t end = pool_now_ns() + kSpinNs;
  for (unsigned turn = 1; atomic_load_explicit(&own->unclaimed, memory_order_relaxed) == 0; ++turn) {
    if (turn % 64 == 0 && pool_now_ns() >= end) return 0;
    pool_wait(turn);
  }
  return 1;
}

/* Whether the caller of this has to wake the thread, or is the thread itself, which nobody else will wake. */
static int pool_ends_sleep(struct pool_share* share) {
  if (atomic_load_explicit(&share->is_asleep, memory_order_relaxed) == 0) return 0;
  if (atomic_exchange_explicit(&share->is_asleep, 0, memory_order_acq_rel) == 0) return 0;
  atomic_fetch_sub_explicit(&share->pool->sleepers, 1, memory_order_relaxed);
  return 1;
}

static void pool_sleep(struct pool_share* own) {
  atomic_store_explicit(&own->is_asleep, 1, memory_order_relaxed);
  /* One order of all operations on `sleepers`: either the caller counts this thread, or this thread sees its tasks. */
  atomic_fetch_add_explicit(&own->pool->sleepers, 1, memory_order_acq_rel);
  if (atomic_load_explicit(&own->unclaimed, memory_order_relaxed) != 0 && pool_ends_sleep(own)) return;
  while (sem_wait(&own->wake) != 0) {
  }
}

/* Of the threads whose shares have tasks those that sleep. Without sleepers no more than one operation on a cache line
 * that no other thread has written since the last loop. */
static void pool_wake(struct thread_pool* pool) {
  if (atomic_fetch_add_explicit(&pool->sleepers, 0, memory_order_acq_rel) == 0) return;
  for (int32_t t = 1; t < pool->created; ++t) {
    struct pool_share* share = &pool->shares[t];
    if (atomic_load_explicit(&share->unclaimed, memory_order_relaxed) != 0 && pool_ends_sleep(share)) {
      sem_post(&share->wake);
    }
  }
}

static void* pool_work(void* share) {
  struct pool_share* own = share;
  struct thread_pool* pool = own->pool;
  struct pool_share* shares = pool->shares;
  const int32_t threads = pool->threads, thread = own->thread;
  for (;;) {
    if (!pool_gets_tasks_soon(own)) pool_sleep(own);
    if (atomic_load_explicit(&own->unclaimed, memory_order_acquire) == kStop) return 0;
    const int32_t ran = pool_run_share(own, thread);
    /* Each of few tasks has a thread of its own: a look at their shares would only delay those threads' next loop. */
    const int helps = ran == 0 || own->tasks > threads;
    pool_report(pool, ran);
    for (int32_t i = 1; helps && i < threads; ++i) {
      pool_report(pool, pool_run_share(&shares[(thread + i) % threads], thread));
    }
  }
}

/* As many as the system grants: the caller runs the tasks of the others. */
static void pool_start(struct thread_pool* pool, unsigned fork_depth) {
  pthread_once(&pool_once, pool_watch_forks);
  pool->started_at = fork_depth;
  pool->created = 1;
  atomic_store_explicit(&pool->sleepers, 0, memory_order_relaxed);
  for (int32_t t = 0; t < pool->threads; ++t) {
    struct pool_share* share = &pool->shares[t];
    share->pool = pool;
    share->thread = t;
    atomic_store_explicit(&share->unclaimed, 0, memory_order_relaxed);
    atomic_store_explicit(&share->is_asleep, 0, memory_order_relaxed);
    sem_init(&share->wake, 0, 0);
  }
  sigset_t all, before; /* signals are for the program's own threads */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool_watches_forks && pool->created < pool->threads) {
    struct pool_share* share = &pool->shares[pool->created];
    if (pthread_create(&share->id, 0, pool_work, share) != 0) break;
    ++pool->created;
  }
  pthread_sigmask(SIG_SETMASK, &before, 0);
}

/* Whether the caller has the threads now; they are created for the first one. What callers and threads did before a
 * fork does not count in its child. */
static int pool_enter(struct thread_pool* pool) {
  const unsigned fork_depth = atomic_load_explicit(&pool_fork_depth, memory_order_relaxed);
  unsigned busy_at = atomic_load_explicit(&pool->busy_at, memory_order_relaxed);
  if (busy_at == fork_depth || !atomic_compare_exchange_strong_explicit(&pool->busy_at, &busy_at, fork_depth,
                                                                        memory_order_acquire, memory_order_relaxed)) {
    return 0;
  }
  if (pool->started_at != fork_depth) pool_start(pool, fork_depth);
  return 1;
}

static void pool_run(void* thread_pool, int32_t tasks, kernel_body body, void* closure) {
  struct thread_pool* pool = thread_pool;
  if (tasks < 2 || !pool_enter(pool)) {
    for (int32_t task = 0; task < tasks; ++task) body(task, 0, closure);
    return;
  }
  atomic_store_explicit(&pool->finished, 0, memory_order_relaxed);
  const int32_t threads = pool->threads, least = tasks / threads, larger = tasks % threads;
  int32_t end = tasks;
  for (int32_t t = threads; t-- > 0;) {
    struct pool_share* share = &pool->shares[t];
    const int32_t size = least + (t < larger);
    share->end = end;
    share->tasks = tasks;
    share->body = body;
    share->closure = closure;
    atomic_store_explicit(&share->unclaimed, size, memory_order_release);
    end -= size;
  }
  pool_wake(pool);
  int32_t ran = pool_run_share(&pool->shares[0], 0);
  /* First the shares that nobody has begun: at the others a thread is at work. */
  for (int is_begun = 0; is_begun < 2; ++is_begun) {
    if (atomic_load_explicit(&pool->finished, memory_order_relaxed) == tasks - ran) break;
    for (int32_t t = 1; t < threads; ++t) {
      struct pool_share* share = &pool->shares[t];
      const int left = atomic_load_explicit(&share->unclaimed, memory_order_relaxed);
      if (is_begun || left == least + (t < larger)) ran += pool_run_share(share, 0);
    }
  }
  for (unsigned turn = 1; atomic_load_explicit(&pool->finished, memory_order_acquire) != tasks - ran; ++turn) {
    pool_wait(turn);
  }
  atomic_store_explicit(&pool->busy_at, 0, memory_order_release);
}
