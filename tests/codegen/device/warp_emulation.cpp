#include "tests/codegen/device/warp_emulation.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "ir/gpu/launch.h"
#include "support/os/scratch_folder.h"
#include "tests/codegen/device/access_counts.h"
#include "tests/codegen/device/copy_instructions.h"
#include "tests/codegen/device/warpgroup_instructions.h"

namespace nestwright::testing {
namespace {

// The text before the source.
constexpr const char* kThreads = R"(
#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __shared__ static __attribute__((section("nw_shared")))
#define __align__(n) __attribute__((aligned(n)))
struct Index { unsigned x, y, z; };
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
struct int2 { int x, y; };
struct int4 { int x, y, z, w; };
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
static float2 make_float2(float x, float y) { return {x, y}; }
static float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static int2 make_int2(int x, int y) { return {x, y}; }
static int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
static uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static thread_local Index threadIdx, blockIdx;
static pthread_barrier_t of_block, of_warp[32];
static void __syncthreads() { pthread_barrier_wait(&of_block); }

struct Warp { const unsigned short* rows[32]; unsigned a[32][4], b[32][2]; };
static Warp warps[32];
static unsigned thread_number();
static unsigned warp_number() { return thread_number() / 32; }
static unsigned lane() { return thread_number() % 32; }
static void meet() { pthread_barrier_wait(&of_warp[warp_number()]); }
#ifndef NW_COUNTS
static void nw_note(const void*, const char*, const void*, unsigned) {}
#endif
)";

// The text after that and the counters. NW_TYPE is the type of A and B: 0 float16, 1 bfloat16, 2 int8, 3 uint8 by int8,
// 4 float32, multiplied as tf32.
constexpr const char* kInstructions = R"(

static float of_half(unsigned bits) {
  unsigned wide = bits << 16;
  if (!(NW_TYPE == 1)) wide = (bits & 0x7fff) == 0 ? 0 : (bits & 0x8000) << 16 | ((bits & 0x7fff) + (112 << 10)) << 13;
  float x;
  memcpy(&x, &wide, 4);
  return x;
}
static unsigned short to_half(float x) {
  unsigned wide;
  memcpy(&wide, &x, 4);
  if ((NW_TYPE == 1)) return wide >> 16;
  return x == 0 ? 0 : (wide >> 16 & 0x8000) | ((wide & 0x7fffffff) >> 13) - (112 << 10);
}

static float __uint_as_float(unsigned bits) {
  float x;
  memcpy(&x, &bits, 4);
  return x;
}
static unsigned __float_as_uint(float x) {
  unsigned bits;
  memcpy(&bits, &x, 4);
  return bits;
}
static unsigned short nw_bfloat16_of_float32(float x) { return to_half(x); }

// Lanes 8m .. 8m + 7 pass the rows of matrix m; a lane receives elements 2*(lane%4) and the next of row lane/4.
static void ldmatrix(unsigned* const* to, const void* row, bool transposed) {
  Warp& warp = warps[warp_number()];
  nw_note(__builtin_return_address(1), "loads by ldmatrix", row, 16);
  if ((unsigned long)row % 16 != 0) { puts("a row is not aligned"); __builtin_trap(); }
  warp.rows[lane()] = (const unsigned short*)row;
  meet();
  for (unsigned m = 0; m < 4; ++m) {
    unsigned halves[2];
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned r = lane() / 4, c = lane() % 4 * 2 + e;
      halves[e] = transposed ? warp.rows[8 * m + c][r] : warp.rows[8 * m + r][c];
    }
    *to[m] = halves[0] | halves[1] << 16;
  }
  meet();
}
static void nw_ldmatrix(unsigned* r0, unsigned* r1, unsigned* r2, unsigned* r3, const void* row) {
  unsigned* const to[] = {r0, r1, r2, r3};
  ldmatrix(to, row, false);
}
static void nw_ldmatrix_tf32(unsigned* r0, unsigned* r1, unsigned* r2, unsigned* r3, const void* row) {
  nw_ldmatrix(r0, r1, r2, r3, row);
}
static void nw_round_register(unsigned* x) { *x = *x + 0x1000 & ~0x1fff; }
static void nw_ldmatrix_transposed(unsigned* r0, unsigned* r1, unsigned* r2, unsigned* r3, const void* row) {
  unsigned* const to[] = {r0, r1, r2, r3};
  ldmatrix(to, row, true);
}

// Registers that were not rounded have bits that the instruction would drop, which changes the result.
static void nw_mma_tf32(float* c0, float* c1, float* c2, float* c3, unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                        unsigned b0, unsigned b1) {
  float* const c[] = {c0, c1, c2, c3};
  const unsigned a[] = {a0, a1, a2, a3}, b[] = {b0, b1};
  Warp& warp = warps[warp_number()];
  memcpy(warp.a[lane()], a, 16);
  memcpy(warp.b[lane()], b, 8);
  meet();
  float A[16][8], B[8][8];
  for (unsigned l = 0; l < 32; ++l) {
    const unsigned group = l >> 2, in_group = l % 4;
    for (unsigned i = 0; i < 4; ++i) {
      A[i == 0 || i == 2 ? group : group + 8][i < 2 ? in_group : in_group + 4] = __uint_as_float(warp.a[l][i]);
    }
    for (unsigned i = 0; i < 2; ++i) B[i == 0 ? in_group : in_group + 4][group] = __uint_as_float(warp.b[l][i]);
  }
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = i < 2 ? lane() >> 2 : (lane() >> 2) + 8, column = lane() % 4 * 2 + (i & 1);
    for (unsigned k = 0; k < 8; ++k) *c[i] += A[row][k] * B[k][column];
  }
  meet();
}

template <class T>
static void mma_of_bytes(int* const* c, const unsigned* a, const unsigned* b) {
  Warp& warp = warps[warp_number()];
  memcpy(warp.a[lane()], a, 16);
  memcpy(warp.b[lane()], b, 8);
  meet();
  int A[16][32], B[32][8];
  for (unsigned l = 0; l < 32; ++l) {
    const unsigned group = l >> 2, in_group = l % 4;
    for (unsigned i = 0; i < 16; ++i) {
      const unsigned row = i < 4 || (8 <= i && i < 12) ? group : group + 8;
      const unsigned column = in_group * 4 + (i & 3) + (i < 8 ? 0 : 16);
      A[row][column] = (T)(warp.a[l][i / 4] >> 8 * (i % 4));
    }
    for (unsigned i = 0; i < 8; ++i) {
      B[in_group * 4 + (i & 3) + (i < 4 ? 0 : 16)][group] = (signed char)(warp.b[l][i / 4] >> 8 * (i % 4));
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = i < 2 ? lane() >> 2 : (lane() >> 2) + 8, column = lane() % 4 * 2 + (i & 1);
    for (unsigned k = 0; k < 32; ++k) *c[i] += A[row][k] * B[k][column];
  }
  meet();
}
static void nw_mma_int8(int* c0, int* c1, int* c2, int* c3, unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                        unsigned b0, unsigned b1) {
  int* const c[] = {c0, c1, c2, c3};
  const unsigned a[] = {a0, a1, a2, a3}, b[] = {b0, b1};
  mma_of_bytes<signed char>(c, a, b);
}
static void nw_mma_uint8(int* c0, int* c1, int* c2, int* c3, unsigned a0, unsigned a1, unsigned a2, unsigned a3,
                         unsigned b0, unsigned b1) {
  int* const c[] = {c0, c1, c2, c3};
  const unsigned a[] = {a0, a1, a2, a3}, b[] = {b0, b1};
  mma_of_bytes<unsigned char>(c, a, b);
}

static unsigned half_of(const unsigned* registers, unsigned i) { return registers[i / 2] >> 16 * (i % 2) & 0xffff; }
static void mma(float* const* c, const unsigned* a, const unsigned* b) {
  Warp& warp = warps[warp_number()];
  memcpy(warp.a[lane()], a, 16);
  memcpy(warp.b[lane()], b, 8);
  meet();
  float A[16][16], B[16][8];
  for (unsigned l = 0; l < 32; ++l) {
    const unsigned group = l >> 2, in_group = l % 4;
    for (unsigned i = 0; i < 8; ++i) {
      const unsigned row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
      const unsigned column = i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
      A[row][column] = of_half(half_of(warp.a[l], i));
    }
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned row = i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
      B[row][group] = of_half(half_of(warp.b[l], i));
    }
  }
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = i < 2 ? lane() >> 2 : (lane() >> 2) + 8, column = lane() % 4 * 2 + (i & 1);
    for (unsigned k = 0; k < 16; ++k) *c[i] += A[row][k] * B[k][column];
  }
  meet();
}
static void nw_mma_float16(float* c0, float* c1, float* c2, float* c3, unsigned a0, unsigned a1, unsigned a2,
                           unsigned a3, unsigned b0, unsigned b1) {
  float* const c[] = {c0, c1, c2, c3};
  const unsigned a[] = {a0, a1, a2, a3}, b[] = {b0, b1};
  mma(c, a, b);
}
static void nw_mma_bfloat16(float* c0, float* c1, float* c2, float* c3, unsigned a0, unsigned a1, unsigned a2,
                            unsigned a3, unsigned b0, unsigned b1) {
  nw_mma_float16(c0, c1, c2, c3, a0, a1, a2, a3, b0, b1);
}
)";

// The text after the source: sizes NW_M, NW_N, NW_K; NW_TA and NW_TB; NW_X by NW_Y blocks of NW_BLOCK_X by
// NW_BLOCK_Y by NW_BLOCK_Z threads, whose instructions of warps need whole ones.
constexpr const char* kMain = R"(
static unsigned thread_number() { return threadIdx.x + NW_BLOCK_X * (threadIdx.y + NW_BLOCK_Y * threadIdx.z); }
#if NW_TYPE < 2
typedef unsigned short OfA;
typedef unsigned short OfB;
typedef float OfC;
#define AS_STORED to_half
#elif NW_TYPE == 4
typedef float OfA;
typedef float OfB;
typedef float OfC;
// A value that rounds to `x`, up or down.
static float AS_STORED(int x) { return x * (x % 2 == 0 ? 1 + 0x1p-14f : 1 - 0x1p-14f); }
#else
#if NW_TYPE == 2
typedef signed char OfA;
#else
typedef unsigned char OfA;
#endif
typedef signed char OfB;
typedef int OfC;
#define AS_STORED
#endif
alignas(16) static OfA A[NW_M * NW_K];
alignas(16) static OfB B[NW_K * NW_N];
static OfC C[NW_M * NW_N];
struct Place { Index block, thread; };
static void* run(void* at) {
  blockIdx = ((Place*)at)->block, threadIdx = ((Place*)at)->thread;
#ifdef NW_COUNTS
  const auto pointer = [](auto* to) { return Counted<std::remove_pointer_t<decltype(to)>>(to); };
  NW_KERNEL(pointer((const OfA*)A), pointer((const OfB*)B), pointer((OfC*)C));
#else
  NW_KERNEL(A, B, C);
#endif
  return nullptr;
}
static int a_at(int i, int k) { return (i * 31 + k * 17 + i * k * 7) % 17 - 8 + (NW_TYPE == 3 ? 140 : 0); }
static int b_at(int k, int j) { return (j * 13 + k * 29 + j * k * 5) % 19 - 9; }
int main() {
  for (int i = 0; i < NW_M; ++i)
    for (int k = 0; k < NW_K; ++k) A[NW_TA ? k * NW_M + i : i * NW_K + k] = AS_STORED(a_at(i, k));
  for (int j = 0; j < NW_N; ++j)
    for (int k = 0; k < NW_K; ++k) B[NW_TB ? j * NW_K + k : k * NW_N + j] = AS_STORED(b_at(k, j));
#ifdef NW_COUNTS
  nw_array("A", A, sizeof A, false), nw_array("B", B, sizeof B, false), nw_array("C", C, sizeof C, false);
#endif
  constexpr unsigned kThreads = NW_BLOCK_X * NW_BLOCK_Y * NW_BLOCK_Z;
  pthread_barrier_init(&of_block, nullptr, kThreads);
  for (pthread_barrier_t& warp : of_warp) pthread_barrier_init(&warp, nullptr, 32);
#ifdef NW_WARPGROUPS
  for (Warpgroup& group : warpgroups) pthread_barrier_init(&group.all, nullptr, 128);
#endif
  for (unsigned y = 0; y < NW_Y; ++y) {
    for (unsigned x = 0; x < NW_X; ++x) {
      Place places[kThreads];
      pthread_t threads[kThreads];
      for (unsigned t = 0; t < kThreads; ++t) {
        places[t] = {{x, y, 0}, {t % NW_BLOCK_X, t / NW_BLOCK_X % NW_BLOCK_Y, t / NW_BLOCK_X / NW_BLOCK_Y}};
        pthread_create(&threads[t], nullptr, run, &places[t]);
      }
      for (pthread_t thread : threads) pthread_join(thread, nullptr);
#ifdef NW_COUNTS
      nw_count();
#endif
    }
  }
  for (int i = 0; i < NW_M; ++i) {
    for (int j = 0; j < NW_N; ++j) {
      int sum = 0;
      for (int k = 0; k < NW_K; ++k) sum += a_at(i, k) * b_at(k, j);
      if (C[i * NW_N + j] != sum) return printf("C[%d, %d] is %g, not %d\n", i, j, (double)C[i * NW_N + j], sum), 1;
    }
  }
#ifdef NW_COUNTS
  nw_print_accesses();
  printf("copies in flight behind a wait: %u groups\n", most_in_flight);
#endif
  return 0;
}
)";

/// The C equivalent of a line of inline PTX that commits or awaits copies or warpgroup products; empty for other lines.
std::string waiting_statement(const std::string& line) {
  static const std::regex group("cp\\.async\\.wait_group ([0-9]+);");
  std::smatch found;
  if (std::regex_search(line, found, group)) return "nw_wait_for_copies(" + found[1].str() + ");";
  if (line.find("cp.async.wait_all;") != std::string::npos) return "nw_wait_for_all_copies();";
  if (line.find("cp.async.commit_group;") != std::string::npos) return "nw_commit_copies();";
  if (line.find("wgmma.wait_group.sync.aligned 0;") != std::string::npos) return "nw_wait_for_products();";
  return "";
}

/// `source` without statements and functions of inline PTX, and with as much shared memory as a launch gives.
std::string without_instructions(const std::string& source) {
  std::string result, function;
  std::istringstream lines(source);
  bool in_function = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("asm volatile(") != std::string::npos && line.ends_with(";")) {
      (in_function ? function : result) += waiting_statement(line) + "\n";
      continue;
    }
    if (line.find("extern __shared__") != std::string::npos) {
      line = "__align__(1024) __shared__ unsigned char nw_shared[232448];";
    }
    in_function = in_function || line.starts_with("static __device__");
    if (!in_function) {
      result += line + "\n";
      continue;
    }
    function += line + "\n";
    if (line != "}" && !(line.starts_with("static __device__") && line.ends_with(" }"))) continue;
    if (function.find("asm") == std::string::npos) result += function;
    function.clear();
    in_function = false;
  }
  return result;
}

/// The definitions of the warpgroup instructions that `source` calls.
std::string warpgroup_instructions(const std::string& source) {
  static const std::regex call("nw_wgmma_([a-z]*)(float16|int8)_([0-9]+)(_a)?(?:_swizzled_a)?(_b)?(?:_swizzled_b)?\\(");
  std::string text;
  std::set<std::string> defined;
  for (std::sregex_iterator found(source.begin(), source.end(), call), end; found != end; ++found) {
    if (text.empty()) text = std::string("#define NW_WARPGROUPS\n") + kWarpgroupInstructions;
    if (!defined.insert(found->str()).second) continue;
    const bool of_bytes = (*found)[2] == "int8", is_unsigned = (*found)[1] == "u";
    text += fmt::format(
        "static void {}{}* top, {}* bottom, unsigned long long a, unsigned long long b) {{\n"
        "  wgmma<{}, {}, {}, {}, {}>(top, bottom, a, b);\n}}\n",
        found->str(), of_bytes ? "int" : "float", of_bytes ? "int" : "float", found->str(3), (*found)[4].matched,
        (*found)[5].matched,
        !of_bytes     ? "unsigned short"
        : is_unsigned ? "unsigned char"
                      : "signed char",
        of_bytes ? "signed char" : "unsigned short");
  }
  return text;
}

/// `source` with all accesses through Counted, except those of registers.
std::string with_counted_accesses(std::string source) {
  const std::pair<const char*, const char*> changes[] = {
      {R"((const )?([a-z_0-9 ]+)\* __restrict__ (\w+))", "Counted<$1$2> $3"},
      {R"(__shared__ __align__\(([0-9]+)\) ([a-z ]+) (\w+)\[([0-9]+)\];)",
       "__shared__ __align__($1) $2 $3_array[$4]; const Counted<$2> $3($3_array); nw_array(\"$3\", $3_array, sizeof "
       "$3_array, true);"},
      {R"(([a-z ]+)\* const (\w+) = \(\1\*\)\(nw_shared \+ ([0-9]+)\);)",
       "const Counted<$1> $2(nw_shared + $3); nw_array(\"$2\", nw_shared + $3, 1 << 20, true);"},
      {R"(\*\((const )?([a-z]+[a-z0-9 ]*)\*\))", "*(Counted<$1$2>)"},
  };
  for (const auto& [from, to] : changes) source = std::regex_replace(source, std::regex(from), to);
  return source;
}

/// The output of the run, and its exit status.
std::pair<std::string, int> run(const ir::Program& program, const std::string& source, const WarpProduct& p,
                                bool counts) {
  const ir::LaunchShape shape = ir::launch_shape(program.kernels[0]);
  const auto size = [](const ir::Expr& e) { return *ir::as_const_int(e); };
  const ScratchFolder folder("warps");
  const std::string file = folder.path() + "/kernel.cpp", run = folder.path() + "/kernel", log = folder.path() + "/log";
  const int type = p.type == kFloat16 ? 0 : p.type == kBFloat16 ? 1 : p.type == kInt8 ? 2 : p.type == kUInt8 ? 3 : 4;
  const std::string sizes = fmt::format(
      "#define NW_TYPE {}\n#define NW_M {}\n#define NW_N {}\n#define NW_K {}\n#define NW_TA {:d}\n#define NW_TB {:d}\n"
      "#define NW_X {}\n#define NW_Y {}\n#define NW_BLOCK_X {}\n#define NW_BLOCK_Y {}\n#define NW_BLOCK_Z {}\n"
      "#define NW_KERNEL {}\n",
      type, p.m, p.n, p.k, p.ta, p.tb, size(shape.grid[0]), size(shape.grid[1]), size(shape.block[0]),
      size(shape.block[1]), size(shape.block[2]), program.kernels[0].name);
  const std::string text = without_instructions(source);
  std::ofstream(file) << (counts ? "#define NW_COUNTS\n" : "") << sizes << kThreads << (counts ? kAccessCounts : "")
                      << kInstructions << kCopyInstructions << warpgroup_instructions(source)
                      << (counts ? with_counted_accesses(text) : text) << kMain;
  const std::string command =
      fmt::format("c++ -std=c++20 -w -pthread -include {3} {0} -o {1} >{2} 2>&1 && {1} >{2} 2>&1", file, run, log,
                  NESTWRIGHT_BINARY_DIR "/tests/codegen/warp_headers.h");
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): names of our own
  std::stringstream said;
  said << std::ifstream(log).rdbuf();
  return {said.str(), status};
}

}  // namespace

std::string run_on_emulated_warps(const ir::Program& program, const std::string& source, const WarpProduct& product) {
  const auto [said, status] = run(program, source, product, false);
  return status == 0 ? "" : fmt::format("status {}: {}", status, said);
}

std::string count_accesses(const ir::Program& program, const std::string& source, const WarpProduct& product) {
  const auto [said, status] = run(program, source, product, true);
  return status == 0 ? said : fmt::format("status {}: {}", status, said);
}

}  // namespace nestwright::testing
