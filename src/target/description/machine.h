// A description of this machine, for people (doctor, manifests) and for the log's keys.
// Thread rule: values. Units: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "target/description/host.h"

namespace nestwright {

struct Machine {
  CpuModel cpu;
  CpuIsa isa = CpuIsa::kX86_64;
  std::vector<std::string> features;  ///< host_features()
  int cores = 1;                      ///< those that this process may run on
  CacheSizes caches;
  std::int64_t memory_bytes = 0;
  std::string kernel;      ///< the operating system's, e.g. "Linux 6.1.0"
  std::string microcode;   ///< empty if it is not reported
  std::string huge_pages;  ///< "always", "madvise" or "never"; empty if it is not reported

  static Machine host();
  bool has(std::string_view feature) const;
  /// The properties that the times of kernels depend on and that survive a reboot: processor, extensions, caches.
  /// Machines of the same kind have the same fingerprint; the operating system's kernel and the microcode are not part
  /// of it.
  std::string fingerprint() const;
};

}  // namespace nestwright
