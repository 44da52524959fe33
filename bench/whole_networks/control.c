/* Work that needs nothing but processors: a library of one function, which the benchmark calls before and after a
 * round. */
#include <pthread.h>
#include <stddef.h>
#include <time.h>

enum { kMaxThreads = 256, kChains = 10 };

typedef float vector __attribute__((vector_size(32)));

struct work {
  _Alignas(128) long loops; /* no two threads use one cache line */
  vector result;
};

/* Not inlined, so that the caller's thread runs the code that the others run. */
static __attribute__((noinline)) void* loop(void* argument) {
  struct work* const work = argument;
  const long loops = work->loops;
  vector x[kChains];
  for (int i = 0; i < kChains; ++i) x[i] = (vector){} + 0.25f;
  for (long l = 0; l < loops; ++l) {
    for (int i = 0; i < kChains; ++i) x[i] = x[i] * x[i] + 0.125f; /* stays near 0.15 */
  }
  for (int i = 1; i < kChains; ++i) x[0] += x[i];
  work->result = x[0];
  return NULL;
}

/* Loops a second of all threads together. */
double control_rate(int threads, long loops) {
  pthread_t ids[kMaxThreads];
  struct work works[kMaxThreads];
  struct timespec begin, end;
  if (threads < 1 || threads > kMaxThreads) return 0;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (int t = 0; t < threads; ++t) {
    works[t].loops = loops;
    if (t + 1 == threads || pthread_create(&ids[t], NULL, loop, &works[t]) != 0) {
      threads = t + 1;
      loop(&works[t]);
    }
  }
  for (int t = 0; t + 1 < threads; ++t) pthread_join(ids[t], NULL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)threads * (double)loops /
         ((double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec));
}
