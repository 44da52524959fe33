#include <fmt/format.h>

#include <algorithm>

#include "exporter/source/sources.h"
#include "support/base/error.h"

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
  return fmt::format(R"(
/* Whether processor and operating system have the instructions of {0}. Uses none of them itself. */
static int detect_cpu(void) {{
  unsigned a, b, c, d, state;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & 0x{1:08x}u) != 0x{1:08x}u) return 0;
  __asm__ volatile("xgetbv" : "=a"(state), "=d"(d) : "c"(0));
  if ((state & 0x{4:02x}u) != 0x{4:02x}u) return 0;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & 0x{2:08x}u) != 0x{2:08x}u) return 0;
{5}  return __get_cpuid(0x80000001u, &a, &b, &c, &d) && (c & 0x{3:02x}u) == 0x{3:02x}u;
}}

/* Under a hypervisor cpuid takes longer than a small kernel: it is asked once. */
static int cpu_serves(void) {{
  enum {{ kUnknown, kLacks, kServes }};
  static atomic_int known = kUnknown;
  int state = atomic_load_explicit(&known, memory_order_relaxed);
  if (state == kUnknown) {{
    state = detect_cpu() ? kServes : kLacks;
    atomic_store_explicit(&known, state, memory_order_relaxed);
  }}
  return state == kServes;
}}
)",
                     level.name, level.leaf1_ecx, level.leaf7_ebx, level.extended_ecx, states,
                     extension_checks(extensions));
}

/// Linux grants the registers' state to processes that ask for it; the answer holds for the whole process.
constexpr const char* kTilePermission = R"(
/* Whether the operating system gives this process the tile registers. */
static int tiles_allowed(void) {
  enum { kUnknown, kRefused, kAllowed, kArchPrctl = 158, kRequestPermission = 0x1023, kTileData = 18 };
  static atomic_int known = kUnknown;
  int state = atomic_load_explicit(&known, memory_order_relaxed);
  if (state == kUnknown) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"((long)kArchPrctl), "D"((long)kRequestPermission), "S"((long)kTileData)
                     : "rcx", "r11", "memory");
    state = result == 0 ? kAllowed : kRefused;
    atomic_store_explicit(&known, state, memory_order_relaxed);
  }
  return state == kAllowed;
}
)";

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
      return check_of(kAvx512Level, extensions) + (uses_tiles(extensions) ? kTilePermission : "");
  }
  return {};
}

}  // namespace nestwright
