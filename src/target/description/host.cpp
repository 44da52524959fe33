#include "target/description/host.h"

#include <cpuid.h>
#include <sched.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <string>

namespace nestwright {

namespace {

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

// All zero if the processor does not have this leaf.
Registers cpuid(unsigned leaf, unsigned subleaf = 0) {
  Registers r;
  if (!__get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d)) return {};
  return r;
}

bool bit(unsigned value, int n) { return (value >> n) & 1; }

// The register states that the operating system saves and restores; 0 if it saves none.
std::uint64_t saved_states() {
  if (!bit(cpuid(1).c, 27)) return 0;  // OSXSAVE
  unsigned low = 0, high = 0;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

constexpr std::uint64_t kAvxStates = 0x6, kAvx512States = 0xe6, kAmxStates = 0x60000;
bool saves(std::uint64_t states) { return (saved_states() & states) == states; }

// Type 1 is data, 2 instruction, 3 unified, in both vendors' leaves.
CacheSizes caches_by_cpuid() {
  CacheSizes sizes;
  for (unsigned leaf : {4u, 0x8000001du}) {
    for (unsigned i = 0; i < 16; ++i) {
      const Registers r = cpuid(leaf, i);
      const unsigned type = r.a & 31, level = (r.a >> 5) & 7;
      if (type == 0) break;
      if (type == 2) continue;
      const std::int64_t bytes =
          std::int64_t{(r.b >> 22) + 1} * (((r.b >> 12) & 1023) + 1) * ((r.b & 4095) + 1) * (std::int64_t{r.c} + 1);
      if (level == 1) sizes.l1d = bytes;
      if (level == 2) sizes.l2 = bytes;
      if (level == 3) sizes.l3 = bytes;
    }
    if (sizes.l1d) break;
  }
  return sizes;
}

// The kernel's data takes precedence, because hypervisors sometimes pass on a leaf that does not describe the guest.
CacheSizes caches_by_sysfs() {
  CacheSizes sizes;
  for (int i = 0; i < 8; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::string type, size;
    int level = 0;
    if (!(std::ifstream(folder + "type") >> type) || !(std::ifstream(folder + "size") >> size) ||
        !(std::ifstream(folder + "level") >> level)) {
      break;
    }
    if (type == "Instruction" || size.empty()) continue;
    const std::int64_t unit = size.back() == 'M' ? 1 << 20 : size.back() == 'K' ? 1 << 10 : 1;
    const std::int64_t bytes = std::strtoll(size.c_str(), nullptr, 10) * unit;
    if (level == 1) sizes.l1d = bytes;
    if (level == 2) sizes.l2 = bytes;
    if (level == 3) sizes.l3 = bytes;
  }
  return sizes;
}

CpuIsa detect_isa() {
  const Registers one = cpuid(1), seven = cpuid(7);
  const bool avx2 = saves(kAvxStates) && bit(one.c, 12) /* fma */ && bit(one.c, 29) /* f16c */ &&
                    bit(seven.b, 3) /* bmi1 */ && bit(seven.b, 5) /* avx2 */ && bit(seven.b, 8) /* bmi2 */;
  const bool avx512 = avx2 && saves(kAvx512States) && bit(seven.b, 16) /* f */ && bit(seven.b, 17) /* dq */ &&
                      bit(seven.b, 28) /* cd */ && bit(seven.b, 30) /* bw */ && bit(seven.b, 31) /* vl */;
  return avx512 ? CpuIsa::kAvx512 : avx2 ? CpuIsa::kAvx2 : CpuIsa::kX86_64;
}

CacheSizes detect_caches() {
  const CacheSizes cpuid_sizes = caches_by_cpuid();
  CacheSizes sizes = caches_by_sysfs();
  if (!sizes.l1d) sizes.l1d = cpuid_sizes.l1d;
  if (!sizes.l2) sizes.l2 = cpuid_sizes.l2;
  if (!sizes.l3) sizes.l3 = cpuid_sizes.l3;
  return sizes;
}

CpuModel detect_cpu_model() {
  CpuModel m;
  const Registers zero = cpuid(0);
  const unsigned vendor[3] = {zero.b, zero.d, zero.c};
  m.vendor.assign(reinterpret_cast<const char*>(vendor), sizeof vendor);
  const unsigned signature = cpuid(1).a;
  m.family = static_cast<int>((signature >> 8) & 15);
  m.model = static_cast<int>((signature >> 4) & 15);
  m.stepping = static_cast<int>(signature & 15);
  if (m.family == 6 || m.family == 15) m.model += static_cast<int>((signature >> 16) & 15) << 4;
  if (m.family == 15) m.family += static_cast<int>((signature >> 20) & 255);
  if (cpuid(0x80000000u).a >= 0x80000004u) {
    for (unsigned leaf = 0x80000002u; leaf <= 0x80000004u; ++leaf) {
      const Registers r = cpuid(leaf);
      m.name.append(reinterpret_cast<const char*>(&r), sizeof r);
    }
    m.name.resize(std::strlen(m.name.c_str()));
    while (!m.name.empty() && std::isspace(static_cast<unsigned char>(m.name.back()))) m.name.pop_back();
    m.name.erase(0, m.name.find_first_not_of(' '));
  }
  return m;
}

std::vector<std::string> detect_features() {
  const Registers one = cpuid(1), seven = cpuid(7), seven_one = cpuid(7, 1);
  const bool avx = saves(kAvxStates), avx512 = saves(kAvx512States), amx = saves(kAmxStates);
  std::vector<std::string> features;
  const auto add = [&](bool present, const char* name) {
    if (present) features.emplace_back(name);
  };
  add(avx && bit(one.c, 12), "fma");
  add(avx && bit(one.c, 29), "f16c");
  add(avx && bit(seven.b, 5), "avx2");
  add(avx && bit(seven_one.a, 4), "avx_vnni");
  add(avx512 && bit(seven.b, 16), "avx512f");
  add(avx512 && bit(seven.b, 17), "avx512dq");
  add(avx512 && bit(seven.b, 28), "avx512cd");
  add(avx512 && bit(seven.b, 30), "avx512bw");
  add(avx512 && bit(seven.b, 31), "avx512vl");
  add(avx512 && bit(seven.c, 1), "avx512vbmi");
  add(avx512 && bit(seven.c, 11), "avx512_vnni");
  add(avx512 && bit(seven_one.a, 5), "avx512_bf16");
  add(avx512 && bit(seven.d, 23), "avx512_fp16");
  add(amx && bit(seven.d, 24), "amx_tile");
  add(amx && bit(seven.d, 22), "amx_bf16");
  add(amx && bit(seven.d, 25), "amx_int8");
  return features;
}

}  // namespace

// What does not change while the process runs is detected once: in a virtual machine, each cpuid is a call of the
// hypervisor, which takes tens of microseconds.

CpuIsa host_isa() {
  static const CpuIsa isa = detect_isa();
  return isa;
}

CacheSizes host_caches() {
  static const CacheSizes sizes = detect_caches();
  return sizes;
}

std::int64_t last_cache_bytes() {
  const CacheSizes sizes = host_caches();
  return std::max<std::int64_t>({sizes.l2, sizes.l3, std::int64_t{1} << 20});
}

int host_threads() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

CpuModel host_cpu_model() {
  static const CpuModel model = detect_cpu_model();
  return model;
}

std::string llvm_name(const CpuModel& m) {
  if (m.vendor == "AuthenticAMD") {
    if (m.family == 0x17) return m.model >= 0x30 ? "znver2" : "znver1";
    if (m.family == 0x19) {
      const bool zen4 = (m.model >= 0x10 && m.model <= 0x1f) || (m.model >= 0x60 && m.model <= 0xaf);
      return zen4 ? "znver4" : "znver3";
    }
    if (m.family == 0x1a) return "znver5";
    return {};
  }
  if (m.vendor == "GenuineIntel" && m.family == 6) {
    switch (m.model) {
      case 0x3c:
      case 0x3f:
      case 0x45:
      case 0x46:
        return "haswell";
      case 0x3d:
      case 0x47:
      case 0x4f:
      case 0x56:
        return "broadwell";
      case 0x4e:
      case 0x5e:
      case 0x8e:
      case 0x9e:
        return "skylake";
      case 0x55:
        return m.stepping >= 10 ? "cooperlake" : m.stepping >= 5 ? "cascadelake" : "skylake-avx512";
      case 0x6a:
      case 0x6c:
        return "icelake-server";
      case 0x8f:
        return "sapphirerapids";
      case 0xcf:
        return "emeraldrapids";
      case 0xad:
      case 0xae:
        return "graniterapids";
      case 0x97:
      case 0x9a:
      case 0xb7:
      case 0xba:
      case 0xbf:
        return "alderlake";
      default:
        return {};
    }
  }
  return {};
}

std::string llvm_name_of_similar(std::string_view vendor, CpuFeatures features) {
  if (vendor == "AuthenticAMD") return features.has(CpuFeature::kAvx512Bf16) ? "znver5" : "";
  if (vendor != "GenuineIntel") return {};
  if (features.has(CpuFeature::kAmxBf16)) return "sapphirerapids";
  if (features.has(CpuFeature::kAvx512Bf16)) return "cooperlake";
  return features.has(CpuFeature::kAvx512Vnni) ? "cascadelake" : "";
}

std::vector<std::string> host_features() {
  static const std::vector<std::string> features = detect_features();
  return features;
}

CpuFeatures host_cpu_features() {
  CpuFeatures features;
  if (host_isa() != CpuIsa::kAvx512) return features;
  for (const std::string& name : host_features()) {
    if (const auto feature = find_cpu_feature(name)) features.add(*feature);
  }
  return features;
}

}  // namespace nestwright
