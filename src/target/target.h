// What a machine is, as far as schedules and kernels depend on it. Nothing outside this folder assumes AVX-512.
//
// A target is written   cpu,isa=avx512,threads=2   with further fields where they differ from what the ISA implies or
// the host has:  vector_bits, vector_registers, l1d, l2, l3 (bytes), llvm_cpu (a name that LLVM knows, or generic),
// features (names joined by +, or none), where they are not those of that CPU.
// A GPU is written   cuda,arch=sm_90   or   opencl   with further fields where they differ (target/gpu.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/type.h"
#include "target/features.h"

namespace nestwright {

enum class DeviceKind : std::uint8_t { kCpu, kCuda, kOpenCl };

/// Instruction sets of x86-64 that we generate for, each including the ones before it.
enum class CpuIsa : std::uint8_t {
  kX86_64,  ///< SSE2: 128-bit vectors, 16 registers, no fma
  kAvx2,    ///< x86-64-v3: 256-bit vectors, 16 registers, fma
  kAvx512,  ///< x86-64-v4: 512-bit vectors, 32 registers, masks
};

struct Target {
  DeviceKind device = DeviceKind::kCpu;
  CpuIsa isa = CpuIsa::kX86_64;
  int vector_bits = 128;
  int vector_registers = 16;
  int threads = 1;                                                            ///< that a kernel may use
  std::int64_t l1d_bytes = 32 << 10, l2_bytes = 1 << 20, l3_bytes = 8 << 20;  ///< l1d and l2 a core, l3 in all
  std::string llvm_cpu;  ///< for code generation and scheduling models, e.g. znver4; empty: generic of the ISA

  CpuFeatures features;  ///< beyond the ISA; none where it is not kAvx512

  // Of a GPU; a CPU has none of it.
  std::string arch;                      ///< of CUDA, e.g. sm_90; empty for OpenCL
  int multiprocessors = 1;               ///< compute units: what blocks are spread over
  int warp = 1;                          ///< threads that run in step and may exchange registers; 1: they may not
  int threads_per_block = 1024;          ///< at most
  std::int64_t shared_bytes = 48 << 10;  ///< that a block may use
  int registers_per_thread = 255;        ///< of 4 bytes, at most
  int registers_per_block = 65536;       ///< of 4 bytes: what the threads of a multiprocessor's blocks divide

  bool has(CpuFeature feature) const { return features.has(feature); }
  /// Lanes of one vector register.
  int lanes(ir::Type type) const { return vector_bits / (8 * type.bytes()); }
  bool has_masks() const { return isa == CpuIsa::kAvx512; }
  bool has_fma() const { return isa != CpuIsa::kX86_64; }

  /// The machine that this runs on, with as many threads as it has cores available to this process.
  static Target host();
  /// Fields not given come from the host where the ISA is one that it has, else from the ISA. "cpu" is host() with one
  /// thread; "host" is host(). Throws UsageError that names the field and the legal values.
  static Target parse(std::string_view text);
  /// Canonical: parse(str()) is equal, and equal targets print alike. Part of the log's keys.
  std::string str() const;
  friend bool operator==(const Target&, const Target&) = default;
};

}  // namespace nestwright
