#include <fmt/format.h>
#include <fmt/ranges.h>

#include "exporter/sources.h"
#include "support/error.h"

namespace nestwright {
namespace {

/// The instructions of LLVM's x86-64-v3 and x86-64-v4, which is all that the code generator may use but for extensions,
/// as bits of cpuid and of the register state that the operating system keeps.
struct CpuLevel {
  const char* name;
  std::uint32_t leaf1_ecx;       ///< sse3 ssse3 fma cx16 sse4.1 sse4.2 movbe popcnt osxsave avx f16c
  std::uint32_t leaf7_ebx;       ///< bmi1 avx2 bmi2, then avx512f dq cd bw vl
  std::uint32_t extended_ecx;    ///< lahf lzcnt
  std::uint32_t register_state;  ///< xmm ymm, then the masks and zmm
};
constexpr CpuLevel kAvx2Level{"x86-64-v3 (AVX2, FMA)", 0x38D83201, 0x00000128, 0x21, 0x06};
constexpr CpuLevel kAvx512Level{"x86-64-v4 (AVX-512)", 0x38D83201, 0xD0030128, 0x21, 0xE6};

/// Bits of leaf 7, ecx.
std::uint32_t leaf7_ecx(const std::vector<std::string>& extensions) {
  std::uint32_t bits = 0;
  for (const std::string& extension : extensions) {
    if (extension != "avx512_vnni") throw InternalError("internal error: no check for the extension " + extension);
    bits |= 1U << 11;
  }
  return bits;
}

std::string check_of(const CpuLevel& level, const std::vector<std::string>& extensions) {
  std::string more;
  if (const std::uint32_t bits = leaf7_ecx(extensions); bits != 0) {
    more = fmt::format("  if ((c & 0x{0:08x}u) != 0x{0:08x}u) return 0; /* {1} */\n", bits, fmt::join(extensions, " "));
  }
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
                     level.name, level.leaf1_ecx, level.leaf7_ebx, level.extended_ecx, level.register_state, more);
}

}  // namespace

std::string cpu_check_source(CpuIsa isa, const std::vector<std::string>& extensions) {
  switch (isa) {
    case CpuIsa::kX86_64:
      return "\n/* Every x86-64 processor has the instructions. */\nstatic int cpu_serves(void) { return 1; }\n";
    case CpuIsa::kAvx2:
      return check_of(kAvx2Level, extensions);
    case CpuIsa::kAvx512:
      return check_of(kAvx512Level, extensions);
  }
  return {};
}

}  // namespace nestwright
