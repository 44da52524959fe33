#include "target/description/cpu_features.h"

#include <algorithm>
#include <array>

namespace nestwright {
namespace {

using enum CpuFeature;

constexpr std::array<const char*, kCpuFeatures> kNames = {"avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_bf16",
                                                          "amx_int8"};

}  // namespace

const char* name_of(CpuFeature feature) { return kNames[static_cast<std::size_t>(feature)]; }

std::optional<CpuFeature> find_cpu_feature(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<CpuFeature>(found - kNames.begin());
}

std::string CpuFeatures::str() const {
  std::string text;
  for (int i = 0; i < kCpuFeatures; ++i) {
    if (!has(static_cast<CpuFeature>(i))) continue;
    text += text.empty() ? "" : "+";
    text += kNames[static_cast<std::size_t>(i)];
  }
  return text.empty() ? "none" : text;
}

CpuFeatures features_of_cpu(std::string_view llvm_cpu) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), llvm_cpu) != names.end();
  };
  CpuFeatures features;
  const bool has_amx = is_one_of({"sapphirerapids", "emeraldrapids", "graniterapids"});
  const bool has_bf16 = has_amx || is_one_of({"cooperlake", "znver4", "znver5"});
  if (has_bf16 || is_one_of({"cascadelake", "icelake-server", "icelake-client", "rocketlake", "tigerlake"})) {
    features.add(kAvx512Vnni);
  }
  if (has_bf16) features.add(kAvx512Bf16);
  if (has_amx) features.add(kAvx512Fp16).add(kAmxBf16).add(kAmxInt8);
  return features;
}

}  // namespace nestwright
