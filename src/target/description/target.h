// A description of the machine that code is generated for: everything that schedules and kernels depend on. Code
// outside this folder never assumes AVX-512.
//
// A CPU is written "cpu,isa=avx512,threads=2". Fields that differ from what the ISA implies or the host has follow:
// vector_bits, vector_registers, l1d, l2, l3 (bytes), llvm_cpu (a name that LLVM knows, or generic), features (names
// joined by +, or none) if they are not those of that CPU. A GPU is written "cuda,arch=sm_90" or "opencl", with further
// fields likewise (target/description/gpu_target.h).
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/type.h"
#include "target/description/cpu_features.h"

namespace nestwright {

enum class DeviceKind : std::uint8_t { kCpu, kCuda, kOpenCl };

/// The x86-64 instruction sets that we generate code for, each a superset of the previous one.
enum class CpuIsa : std::uint8_t {
  kX86_64,  ///< SSE2: 128-bit vectors, 16 registers, no fma
  kAvx2,    ///< x86-64-v3: 256-bit vectors, 16 registers, fma
  kAvx512,  ///< x86-64-v4: 512-bit vectors, 32 registers, masks
};

/// A CPU or a GPU. Fields that do not apply to the kind of device keep their defaults.
struct Target {
  DeviceKind device = DeviceKind::kCpu;
  CpuIsa isa = CpuIsa::kX86_64;
  int vector_bits = 128;
  int vector_registers = 16;
  int threads = 1;                                                            ///< the most that a kernel may use
  std::int64_t l1d_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 8 << 20;  ///< l1d and l2 per core, l3 in total
  /// The processor that LLVM schedules for (tune-cpu), e.g. znver4; empty: generic. An AVX-512 target that names no
  /// features has those of this processor; otherwise `isa` and `features` alone select instructions.
  std::string llvm_cpu;

  CpuFeatures features;  ///< beyond the ISA; none unless it is kAvx512

  // GPUs only.
  std::string arch;                      ///< CUDA only, e.g. sm_90; empty for OpenCL
  int multiprocessors = 1;               ///< "compute units" in OpenCL
  int warp = 1;                          ///< threads in lockstep that may exchange registers; 1: they may not
  int threads_per_block = 1024;          ///< the maximum
  std::int64_t shared_bytes = 48 << 10;  ///< the most that a block may use
  int registers_per_thread = 255;        ///< the maximum; a register has 4 bytes
  int registers_per_block = 65536;       ///< shared by the threads of a multiprocessor's blocks

  bool has(CpuFeature feature) const { return features.has(feature); }
  /// The lanes of one vector register.
  int lanes(ir::Type type) const { return vector_bits / (8 * type.bytes()); }
  bool has_masks() const { return isa == CpuIsa::kAvx512; }
  bool has_fma() const { return isa != CpuIsa::kX86_64; }

  /// Returns this machine, with as many threads as this process may use cores.
  static Target host();
  /// Parses a target. Fields that are not given come from the host if it has the same or a larger ISA, else from the
  /// ISA. "cpu" is host() with one thread; "host" is host(). Throws UsageError that names the field and the legal
  /// values.
  static Target parse(std::string_view text);
  /// The canonical text: parse(str()) is equal, and equal targets print alike. Part of the log's keys.
  std::string str() const;
  friend bool operator==(const Target&, const Target&) = default;
};

/// The target with the name that earlier versions gave its processor, whose records are hints: Zen 5 was znver4.
/// nullopt where the name is the same.
std::optional<Target> former_target(const Target& target);

}  // namespace nestwright
