// What a CPU has beyond its instruction set's level, as far as kernels use it.
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nestwright {

enum class CpuFeature : std::uint8_t {
  kAvx512Vnni,  ///< vpdpbusd, vpdpwssd on vectors of 512 bits and less
  kAvx512Bf16,  ///< vdpbf16ps
  kAvx512Fp16,  ///< arithmetic on float16
  kAmxBf16,     ///< tiles, with products of bfloat16; a process asks the operating system before it uses them
  kAmxInt8,     ///< tiles, with products of bytes
};
inline constexpr int kCpuFeatures = 5;

/// As /proc/cpuinfo calls it: "avx512_vnni".
const char* name_of(CpuFeature feature);
std::optional<CpuFeature> find_cpu_feature(std::string_view name);

class CpuFeatures {
 public:
  bool has(CpuFeature feature) const { return ((bits_ >> static_cast<int>(feature)) & 1) != 0; }
  CpuFeatures& add(CpuFeature feature) {
    bits_ = static_cast<std::uint8_t>(bits_ | 1U << static_cast<int>(feature));
    return *this;
  }
  /// "avx512_vnni+avx512_bf16", in the order of the enumeration; "none" where there is none.
  std::string str() const;
  friend bool operator==(const CpuFeatures&, const CpuFeatures&) = default;

 private:
  std::uint8_t bits_ = 0;
};

/// Those of a processor by the name that LLVM has for it; none where the name is not known. A machine may have fewer:
/// hypervisors hide some.
CpuFeatures features_of_cpu(std::string_view llvm_cpu);

}  // namespace nestwright
