// What can be found out about the processor that this runs on: by cpuid and xgetbv, and from /sys where that says more.
// Thread rule: pure functions of the machine. Units: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "target/target.h"

namespace nestwright {

/// The largest ISA that processor and operating system both support.
CpuIsa host_isa();

struct CacheSizes {
  std::int64_t l1d = 0, l2 = 0, l3 = 0;  ///< 0: there is none, or it cannot be found out
};
CacheSizes host_caches();

/// Cores that this process may run on.
int host_threads();

struct CpuModel {
  std::string vendor;  ///< "GenuineIntel", "AuthenticAMD"
  std::string name;    ///< the brand string, trimmed
  int family = 0, model = 0, stepping = 0;
};
CpuModel host_cpu_model();

/// LLVM's name of a processor, or empty where this table does not know it. Only a name for the scheduling model: under
/// a hypervisor a processor may lack instructions that others of its name have.
std::string llvm_name(const CpuModel& model);
/// Where llvm_name() is empty (a new processor, or a hypervisor with model numbers of its own): the oldest processor of
/// the vendor with these features, or empty where there is none.
std::string llvm_name_of_similar(std::string_view vendor, CpuFeatures features);

/// Names as in /proc/cpuinfo, of those extensions that kernels can profit from, in a fixed order: fma, avx2, avx512f,
/// ..., avx512_bf16, amx_tile.
std::vector<std::string> host_features();
/// Those of them that targets know; none where the ISA is not AVX-512.
CpuFeatures host_cpu_features();

}  // namespace nestwright
