#include "bench/comparison/timing/library_environment.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "nestwright/error.h"
#include "target/description/host.h"

namespace nestwright::bench {

void set_library_environment(int threads) {
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    setenv(name, std::to_string(threads).c_str(), 1);
  }
  setenv("MKL_THREADING_LAYER", threads == 1 ? "SEQUENTIAL" : "INTEL", 1);
  if (host_isa() == CpuIsa::kAvx512) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
    setenv("BLIS_ARCH_TYPE", "0", 1);  // skx
  }
}

Pinned::Pinned(int threads) {
  sched_getaffinity(0, sizeof(before_), &before_);
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&chosen) < threads; --cpu) {
    if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &chosen);
  }
  if (CPU_COUNT(&chosen) < threads) {
    throw Error(fmt::format("{} threads need as many processors, and this process may run on {}", threads,
                            CPU_COUNT(&before_)));
  }
  sched_setaffinity(0, sizeof(chosen), &chosen);
}

Pinned::~Pinned() { sched_setaffinity(0, sizeof(before_), &before_); }

}  // namespace nestwright::bench
