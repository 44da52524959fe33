#define _GNU_SOURCE /* for the affinity of threads */
#include "runtime/spin_pool.h"

#include <stdlib.h>

#include "runtime/thread_pool.c"

nestwright_parallel nestwright_make_spin_pool(int32_t threads) {
  const nestwright_parallel none = {0, threads, pool_run};
  struct thread_pool* pool = aligned_alloc(_Alignof(struct thread_pool), sizeof *pool);
  struct pool_share* shares = aligned_alloc(_Alignof(struct pool_share), (size_t)threads * sizeof *shares);
  if (pool == 0 || shares == 0) {
    free(shares);
    free(pool);
    return none;
  }
  *pool = (struct thread_pool){.shares = shares, .threads = threads};
  const nestwright_parallel made = {pool, threads, pool_run};
  return made;
}

void nestwright_keep_spin_pool_awake(void* pool, int is_awake) {
  atomic_store_explicit(&((struct thread_pool*)pool)->keeps_awake, is_awake, memory_order_relaxed);
}

void nestwright_free_spin_pool(void* freed) {
  struct thread_pool* pool = freed;
  const int has_threads = pool->started_at == atomic_load_explicit(&pool_fork_depth, memory_order_relaxed);
  const int32_t created = has_threads ? pool->created : 0;
  for (int32_t t = 1; t < created; ++t) {
    atomic_store_explicit(&pool->shares[t].unclaimed, kStop, memory_order_release);
  }
  if (has_threads) pool_wake(pool);
  for (int32_t t = 1; t < created; ++t) pthread_join(pool->shares[t].id, 0);
  for (int32_t t = 0; has_threads && t < pool->threads; ++t) sem_destroy(&pool->shares[t].wake);
  free(pool->shares);
  free(pool);
}
