// The machine that code is generated for: everything that schedules and kernels depend on, and the conditions under
// which kernels are timed.
//
// A CPU is written "cpu,isa=avx512,threads=2". Fields that differ from what the ISA implies or the host has follow:
// vector_bits, vector_registers, l1d, l2, l3 (bytes), llvm_cpu (a name that LLVM knows, or generic), features (names
// joined by +, or none) if they are not those of that CPU. A GPU is written "cuda,arch=sm_90" or "opencl", with further
// fields likewise: multiprocessors, shared, threads_per_block, warp, registers_per_thread, registers_per_block, l2.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/type.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// The features; all imply AVX-512.
enum class CpuFeature : std::uint8_t {
  kAvx512Vnni,  ///< vpdpbusd, vpdpwssd on vectors of 512 bits and less
  kAvx512Bf16,  ///< vdpbf16ps
  kAvx512Fp16,  ///< arithmetic on float16
  kAmxBf16,     ///< tile products of bfloat16; needs permission
  kAmxInt8,     ///< tile products of bytes; likewise
};
inline constexpr int kCpuFeatures = 5;

/// Returns the name in /proc/cpuinfo, e.g. "avx512_vnni".
const char* name_of(CpuFeature feature);
/// The inverse of name_of. Absent for an unknown name.
std::optional<CpuFeature> find_cpu_feature(std::string_view name);

/// A set of features.
class CpuFeatures {
 public:
  bool has(CpuFeature feature) const { return ((bits_ >> static_cast<int>(feature)) & 1) != 0; }
  CpuFeatures& add(CpuFeature feature) {
    bits_ = static_cast<std::uint8_t>(bits_ | 1U << static_cast<int>(feature));
    return *this;
  }
  /// "avx512_vnni+avx512_bf16", in the order of the enumeration; "none" for the empty set.
  std::string str() const;
  friend bool operator==(const CpuFeatures&, const CpuFeatures&) = default;

 private:
  std::uint8_t bits_ = 0;
};

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

/// What the caches contain when a timed call of a kernel begins.
enum class CacheState : std::uint8_t {
  kWarm,  ///< the tensors of the previous call, as far as they fit
  kCold,  ///< none of its tensors: calls rotate through copies that are together twice as large as the last cache
  /// As between the layers of a network: the threads of the kernel have just written its inputs, and the operands that
  /// are constant, such as weights, are in no cache.
  kStream,
};

/// "warm", "cold" or "stream". Do not change these names: databases store them.
const char* cache_state_name(CacheState state);
std::vector<std::string> cache_state_names();
/// The inverse of cache_state_name. Throws UsageError that lists the names.
CacheState parse_cache_state(std::string_view name);

/// The resources of a multiprocessor that a kernel uses, as the device's compiler reports them.
struct KernelResources {
  std::string kernel;
  int registers = 0;              ///< per thread
  std::int64_t spill_bytes = 0;   ///< per thread: spill stores plus spill loads
  std::int64_t stack_bytes = 0;   ///< per thread
  std::int64_t shared_bytes = 0;  ///< per block, static and dynamic, without the system's reserve
  int threads = 0;                ///< per block; 0: not known before the call
  double occupancy = 0;           ///< resident warps / the most possible, in 0 .. 1; 0: none, or not known
};

/// The compiler's optimisation pipeline. The numbers are part of the log's keys and never change.
enum class Pipeline : std::uint8_t {
  kSearch = 0,  ///< a few passes, about 15 ms a candidate
  kFinal = 1,   ///< stronger, for winners and exports
};

/// The highest rates ever measured on a machine, which bound every kernel on it. 0: not measured, so no limit.
struct MachineLimits {
  double fma_gflops = 0;  ///< GFLOP/s of float32 fused multiply-adds in registers, all threads together
  double read_gb_s = 0;   ///< GB/s of reads from L1, all threads together

  friend bool operator==(const MachineLimits&, const MachineLimits&) = default;
};

}  // namespace nestwright

#pragma GCC visibility pop
