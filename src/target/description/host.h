// What can be detected about the processor of this machine, by cpuid, xgetbv and /sys.
// Thread rule: pure functions of the machine. Units: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/target.h"

namespace nestwright {

/// Returns the largest ISA that both the processor and the operating system support.
CpuIsa host_isa();

/// The sizes of the data caches: l1d and l2 of one core, l3 in total.
struct CacheSizes {
  std::int64_t l1d = 0, l2 = 0, l3 = 0;  ///< 0: missing or not detected
};
CacheSizes host_caches();
/// The size of the last cache: at least a megabyte, also where the system reports none.
std::int64_t last_cache_bytes();

/// Returns the number of cores that this process may run on.
int host_threads();

/// The identity of a processor, by cpuid.
struct CpuModel {
  std::string vendor;  ///< "GenuineIntel", "AuthenticAMD"
  std::string name;    ///< the brand string, trimmed
  int family = 0, model = 0, stepping = 0;
};
CpuModel host_cpu_model();

/// Returns LLVM's name for a processor; empty if this table does not know it. Use it for scheduling models only: under
/// a hypervisor a processor may lack instructions that others of its name have.
std::string llvm_name(const CpuModel& model);
/// For processors without llvm_name() (new ones, or a hypervisor with model numbers of its own): returns the name of
/// the vendor's oldest processor with these features; empty if there is none.
std::string llvm_name_of_similar(std::string_view vendor, CpuFeatures features);

/// Returns the extensions that kernels can profit from, under their names in /proc/cpuinfo, in a fixed order: fma,
/// avx2, avx512f, ..., avx512_bf16, amx_tile.
std::vector<std::string> host_features();
/// Returns those of host_features() that targets know; none unless the ISA is AVX-512.
CpuFeatures host_cpu_features();

}  // namespace nestwright
