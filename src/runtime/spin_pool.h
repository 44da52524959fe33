/* Thread pools whose threads spin for 50 us after a loop, then sleep, compiled from the same text that exports contain
 * (runtime/thread_pool.c). Private to runtime/; use make_pool.
 * Thread rule: as in thread_pool.c; no loop may run while its pool is freed. */
#ifndef NESTWRIGHT_RUNTIME_SPIN_POOL_H
#define NESTWRIGHT_RUNTIME_SPIN_POOL_H

#include "nestwright/kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a pool of at most `threads` >= 1 threads, including the caller's; the others are created by the first loop that
 * has tasks for them. `pool` is null if there is no memory. */
nestwright_parallel nestwright_make_spin_pool(int32_t threads);
/* Whether threads without tasks spin for up to 10 ms, as more loops follow, and not for 50 us. */
void nestwright_keep_spin_pool_awake(void* pool, int is_awake);
/* Stops and joins the threads, and frees the pool. */
void nestwright_free_spin_pool(void* pool);

#ifdef __cplusplus
}
#endif
#endif
