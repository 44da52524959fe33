/* Kernels over (float A[n], float B[n], float C[n]) with C = A + B, n = 1000, which first do something that a kernel
 * must not do. Those that are not stopped return the correct result. They do not use the C library, whose functions
 * could hide the system calls. */
#include "nestwright/kernel_abi.h"

enum { kElements = 1000, kChannelFd = 3 };
/* System call numbers of x86-64. */
enum {
  kWrite = 1,
  kOpen = 2,
  kClose = 3,
  kMmap = 9,
  kGetpid = 39,
  kSocket = 41,
  kFork = 57,
  kExecve = 59,
  kKill = 62,
  kUnlink = 87,
  kGetppid = 110,
  kExitGroup = 231
};

static long call6(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
static long call3(long number, long a, long b, long c) { return call6(number, a, b, c, 0, 0, 0); }

static int32_t add(void* const* buffers) {
  const volatile float* a = (const volatile float*)buffers[0];
  const volatile float* b = (const volatile float*)buffers[1];
  volatile float* c = (volatile float*)buffers[2];
  for (int i = 0; i < kElements; ++i) c[i] = a[i] + b[i];
  return 0;
}

#define KERNEL(name, misdeed)                                                                                        \
  int32_t name(void* const* buffers, const int64_t* symbols, void* workspace, const nestwright_parallel* parallel) { \
    (void)symbols, (void)workspace, (void)parallel;                                                                  \
    misdeed;                                                                                                         \
    return add(buffers);                                                                                             \
  }

KERNEL(behaves, )
KERNEL(aborts, call3(kKill, call3(kGetpid, 0, 0, 0), 6, 0))
KERNEL(exits_3, call3(kExitGroup, 3, 0, 0))
KERNEL(exits_0, call3(kExitGroup, 0, 0, 0))
KERNEL(forks, call3(kFork, 0, 0, 0))
KERNEL(starts_a_program, call3(kExecve, (long)"/bin/true", 0, 0))
KERNEL(makes_a_socket, call3(kSocket, 2, 1, 0))
KERNEL(takes_the_terminal, call3(kOpen, (long)"/dev/tty", 2, 0))
KERNEL(reads_a_file, call3(kOpen, (long)"/etc/passwd", 0, 0))
KERNEL(removes_a_file, call3(kUnlink, (long)"/tmp/nestwright-no-such-file", 0, 0))
KERNEL(closes_its_channel, call3(kClose, kChannelFd, 0, 0))
KERNEL(writes_garbage, call3(kWrite, kChannelFd, (long)"a long line that is no message at all", 37))
/* A complete message of eight bytes that is not a reply. */
KERNEL(writes_a_short_message, call3(kWrite, kChannelFd, (long)"\10\0\0\0\0\0\0\0nonsense", 16))
KERNEL(signals_its_parent, if (call3(kKill, call3(kGetppid, 0, 0, 0), 0, 0) != 0) return 13)

static void allocate_without_end(void) {
  for (;;) {
    enum { kBytes = 1 << 24 };
    char* block = (char*)call6(kMmap, 0, kBytes, 3, 0x22, -1, 0);
    if ((long)block < 0 && (long)block > -4096) continue;
    for (int i = 0; i < kBytes; i += 4096) ((volatile char*)block)[i] = 1;
  }
}
KERNEL(allocates_without_end, allocate_without_end())
