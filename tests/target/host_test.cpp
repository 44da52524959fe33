#include "target/description/host.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "target/description/machine.h"

namespace nestwright {
namespace {

// The kernel's view, independent of our cpuid.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) == 0) return line.substr(line.find(':') + 1);
  }
  return {};
}

bool kernel_says(const std::string& flag) {
  return (cpuinfo("flags") + " ").find(" " + flag + " ") != std::string::npos;
}

TEST(Host, FeaturesAgreeWithTheKernel) {
  const Machine m = Machine::host();
  for (const char* flag :
       {"fma", "f16c", "avx2", "avx_vnni", "avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl", "avx512vbmi",
        "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16", "amx_int8"}) {
    EXPECT_EQ(m.has(flag), kernel_says(flag)) << flag;
  }
}

TEST(Host, IsaAgreesWithTheCompilersView) {
  const CpuIsa isa = host_isa();
  EXPECT_EQ(isa >= CpuIsa::kAvx2, bool(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")));
  EXPECT_EQ(isa == CpuIsa::kAvx512, bool(__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")));
}

TEST(Host, ModelAgreesWithTheKernel) {
  const CpuModel m = host_cpu_model();
  EXPECT_EQ(m.family, std::stoi(cpuinfo("cpu family")));
  EXPECT_EQ(m.model, std::stoi(cpuinfo("model\t")));
  EXPECT_EQ(m.stepping, std::stoi(cpuinfo("stepping")));
  EXPECT_EQ(" " + m.vendor, cpuinfo("vendor_id"));
}

TEST(Host, CachesGrowOutwards) {
  const CacheSizes c = host_caches();
  EXPECT_GE(c.l1d, 16 << 10);
  EXPECT_GT(c.l2, c.l1d);
  if (c.l3) {
    EXPECT_GT(c.l3, c.l2);
  }
}

TEST(Host, ThreadsAreThoseAllowed) {
  EXPECT_GE(host_threads(), 1);
  EXPECT_LE(host_threads(), static_cast<int>(std::thread::hardware_concurrency()));
}

TEST(Host, LlvmNames) {
  const auto name = [](const char* vendor, int family, int model, int stepping = 0) {
    return llvm_name({vendor, "", family, model, stepping});
  };
  EXPECT_EQ(name("AuthenticAMD", 26, 0x02), "znver5");
  EXPECT_EQ(name("AuthenticAMD", 26, 0x44), "znver5");
  EXPECT_EQ(name("AuthenticAMD", 25, 17), "znver4");
  EXPECT_EQ(name("AuthenticAMD", 25, 1), "znver3");
  EXPECT_EQ(name("AuthenticAMD", 23, 0x31), "znver2");
  EXPECT_EQ(name("GenuineIntel", 6, 0x8f), "sapphirerapids");
  EXPECT_EQ(name("GenuineIntel", 6, 0x55, 4), "skylake-avx512");
  EXPECT_EQ(name("GenuineIntel", 6, 0x55, 7), "cascadelake");
  EXPECT_EQ(name("GenuineIntel", 6, 1), "");
  EXPECT_EQ(name("Transmeta", 6, 1), "");
}

TEST(Host, AProcessorWithoutANameIsTunedForAsASimilarOne) {
  const CpuFeatures vnni = CpuFeatures().add(CpuFeature::kAvx512Vnni);
  const CpuFeatures bf16 = CpuFeatures(vnni).add(CpuFeature::kAvx512Bf16);
  const CpuFeatures amx = CpuFeatures(bf16).add(CpuFeature::kAmxBf16);
  EXPECT_EQ(llvm_name_of_similar("GenuineIntel", amx), "sapphirerapids");
  EXPECT_EQ(llvm_name_of_similar("GenuineIntel", bf16), "cooperlake");
  EXPECT_EQ(llvm_name_of_similar("GenuineIntel", vnni), "cascadelake");
  EXPECT_EQ(llvm_name_of_similar("GenuineIntel", {}), "");
  EXPECT_EQ(llvm_name_of_similar("AuthenticAMD", bf16), "znver5");
  EXPECT_EQ(llvm_name_of_similar("AuthenticAMD", {}), "");
  EXPECT_EQ(llvm_name_of_similar("Transmeta", amx), "");
}

TEST(Machine, TheFingerprintHoldsWhatTimesDependOn) {
  Machine m = Machine::host();
  EXPECT_EQ(m.fingerprint(), Machine::host().fingerprint());
  const std::string before = m.fingerprint();
  m.kernel = "Linux 99", m.microcode = "0x1";
  EXPECT_EQ(m.fingerprint(), before);
  m.features.push_back("amx_fp16");
  EXPECT_NE(m.fingerprint(), before);
  m = Machine::host();
  m.caches.l2 *= 2;
  EXPECT_NE(m.fingerprint(), before);
  EXPECT_GT(m.memory_bytes, 1 << 28);
  EXPECT_EQ(m.kernel.rfind("Linux ", 0), 0u);
}

}  // namespace
}  // namespace nestwright
