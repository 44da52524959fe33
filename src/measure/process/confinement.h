// Confines a worker to computing and to reading the system's files, so that a faulty candidate cannot harm the user's
// data. Landlock guards files, TCP and other processes; seccomp guards process creation and sockets; each applies if
// the kernel supports it. NESTWRIGHT_CONFINEMENT=off disables both, for drivers that need what is refused here.
// Thread rule: one thread; each function once, permanently.
#pragma once

#include <string>
#include <vector>

#include "nestwright/target.h"

namespace nestwright {

/// Confines a process that compiles. Call it after the compiler's libraries have been loaded.
void confine_builder();

/// Confines a process that runs candidates. Call it before anything touches the device. For a device it may still write
/// to /dev and to the folders that POCL_CACHE_DIR, CUDA_CACHE_PATH and TMPDIR name, and OpenCL may start the linker.
void confine_runner(DeviceKind device);

/// Confines CPU candidates further, once the bench is ready: from then on, opening or changing a file, creating a
/// process or creating a socket other than a local one raises SIGSYS.
void confine_candidates();

/// A resource that a candidate could harm, and the mechanism that protects it on this machine; "nothing" if none does.
struct Protection {
  std::string of, by;
};
/// Returns the protections that are in force on this machine.
std::vector<Protection> protections();

}  // namespace nestwright
