/* Calls a function many times and takes the time, so that the cost of a call from Python is in neither side's time. */
#include <time.h>
#include <tvm/ffi/c_api.h>

enum { kMaxTensors = 3 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}

/* Nanoseconds of all calls of a function that TVM exported; -1 if one failed. The tensors are TVM's handles. */
double time_theirs(TVMFFISafeCallType function, void** tensors, int count, int calls) {
  TVMFFIAny arguments[kMaxTensors] = {{0}};
  for (int i = 0; i < count; ++i) {
    arguments[i].type_index = kTVMFFITensor;
    arguments[i].v_obj = tensors[i];
  }
  const double begin = now();
  for (int call = 0; call < calls; ++call) {
    TVMFFIAny result = {0};
    if (function(NULL, arguments, count, &result) != 0) return -1;
  }
  return now() - begin;
}

/* The same for a function that nestwright exported. The tensors are pointers to their elements. */
double time_ours(void* function, void** tensors, int count, int calls) {
  int (*const of_two)(void*, void*) = (int (*)(void*, void*))function;
  int (*const of_three)(void*, void*, void*) = (int (*)(void*, void*, void*))function;
  const double begin = now();
  for (int call = 0; call < calls; ++call) {
    const int status = count == 2 ? of_two(tensors[0], tensors[1]) : of_three(tensors[0], tensors[1], tensors[2]);
    if (status != 0) return -1;
  }
  return now() - begin;
}
