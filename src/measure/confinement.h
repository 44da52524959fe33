// What a worker may do besides computing: read the system's files, and little else. A candidate that goes wrong then
// harms nothing of the user's. Landlock guards files, TCP and other processes, seccomp what starts processes and opens
// sockets; each is in force where the kernel has it. Thread rule: one thread; each function once, and for good.
//
// NESTWRIGHT_CONFINEMENT=off leaves both away: for a driver that needs what is refused here.
#pragma once

#include <string>
#include <vector>

#include "target/target.h"

namespace nestwright {

/// For a process that compiles. The compiler's libraries are loaded already.
void confine_builder();

/// For a process that runs candidates, before anything of the device is touched. On a device it may write to /dev and
/// to the folders that POCL_CACHE_DIR, CUDA_CACHE_PATH and TMPDIR name, and OpenCL may start the linker.
void confine_runner(DeviceKind device);

/// For the CPU's candidates, once the bench is ready: they make no file, process or socket, and die by SIGSYS where
/// they try.
void confine_candidates();

/// One of the things that a candidate could harm, and what keeps it from that here; "nothing" where nothing does.
struct Protection {
  std::string of, by;
};
std::vector<Protection> protections();

}  // namespace nestwright
