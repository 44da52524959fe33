/* The C interface between compiled kernels and whoever calls them: the runner, runtime/kernel.h, exported libraries.
 * Plain C, because exported kernels carry a copy of these declarations. */
#ifndef NESTWRIGHT_RUNTIME_KERNEL_ABI_H
#define NESTWRIGHT_RUNTIME_KERNEL_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One iteration of a parallel loop. `thread` is in 0 .. threads-1 and differs between iterations that run at once: it
 * selects the thread's part of the workspace. */
typedef void (*nestwright_body)(int32_t task, int32_t thread, void* closure);

/* Runs body(0 .. tasks-1) on up to `threads` threads and returns when all have ended. The pool behind it can be
 * exchanged. */
typedef struct nestwright_parallel {
  void* pool;
  int32_t threads;
  void (*run)(void* pool, int32_t tasks, nestwright_body body, void* closure);
} nestwright_parallel;

/* A compiled program. `buffers`: one pointer a parameter, in order; `symbols`: one value a symbol; `workspace`: aligned
 * to 64 bytes, shared_bytes + threads * per_thread_bytes long (each part rounded up to 64). Returns 0. */
typedef int32_t (*nestwright_kernel)(void* const* buffers, const int64_t* symbols, void* workspace,
                                     const nestwright_parallel* parallel);

#ifdef __cplusplus
}
#endif
#endif
