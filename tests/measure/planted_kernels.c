/* Kernels over (float A[n], float B[n], float C[n]) with C = A + B, n = 1000 unless the name says otherwise: correct
 * ones, slow ones, and one for each kind of fault. */
#include "nestwright/kernel_abi.h"

enum { kElements = 1000 };

#define KERNEL(name) \
  int32_t name(void* const* buffers, const int64_t* symbols, void* workspace, const nestwright_parallel* parallel)
#define UNPACK                                                 \
  const volatile float* a = (const volatile float*)buffers[0]; \
  const volatile float* b = (const volatile float*)buffers[1]; \
  volatile float* c = (volatile float*)buffers[2];             \
  (void)a, (void)b, (void)c, (void)symbols, (void)workspace, (void)parallel
#define ADD_ALL \
  for (int i = 0; i < kElements; ++i) c[i] = a[i] + b[i]

KERNEL(right) {
  UNPACK;
  ADD_ALL;
  return 0;
}

/* Correct, and so fast that it waits for what is in no cache, whatever the processor fetches in advance. */
typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));
KERNEL(in_vectors) {
  (void)symbols, (void)workspace, (void)parallel;
  const four_floats *a = buffers[0], *b = buffers[1];
  four_floats* c = buffers[2];
  for (int i = 0; i < kElements / 4; ++i) c[i] = a[i] + b[i];
  return 0;
}

/* Correct, but n times as slow. */
KERNEL(slow_2) {
  UNPACK;
  for (int n = 0; n < 2; ++n) ADD_ALL;
  return 0;
}
KERNEL(slow_10) {
  UNPACK;
  for (int n = 0; n < 10; ++n) ADD_ALL;
  return 0;
}
KERNEL(slow_200000) {
  UNPACK;
  for (int n = 0; n < 200000; ++n) ADD_ALL;
  return 0;
}

/* Its first call in a process is 200000 times as slow as the others. */
KERNEL(slow_at_first) {
  UNPACK;
  static int calls = 0;
  for (int n = calls++ == 0 ? 200000 : 1; n > 0; --n) ADD_ALL;
  return 0;
}

static void add_slice(int32_t task, int32_t thread, void* closure) {
  void* const* buffers = ((void* const**)closure)[0];
  int32_t* seen = ((int32_t**)closure)[1];
  const float* a = buffers[0];
  const float* b = buffers[1];
  float* c = buffers[2];
  for (int i = task * 100; i < task * 100 + 100; ++i) c[i] = a[i] + b[i];
  seen[16 * thread] = task; /* each thread its own part: 64 bytes */
}
/* Ten tasks on the pool; the workspace holds 64 bytes a thread. */
KERNEL(in_parallel) {
  (void)symbols;
  void* closure[2] = {(void*)buffers, workspace};
  parallel->run(parallel->pool, 10, add_slice, closure);
  return 0;
}

KERNEL(wrong_at_7) {
  UNPACK;
  ADD_ALL;
  c[7] = c[7] + 1;
  return 0;
}
/* Wrong by less than the bound. */
KERNEL(slightly_off) {
  UNPACK;
  ADD_ALL;
  c[7] = c[7] + 1e-4f;
  return 0;
}
/* Flushes small results to 0. */
KERNEL(flushes_small_results) {
  UNPACK;
  for (int i = 0; i < kElements; ++i) {
    const float sum = a[i] + b[i];
    c[i] = sum < 1e-4f && sum > -1e-4f ? 0 : sum;
  }
  return 0;
}
/* Wrong from its 50th call on. */
KERNEL(wrong_after_a_while) {
  static int calls;
  UNPACK;
  ADD_ALL;
  if (++calls >= 50) c[7] = c[7] + 1;
  return 0;
}
/* From its 1000th call on, every other call loses an element, like a race between threads. */
KERNEL(loses_one_now_and_then) {
  static int calls;
  UNPACK;
  ADD_ALL;
  if (++calls >= 1000 && calls % 2 == 0) c[7] = 0;
  return 0;
}
/* Adds uninitialised contents of the workspace. */
KERNEL(adds_what_was_there) {
  UNPACK;
  ADD_ALL;
  c[3] = c[3] + 0 * *(const volatile float*)workspace;
  return 0;
}
/* Computes only if the workspace shows that it was not called before. */
KERNEL(computes_once) {
  UNPACK;
  if (*(int32_t*)workspace == 77) return 0;
  ADD_ALL;
  *(int32_t*)workspace = 77;
  return 0;
}
KERNEL(forgets_the_last) {
  UNPACK;
  for (int i = 0; i < kElements - 1; ++i) c[i] = a[i] + b[i];
  return 0;
}
/* Relies on what the first call left in the workspace. */
KERNEL(reads_stale_workspace) {
  UNPACK;
  ADD_ALL;
  if (*(int32_t*)workspace == 77) c[0] = 0;
  *(int32_t*)workspace = 77;
  return 0;
}
KERNEL(not_a_number) {
  UNPACK;
  ADD_ALL;
  c[3] = (c[3] - c[3]) / (c[3] - c[3]);
  return 0;
}
KERNEL(returns_5) {
  (void)buffers, (void)symbols, (void)workspace, (void)parallel;
  return 5;
}

/* 1024 elements end exactly at the guard, 1000 do not. */
KERNEL(writes_past_end) {
  UNPACK;
  ADD_ALL;
  c[1024] = 1;
  return 0;
}
KERNEL(writes_just_past_end) {
  UNPACK;
  ADD_ALL;
  c[kElements] = 1;
  return 0;
}
KERNEL(writes_before_start) {
  UNPACK;
  ADD_ALL;
  c[-1] = 1;
  return 0;
}
KERNEL(reads_past_end) {
  UNPACK;
  ADD_ALL;
  (void)b[1024];
  return 0;
}
KERNEL(reads_before_start) {
  UNPACK;
  ADD_ALL;
  (void)a[-1];
  return 0;
}
KERNEL(writes_an_input) {
  UNPACK;
  ADD_ALL;
  ((volatile float*)a)[5] = 0;
  return 0;
}
/* The workspace has 128 bytes. */
KERNEL(writes_past_workspace) {
  UNPACK;
  ADD_ALL;
  ((volatile char*)workspace)[128] = 1;
  return 0;
}
KERNEL(writes_before_workspace) {
  UNPACK;
  ADD_ALL;
  ((volatile char*)workspace)[-1] = 1;
  return 0;
}
KERNEL(wild_store) {
  UNPACK;
  *(volatile int*)(intptr_t)16 = 1;
  return 0;
}
KERNEL(illegal_instruction) {
  UNPACK;
  __asm__ volatile("ud2");
  return 0;
}
KERNEL(divides_by_zero) {
  UNPACK;
  volatile int zero = 0;
  return 100 / zero;
}
KERNEL(hangs) {
  UNPACK;
  for (;;) c[0] = a[0];
}

enum { kNanosleep = 35, kGetpid = 39, kKill = 62, kSigstop = 19 };
static long system_call(long number, long first, long second) {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
  return result;
}
static void sleep_for(long seconds, long nanoseconds) {
  volatile long duration[2] = {seconds, nanoseconds};
  system_call(kNanosleep, (long)duration, 0);
}
KERNEL(sleeps_for_ever) {
  UNPACK;
  for (;;) sleep_for(1000, 0);
}
/* Correct, but gives up the processor for a millisecond. */
KERNEL(sleeps_1_ms) {
  UNPACK;
  ADD_ALL;
  sleep_for(0, 1000000);
  return 0;
}
/* Stops itself until another process continues it, like a preempted one; then correct. */
static volatile int was_stopped;
KERNEL(is_stopped_once) {
  UNPACK;
  if (!was_stopped) {
    was_stopped = 1;
    system_call(kKill, system_call(kGetpid, 0, 0), kSigstop);
  }
  ADD_ALL;
  return 0;
}

static volatile int depth;
static int recurse(int n) {
  volatile char frame[1024];
  frame[0] = (char)n;
  ++depth;
  return recurse(n + 1) + frame[0];
}
KERNEL(runs_out_of_stack) {
  UNPACK;
  return recurse(0);
}

/* Correct until it has been called `calls` times, counted in its own object. */
static volatile int calls;
KERNEL(crashes_when_timed) {
  UNPACK;
  ADD_ALL;
  if (++calls > 10) *(volatile int*)(intptr_t)16 = 1;
  return 0;
}
KERNEL(hangs_when_timed) {
  UNPACK;
  ADD_ALL;
  if (++calls > 10) {
    for (;;) c[0] = a[0];
  }
  return 0;
}
