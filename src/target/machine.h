// A description of this machine for people (doctor, manifests) and for the log's keys.
// Thread rule: values. Units: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "target/host.h"

namespace nestwright {

struct Machine {
  CpuModel cpu;
  CpuIsa isa = CpuIsa::kX86_64;
  std::vector<std::string> features;  ///< host_features()
  int cores = 1;                      ///< that this process may run on
  CacheSizes caches;
  std::int64_t memory_bytes = 0;
  std::string kernel;      ///< of the operating system, e.g. "Linux 6.1.0"
  std::string microcode;   ///< empty where it is not told
  std::string huge_pages;  ///< "always", "madvise" or "never"; empty where it is not told

  static Machine host();
  bool has(std::string_view feature) const;
  /// What kernels' times depend on and what stays the same from one boot to the next: processor, extensions, caches.
  /// Two machines of one kind have one fingerprint; kernel and microcode are not in it.
  std::string fingerprint() const;
};

}  // namespace nestwright
