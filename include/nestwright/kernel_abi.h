/* The C interface between compiled kernels and their callers: the runner, functions made by build(), exported
 * libraries. It is plain C, because exported kernels contain a copy of these declarations. */
#ifndef NESTWRIGHT_KERNEL_ABI_H
#define NESTWRIGHT_KERNEL_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One iteration of a parallel loop. `thread` is in 0 .. threads-1 and differs between iterations that run at the same
 * time; it selects the thread's part of the workspace. */
typedef void (*nestwright_body)(int32_t task, int32_t thread, void* closure);

/* A thread pool of any kind. `run` calls body(0 .. tasks-1) on up to `threads` threads and returns when all calls have
 * ended. */
typedef struct nestwright_parallel {
  void* pool;
  int32_t threads;
  void (*run)(void* pool, int32_t tasks, nestwright_body body, void* closure);
} nestwright_parallel;

/* A compiled program. `buffers` has one pointer per parameter, in order; `symbols` one value per symbol; `workspace` is
 * aligned to 64 bytes and shared_bytes + threads * per_thread_bytes long (each part rounded up to 64). Returns 0. */
typedef int32_t (*nestwright_kernel)(void* const* buffers, const int64_t* symbols, void* workspace,
                                     const nestwright_parallel* parallel);

#ifdef __cplusplus
}
#endif
#endif
