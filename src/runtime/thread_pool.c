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
 * Two threads of a pool on one processor halve the speed of a loop, for milliseconds. The kernel of a virtual machine
 * puts them there although others are idle: it takes a halted processor for a preempted one. So a thread that starts on
 * the processor of the caller or of another thread, wakes there, or is woken and does not run, is moved to a free one:
 * its affinity mask is narrowed, and restored by the thread before it runs tasks. From the first such wake on, threads
 * are moved before they are woken. Masks of callers are never changed. Nothing is done if a thread's mask has fewer
 * processors than the pool has threads, and there is no system call while the threads are awake and stay apart. This
 * needs Linux and _GNU_SOURCE; elsewhere threads stay where they are put.
 *
 * A thread without tasks spins, then sleeps. Where many loops follow each other, as in a network, the caller sets
 * `keeps_awake`: a thread that ended its share of a long loop before the others would else sleep, and begin the next
 * loop 40 us late.
 *
 * Thread rule: one caller at a time has the threads; the loops of others that call meanwhile run on the thread that
 * calls. In the child of a fork the pool starts threads of its own. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

typedef void (*kernel_body)(int32_t task, int32_t thread, void* closure);

enum {
  kSpinNs = 50000, /* that a thread without tasks spins before it sleeps: to wake it takes longer than a small kernel */
  kAwakeNs = 10000000, /* the same where more loops are announced: to wake it takes less than 1% of that */
  kLateNs = 200000,    /* after which a thread that was woken and does not run is taken for one without a processor */
  kLoopsToSkip = 1000, /* after a thread could not be moved, before it is tried again */
  kRunsOfShare = 16,   /* a claim takes one task, or of a long share this part of what is left */
  kStop = -1,          /* instead of a number of unclaimed tasks: the share's thread is to end */
};

enum mask_state { kOwn, kNarrowed, kChanging }; /* kChanging: from kNarrowed to another state */

#if defined(__linux__) && defined(CPU_SETSIZE)
typedef cpu_set_t pool_processors;
#else
typedef char pool_processors; /* threads are not placed */
#endif

struct thread_pool;

struct pool_share {
  _Alignas(64) atomic_int unclaimed; /* tasks that nobody has begun: the last ones of the share */
  int32_t end;                       /* of the share's tasks: the number after the last one */
  int32_t tasks;                     /* of the loop */
  int32_t thread;
  kernel_body body;
  void* closure;
  struct thread_pool* pool;
  /* A cache line that is seldom written: the caller reads it at each loop. */
  _Alignas(64) atomic_int is_asleep; /* the thread waits for `wake`, or is about to */
  atomic_int processor;              /* where the thread ran last; -1: unknown */
  atomic_int is_waking;              /* the thread was created or woken, and has not run since */
  atomic_int mask_state;             /* kNarrowed: the mask is `narrow_mask`, and the thread is to set `own_mask` */
  sem_t wake;
  pthread_t id;
  pool_processors own_mask, narrow_mask; /* written by the caller; read by the thread that made the state kChanging */
};

struct thread_pool {
  struct pool_share* shares; /* of each thread; the caller's is the first */
  int32_t threads;           /* the caller's among them */
  int32_t created;           /* of them, the caller's among them: fewer where the system refuses */
  unsigned started_at;       /* fork depth at which the threads were created; 0: they were not */
  atomic_uint busy_at;       /* fork depth at which a caller took the threads; 0: they are free */
  atomic_int processor;      /* where the caller began its loop; -1: unknown */
  atomic_int is_misplaced;   /* a thread woke on a processor that was taken, or did not run: place before waking */
  int64_t woken_ns;          /* when a thread was last created or woken; this and the next one are the caller's */
  int32_t loops_to_skip;
  atomic_int sleepers;
  _Alignas(64) atomic_int finished; /* tasks of this loop that ended on other threads than the caller's */
  /* A cache line that is seldom written: threads that spin read it, and the caller writes the others at each loop. */
  _Alignas(64) atomic_int keeps_awake; /* more loops follow soon: threads go on spinning, for up to kAwakeNs */
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

#if defined(__linux__) && defined(CPU_SETSIZE)

static int32_t pool_processor(void) { return sched_getcpu(); } /* 2 to 5 ns, without a system call */

static void pool_add_processor(pool_processors* set, const atomic_int* processor) {
  const int number = atomic_load_explicit(processor, memory_order_relaxed);
  if (number >= 0 && number < CPU_SETSIZE) CPU_SET((size_t)number, set);
}

/* Removes from the mask the processors of the caller and of all threads but `share`'s, whether they sleep or not.
 * Returns whether that places the thread: not if the mask has fewer processors than there are threads. */
static int pool_narrow(pool_processors* mask, const struct pool_share* share) {
  const struct thread_pool* pool = share->pool;
  const int processors = CPU_COUNT(mask);
  pool_processors taken;
  CPU_ZERO(&taken);
  pool_add_processor(&taken, &pool->processor);
  for (int32_t t = 1; t < pool->threads; ++t) {
    if (t != share->thread) pool_add_processor(&taken, &pool->shares[t].processor);
  }
  CPU_AND(&taken, &taken, mask);
  CPU_XOR(mask, mask, &taken);
  return processors >= pool->threads && CPU_COUNT(&taken) > 0 && CPU_COUNT(mask) > 0;
}

/* By the caller: moves a thread that sleeps, or that does not run, to a processor of its own. Returns whether there is
 * one. A thread that has not run since it was moved is moved again only if the caller has come to its processors. */
static int pool_move(struct pool_share* share) {
  const int caller = atomic_load_explicit(&share->pool->processor, memory_order_relaxed);
  int state = atomic_load_explicit(&share->mask_state, memory_order_acquire);
  if (state == kNarrowed && !CPU_ISSET((size_t)caller, &share->narrow_mask)) return 1;
  pool_processors mask;
  if (pthread_getaffinity_np(share->id, sizeof mask, &mask) != 0) return 0;
  if (state == kNarrowed) {
    atomic_compare_exchange_strong_explicit(&share->mask_state, &state, kChanging, memory_order_acquire,
                                            memory_order_acquire);
  }
  if (state == kChanging) return 1; /* the thread runs, and restores its mask */
  if (state == kOwn || !CPU_EQUAL(&mask, &share->narrow_mask)) share->own_mask = mask;
  share->narrow_mask = share->own_mask;
  const int is_moved = pool_narrow(&share->narrow_mask, share) &&
                       pthread_setaffinity_np(share->id, sizeof mask, &share->narrow_mask) == 0;
  if (!is_moved) share->narrow_mask = mask;
  atomic_store_explicit(&share->mask_state, is_moved ? kNarrowed : state, memory_order_release);
  return is_moved;
}

/* By the thread. Instead of a mask of all processors of the process one of all there may ever be is set: if the process
 * gets others later, the thread follows, as if its mask had never been set. */
static void pool_set_own_mask(const pool_processors* mask) {
  pool_processors all;
  memset(&all, 0xff, sizeof all);
  if (sched_setaffinity(0, sizeof all, &all) == 0 && sched_getaffinity(0, sizeof all, &all) == 0 &&
      CPU_EQUAL(&all, mask)) {
    return;
  }
  sched_setaffinity(0, sizeof *mask, mask);
}

/* By the thread: restores the mask that pool_move narrowed, unless somebody else has set another one meanwhile. */
static void pool_restore_mask(struct pool_share* own) {
  int state = atomic_load_explicit(&own->mask_state, memory_order_relaxed);
  if (state != kNarrowed || !atomic_compare_exchange_strong_explicit(&own->mask_state, &state, kChanging,
                                                                     memory_order_acquire, memory_order_relaxed)) {
    return;
  }
  pool_processors mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &own->narrow_mask)) {
    pool_set_own_mask(&own->own_mask);
  }
  atomic_store_explicit(&own->mask_state, kOwn, memory_order_release);
}

/* By the thread: whether its processor is the caller's or another thread's. Of two threads that come to one processor
 * the second one finds the first one there. */
static int pool_is_taken(int32_t processor, const struct pool_share* own) {
  const struct thread_pool* pool = own->pool;
  int is_taken = processor == atomic_load_explicit(&pool->processor, memory_order_relaxed);
  for (int32_t t = 1; t < pool->threads && !is_taken; ++t) {
    const struct pool_share* share = &pool->shares[t];
    is_taken = share != own && processor == atomic_load_explicit(&share->processor, memory_order_relaxed) &&
               !atomic_load_explicit(&share->is_waking, memory_order_relaxed);
  }
  return is_taken;
}

/* By the thread, before it runs tasks, so that masks are the user's when a loop has ended: gets its mask back, and
 * leaves a processor that is taken. */
static void pool_settle(struct pool_share* own) {
  pool_restore_mask(own);
  const int32_t processor = pool_processor();
  if (processor == atomic_load_explicit(&own->processor, memory_order_relaxed) &&
      !atomic_load_explicit(&own->is_waking, memory_order_relaxed)) {
    return;
  }
  atomic_store_explicit(&own->is_waking, 0, memory_order_relaxed);
  atomic_store_explicit(&own->processor, processor, memory_order_relaxed);
  if (!pool_is_taken(processor, own)) return;
  pool_processors mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return;
  pool_processors narrow = mask;
  if (!pool_narrow(&narrow, own)) return;
  atomic_store_explicit(&own->pool->is_misplaced, 1, memory_order_relaxed);
  if (sched_setaffinity(0, sizeof narrow, &narrow) != 0) return;
  pool_set_own_mask(&mask);
  atomic_store_explicit(&own->processor, pool_processor(), memory_order_relaxed);
}

/* By the caller, before it gives tasks to a thread that may be awake: moves one that has no processor of its own. */
static void pool_part(struct pool_share* share, int32_t processor) {
  struct thread_pool* pool = share->pool;
  const int is_waking = atomic_load_explicit(&share->is_waking, memory_order_relaxed);
  if (!is_waking && atomic_load_explicit(&share->processor, memory_order_relaxed) != processor) return;
  if (pool->loops_to_skip > 0) {
    --pool->loops_to_skip;
  } else if (!is_waking || pool_now_ns() - pool->woken_ns > kLateNs) {
    const int is_moved = pool_move(share);
    if (!is_moved) pool->loops_to_skip = kLoopsToSkip;
    if (is_moved && is_waking) atomic_store_explicit(&pool->is_misplaced, 1, memory_order_relaxed);
  }
}

#else

static int32_t pool_processor(void) { return -1; }
static void pool_move(struct pool_share* share) { (void)share; }
static void pool_restore_mask(struct pool_share* own) { (void)own; }
static void pool_settle(struct pool_share* own) { (void)own; }
static void pool_part(struct pool_share* share, int32_t processor) { (void)share, (void)processor; }

#endif

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

/* Whether the share gets tasks, or kStop, within kSpinNs, or while the pool keeps its threads awake and kSpinNs after
 * that. The clock is read seldom, as it costs more than a turn. */
static int pool_gets_tasks_soon(const struct pool_share* own) {
  const int64_t begin = pool_now_ns();
  int64_t end = begin + kSpinNs;
  for (unsigned turn = 1; atomic_load_explicit(&own->unclaimed, memory_order_relaxed) == 0; ++turn) {
    if (turn % 64 == 0) {
      const int64_t now = pool_now_ns();
      if (now >= end) return 0;
      if (now - begin < kAwakeNs && atomic_load_explicit(&own->pool->keeps_awake, memory_order_relaxed)) {
        end = now + kSpinNs;
      }
    }
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
  pool->woken_ns = pool_now_ns();
  const int is_misplaced = atomic_load_explicit(&pool->is_misplaced, memory_order_relaxed);
  for (int32_t t = 1; t < pool->created; ++t) {
    struct pool_share* share = &pool->shares[t];
    if (atomic_load_explicit(&share->unclaimed, memory_order_relaxed) != 0 && pool_ends_sleep(share)) {
      atomic_store_explicit(&share->is_waking, 1, memory_order_relaxed);
      if (is_misplaced) pool_move(share);
      sem_post(&share->wake);
    }
  }
}

static void* pool_work(void* share) {
  struct pool_share* own = share;
  struct thread_pool* pool = own->pool;
  struct pool_share* shares = pool->shares;
  const int32_t threads = pool->threads, thread = own->thread;
  pool_settle(own);
  for (;;) {
    if (!pool_gets_tasks_soon(own)) {
      pool_restore_mask(own);
      pool_sleep(own);
    }
    if (atomic_load_explicit(&own->unclaimed, memory_order_acquire) == kStop) return 0;
    pool_settle(own);
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
    atomic_store_explicit(&share->is_waking, 1, memory_order_relaxed);
    atomic_store_explicit(&share->mask_state, kOwn, memory_order_relaxed);
    atomic_store_explicit(&share->processor, -1, memory_order_relaxed);
    sem_init(&share->wake, 0, 0);
  }
  sigset_t all, before; /* signals are for the program's own threads */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (pool_watches_forks && pool->created < pool->threads) {
    struct pool_share* share = &pool->shares[pool->created];
    if (pthread_create(&share->id, 0, pool_work, share) != 0) break;
    pool_move(share);
    ++pool->created;
  }
  pthread_sigmask(SIG_SETMASK, &before, 0);
  pool->woken_ns = pool_now_ns();
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
  const int32_t processor = pool_processor();
  if (atomic_load_explicit(&pool->processor, memory_order_relaxed) != processor) {
    atomic_store_explicit(&pool->processor, processor, memory_order_relaxed);
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
  const int32_t processor = atomic_load_explicit(&pool->processor, memory_order_relaxed);
  int32_t end = tasks;
  for (int32_t t = threads; t-- > 0;) {
    struct pool_share* share = &pool->shares[t];
    const int32_t size = least + (t < larger);
    if (t > 0 && t < pool->created) pool_part(share, processor);
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
