/* A CUDA driver without a device, which records all calls: memory is the host's, and most kernels do nothing. A
 * kernel's name ends in the number of its arguments, "scale_3". A name that begins with "traps" corrupts the context as
 * an illegal address does; "adds" adds the 1000 floats at its first two pointers; "adds_elsewhere" does the same but
 * fails if they are at the same place as in the previous launch. Code that begins with "bad" is refused. A launch takes
 * 250 us. FAKE_CUDA_VERSION in the environment is the version of the driver (13000). Prototypes are those of the
 * driver's documentation. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef int result;
typedef unsigned long long pointer;
enum {
  success = 0,
  invalid_value = 1,
  no_memory = 2,
  no_device = 100,
  invalid_image = 200,
  no_binary = 209,
  operating_system = 304,
  not_found = 500,
  illegal = 700
};

static char log_text[1 << 16];
static int devices = 1, broken = 0, capability = 90;
static long long allocations = 0;

static size_t used = 0;
static int launches = 0; /* since the last event */
static int takes_cubins = 1;

static void note(const char* format, ...) {
  if (used + 4096 > sizeof log_text) return;
  va_list list;
  va_start(list, format);
  used += (size_t)vsnprintf(log_text + used, sizeof log_text - used, format, list);
  va_end(list);
}

/* The interface for tests. */
const char* fake_cuda_log(void) { return log_text; }
void fake_cuda_reset(int device_count, int compute_capability) {
  log_text[used = 0] = '\0';
  broken = 0;
  devices = device_count;
  capability = compute_capability;
}
long long fake_cuda_allocations(void) { return allocations; }
/* The number of arguments of kernels whose names do not contain it. */
static struct {
  char name[64];
  int arguments;
} known[16];
static int known_count = 0;
void fake_cuda_takes(const char* kernel, int arguments) {
  if (known_count == 16) return;
  snprintf(known[known_count].name, sizeof known[0].name, "%s", kernel);
  known[known_count++].arguments = arguments;
}
static int arguments_of(const char* kernel) {
  for (int i = known_count; i-- > 0;) {
    if (strcmp(known[i].name, kernel) == 0) return known[i].arguments;
  }
  const char* const end = strrchr(kernel, '_');
  return end ? atoi(end + 1) : 0;
}
/* Refuses cubins, as a device of another architecture does. */
void fake_cuda_refuse_cubins(void) { takes_cubins = 0; }

#define FAIL_IF_BROKEN \
  if (broken) return illegal

static void* sleep_forever(void* ready) {
  atomic_store((atomic_int*)ready, (int)syscall(SYS_gettid));
  for (;;) pause();
  return NULL;
}

/* Like NVIDIA's driver, starts a thread and writes its name to a file under /proc, which confinement must allow. */
result cuInit(unsigned int flags) {
  if (flags != 0) return invalid_value;
  static atomic_int thread_number;
  if (atomic_load(&thread_number) != 0) return success;
  pthread_t thread;
  if (pthread_create(&thread, NULL, sleep_forever, &thread_number) != 0) return operating_system;
  while (atomic_load(&thread_number) == 0) sched_yield();
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/comm", atomic_load(&thread_number));
  FILE* const name = fopen(path, "w");
  if (name == NULL) return operating_system;
  fputs("fake-cuda", name);
  return fclose(name) == 0 ? success : operating_system;
}
result cuDriverGetVersion(int* version) {
  const char* const value = getenv("FAKE_CUDA_VERSION");
  return *version = value != NULL ? atoi(value) : 13000, success;
}
result cuGetErrorName(result error, const char** name) {
  *name = error == illegal            ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == invalid_image    ? "CUDA_ERROR_INVALID_IMAGE"
          : error == no_memory        ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == operating_system ? "CUDA_ERROR_OPERATING_SYSTEM"
                                      : NULL;
  return *name ? success : invalid_value;
}
result cuGetErrorString(result error, const char** text) {
  *text = error == illegal         ? "an illegal memory access was encountered"
          : error == invalid_image ? "device kernel image is invalid"
          : error == no_memory     ? "out of memory"
                                   : NULL;
  return *text ? success : invalid_value;
}
result cuDeviceGetCount(int* count) { return *count = devices, devices > 0 ? success : no_device; }
result cuDeviceGet(int* device, int ordinal) {
  if (ordinal >= devices) return 101;
  return *device = 7 + ordinal, success;
}
result cuDeviceGetName(char* name, int bytes, int device) {
  snprintf(name, (size_t)bytes, "Fake %d", device);
  return success;
}
result cuDeviceGetPCIBusId(char* id, int bytes, int device) {
  snprintf(id, (size_t)bytes, "0000:%02d:00.0", device);
  return success;
}
result cuDeviceGetAttribute(int* value, int attribute, int device) {
  (void)device;
  switch (attribute) {
    case 1:
      return *value = 1024, success;
    case 10:
      return *value = 32, success;
    case 12:
      return *value = 65536, success;
    case 16:
      return *value = 78, success;
    case 38:
      return *value = 4 << 20, success;
    case 75:
      return *value = capability / 10, success;
    case 76:
      return *value = capability % 10, success;
    case 97:
      return *value = 100000, success;
    default:
      return invalid_value;
  }
}
result cuDeviceTotalMem_v2(size_t* bytes, int device) {
  (void)device;
  return *bytes = (size_t)80 << 30, success;
}
static int context_of_device;
result cuDevicePrimaryCtxRetain(void** context, int device) {
  note("retain %d\n", device);
  return *context = &context_of_device, success;
}
result cuDevicePrimaryCtxRelease_v2(int device) { return note("release %d\n", device), success; }
static void* current;
result cuCtxSetCurrent(void* context) {
  current = context;
  return context == &context_of_device ? success : invalid_value;
}
result cuCtxGetCurrent(void** context) { return *context = current, success; }
result cuCtxSynchronize(void) {
  FAIL_IF_BROKEN;
  return note("synchronize\n"), success;
}
result cuMemAlloc_v2(pointer* memory, size_t bytes) {
  FAIL_IF_BROKEN;
  if (bytes > (size_t)1 << 40) return no_memory;
  void* const block = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!block) return no_memory;
  ++allocations;
  *(int*)block = -(int)bytes; /* so that different ones differ */
  note("alloc %zu\n", bytes);
  return *memory = (pointer)(size_t)block, success;
}
result cuMemFree_v2(pointer memory) {
  free((void*)(size_t)memory);
  --allocations;
  return success;
}
result cuMemcpyHtoD_v2(pointer to, const void* from, size_t bytes) {
  FAIL_IF_BROKEN;
  return memcpy((void*)(size_t)to, from, bytes), success;
}
result cuMemcpyDtoH_v2(void* to, pointer from, size_t bytes) {
  FAIL_IF_BROKEN;
  return memcpy(to, (const void*)(size_t)from, bytes), success;
}
result cuMemcpyDtoD_v2(pointer to, pointer from, size_t bytes) {
  FAIL_IF_BROKEN;
  return memcpy((void*)(size_t)to, (const void*)(size_t)from, bytes), success;
}
result cuMemsetD8_v2(pointer to, unsigned char value, size_t bytes) {
  FAIL_IF_BROKEN;
  return memset((void*)(size_t)to, value, bytes), success;
}
static int module_of_code;
result cuModuleLoadDataEx(void** module, const void* image, unsigned int options, int* names, void** values) {
  FAIL_IF_BROKEN;
  if (strncmp((const char*)image, "bad", 3) == 0) {
    if (options == 2 && names[0] == 5 && names[1] == 6) {
      snprintf((char*)values[0], (size_t)values[1], "no binary for this GPU");
    }
    return invalid_image;
  }
  if (!takes_cubins && strncmp((const char*)image, "\177ELF", 4) == 0) return no_binary;
  note("load %.40s\n", (const char*)image);
  return *module = &module_of_code, success;
}
result cuModuleUnload(void* module) { return module == &module_of_code ? note("unload\n"), success : invalid_value; }
static char functions[16][64];
static int function_count = 0;
result cuModuleGetFunction(void** function, void* module, const char* name) {
  if (module != &module_of_code) return invalid_value;
  if (strcmp(name, "missing") == 0) return not_found;
  char* const kept = functions[function_count++ % 16];
  snprintf(kept, sizeof functions[0], "%s", name);
  return *function = kept, success;
}
result cuFuncGetAttribute(int* value, int attribute, void* function) {
  (void)function;
  switch (attribute) {
    case 0:
      return *value = 512, success;
    case 1:
      return *value = 2048, success;
    case 3:
      return *value = 16, success;
    case 4:
      return *value = 48, success;
    case 8:
      return *value = 49152 - 2048, success;
    default:
      return invalid_value;
  }
}
result cuFuncSetAttribute(void* function, int attribute, int value) {
  return note("attribute of %s: %d = %d\n", (const char*)function, attribute, value), success;
}
result cuLaunchKernel(void* function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                      unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                      void* stream, void** arguments, void** extra) {
  FAIL_IF_BROKEN;
  const char* const name = (const char*)function;
  if (stream != NULL || extra != NULL) return invalid_value;
  note("launch %s grid %u %u %u block %u %u %u shared %u:", name, grid_x, grid_y, grid_z, block_x, block_y, block_z,
       shared_bytes);
  const int count = arguments_of(name);
  for (int i = 0; i < count; ++i) {
    const long long value = *(const long long*)arguments[i];
    // Large values are addresses; their first four bytes were set by the test.
    if (value > 1 << 20) {
      note(" [%d]", *(const int*)(size_t)value);
    } else {
      note(" %lld", value);
    }
  }
  note("\n");
  ++launches;
  if (strncmp(name, "traps", 5) == 0) broken = 1;
  if (strncmp(name, "adds", 4) == 0) {
    const float *a = *(float**)arguments[0], *b = *(float**)arguments[1];
    float* const sum = *(float**)arguments[2];
    for (int i = 0; i < 1000; ++i) sum[i] = a[i] + b[i];
    static const float* last = NULL;
    if (strncmp(name, "adds_elsewhere", 14) == 0 && launches > 1 && a == last) broken = 1;
    last = a;
  }
  return success;
}
static int event_of_device;
result cuEventCreate(void** event, unsigned int flags) {
  return *event = &event_of_device, flags == 0 ? success : invalid_value;
}
result cuEventRecord(void* event, void* stream) {
  if (event != &event_of_device || stream != NULL) return invalid_value;
  static int records = 0;
  if (++records % 2 == 1) launches = 0;
  return note("record\n"), success;
}
result cuEventSynchronize(void* event) {
  FAIL_IF_BROKEN;
  return event == &event_of_device ? success : invalid_value;
}
result cuEventElapsedTime(float* milliseconds, void* start, void* end) {
  if (start == NULL || end == NULL) return invalid_value;
  return *milliseconds = 0.25F * (float)launches, success;
}
result cuEventDestroy_v2(void* event) { return event == &event_of_device ? success : invalid_value; }

/* The management library, in the same file as the driver. */
static int sensor_of_device;
result nvmlInit_v2(void) { return success; }
result nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  if (strcmp(address, "0000:07:00.0") != 0) return 6;
  return *device = &sensor_of_device, success;
}
result nvmlDeviceGetClockInfo(void* device, int clock, unsigned int* mhz) {
  if (device != &sensor_of_device || clock != 1) return 2;
  return *mhz = 1980, success;
}
result nvmlDeviceGetTemperature(void* device, int sensor, unsigned int* celsius) {
  if (device != &sensor_of_device || sensor != 0) return 2;
  return *celsius = 41, success;
}
