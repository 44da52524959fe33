// The optional features of a CPU, beyond the level of its instruction set, that kernels use.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

/// The features; all imply AVX-512.
enum class CpuFeature : std::uint8_t {
  kAvx512Vnni,  ///< vpdpbusd, vpdpwssd on vectors of 512 bits and less
  kAvx512Bf16,  ///< vdpbf16ps
  kAvx512Fp16,  ///< arithmetic on float16
  kAmxBf16,     ///< tile products of bfloat16; needs permission (target/description/tile_permission.h)
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

/// Returns the features of a processor by LLVM's name for it; none if the name is not known. A machine may have fewer,
/// because hypervisors hide some.
CpuFeatures features_of_cpu(std::string_view llvm_cpu);

}  // namespace nestwright
