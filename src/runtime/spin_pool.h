/* The library's pools of its own threads, of the text that exports carry (runtime/thread_pool.c): they spin for 50 us
 * after a loop, then sleep. Private to runtime/; made through make_pool. Thread rule: as said there; no loop may run
 * while its pool is freed. */
#ifndef NESTWRIGHT_RUNTIME_SPIN_POOL_H
#define NESTWRIGHT_RUNTIME_SPIN_POOL_H

#include "runtime/kernel_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For at most `threads` >= 1 threads, the caller's among them; the others are created by the first loop that has tasks
 * for them. `pool` is null where there is no memory. */
nestwright_parallel nestwright_make_spin_pool(int32_t threads);
/* Ends and joins the threads. */
void nestwright_free_spin_pool(void* pool);

#ifdef __cplusplus
}
#endif
#endif
