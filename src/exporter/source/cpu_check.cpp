#include <fmt/format.h>

#include <algorithm>

#include "exporter/source/c_text.h"
#include "exporter/source/sources.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

/// The instructions of LLVM's x86-64-v3 and x86-64-v4, which are all that the code generator may use besides
/// extensions, as bits of cpuid and of the register state that the operating system saves.
struct CpuLevel {
  const char* name;
  std::uint32_t leaf1_ecx;       ///< sse3 ssse3 fma cx16 sse4.1 sse4.2 movbe popcnt osxsave avx f16c
  std::uint32_t leaf7_ebx;       ///< bmi1 avx2 bmi2, then avx512f dq cd bw vl
  std::uint32_t extended_ecx;    ///< lahf lzcnt
  std::uint32_t register_state;  ///< xmm ymm, then the masks and zmm
};
constexpr CpuLevel kAvx2Level{"x86-64-v3 (AVX2, FMA)", 0x38D83201, 0x00000128, 0x21, 0x06};
constexpr CpuLevel kAvx512Level{"x86-64-v4 (AVX-512)", 0x38D83201, 0xD0030128, 0x21, 0xE6};

/// A bit of cpuid leaf 7.
struct ExtensionBit {
  const char* name;
  int subleaf;
  char reg;
  int bit;
};
constexpr ExtensionBit kExtensions[] = {{"avx512_vnni", 0, 'c', 11}, {"avx512_bf16", 1, 'a', 5},
                                        {"avx512_fp16", 0, 'd', 23}, {"amx_tile", 0, 'd', 24},
                                        {"amx_bf16", 0, 'd', 22},    {"amx_int8", 0, 'd', 25}};
constexpr std::uint32_t kTileState = 0x60000;  ///< the shapes and the data of the tiles

const ExtensionBit& bit_of(const std::string& extension) {
  for (const ExtensionBit& known : kExtensions) {
    if (extension == known.name) return known;
  }
  throw InternalError("internal error: no check for the extension " + extension);
}

/// Returns the tests of the extensions, which assume that leaf 7 has been read and leave another subleaf in a to d.
std::string extension_checks(const std::vector<std::string>& extensions) {
  std::string text;
  for (const int subleaf : {0, 1}) {
    bool read = subleaf == 0;
    for (const std::string& extension : extensions) {
      const ExtensionBit& bit = bit_of(extension);
      if (bit.subleaf != subleaf) continue;
      if (!read) text += "  if (!__get_cpuid_count(7, 1, &a, &b, &c, &d)) return 0;\n";
      read = true;
      text += fmt::format("  if (!({} >> {} & 1u)) return 0; /* {} */\n", bit.reg, bit.bit, extension);
    }
  }
  return text;
}

std::string check_of(const CpuLevel& level, const std::vector<std::string>& extensions) {
  const std::uint32_t states = level.register_state | (uses_tiles(extensions) ? kTileState : 0);
  return "\n" + c_text("library/cpu_check", {{"LEVEL", level.name},
                                             {"LEAF1_ECX", fmt::format("{:08x}", level.leaf1_ecx)},
                                             {"LEAF7_EBX", fmt::format("{:08x}", level.leaf7_ebx)},
                                             {"EXTENDED_ECX", fmt::format("{:02x}", level.extended_ecx)},
                                             {"STATES", fmt::format("{:02x}", states)},
                                             {"EXTENSIONS", extension_checks(extensions)}});
}

}  // namespace

bool uses_tiles(const std::vector<std::string>& extensions) {
  return std::any_of(extensions.begin(), extensions.end(),
                     [](const std::string& name) { return name.starts_with("amx_"); });
}

std::string cpu_check_source(CpuIsa isa, const std::vector<std::string>& extensions) {
  switch (isa) {
    case CpuIsa::kX86_64:
      return "\n/* Every x86-64 processor has the instructions. */\nstatic int cpu_serves(void) { return 1; }\n";
    case CpuIsa::kAvx2:
      return check_of(kAvx2Level, extensions);
    case CpuIsa::kAvx512:
      return check_of(kAvx512Level, extensions) +
             (uses_tiles(extensions) ? "\n" + c_text("library/tile_permission") : "");
  }
  return {};
}

}  // namespace nestwright
