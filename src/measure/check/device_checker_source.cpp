#include "measure/check/device_checker_source.h"

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <set>

#include "codegen/device_source.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr const char* kOpenClWords = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
#define KERNEL __kernel
#define FUNCTION
#define GLOBAL __global
#define SHARED __local
#define SHARED_POINTER __local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define THREAD ((i64)get_local_id(0))
#define BLOCK ((i64)get_group_id(0))
#define BLOCKS ((i64)get_num_groups(0))
#define AS_DOUBLE(bits) as_double(bits)
#define AS_BITS(value) as_ulong(value)
)";

constexpr const char* kCudaWords = R"(typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
#define KERNEL extern "C" __global__
#define FUNCTION static __device__
#define GLOBAL
#define SHARED __shared__
#define SHARED_POINTER
#define BARRIER __syncthreads()
#define THREAD ((i64)threadIdx.x)
#define BLOCK ((i64)blockIdx.x)
#define BLOCKS ((i64)gridDim.x)
#define AS_DOUBLE(bits) __longlong_as_double((i64)(bits))
#define AS_BITS(value) ((u64)__double_as_longlong(value))
)";

// Floats are widened from their bits, because a device's own conversion may flush subnormal numbers.
constexpr const char* kCommon = R"(
typedef struct {
  u64 wrong, first_wrong;
  double error, ratio;
  u64 digest;
} Summary;

FUNCTION Summary no_elements() {
  Summary s;
  s.wrong = 0;
  s.first_wrong = ~(u64)0;
  s.error = 0;
  s.ratio = 0;
  s.digest = 0;
  return s;
}

FUNCTION void store_reduced(Summary s, SHARED_POINTER u64* all, GLOBAL u64* to) {
  const i64 t = THREAD;
  all[t] = s.wrong;
  all[THREADS + t] = s.first_wrong;
  all[2 * THREADS + t] = AS_BITS(s.error);
  all[3 * THREADS + t] = AS_BITS(s.ratio);
  all[4 * THREADS + t] = s.digest;
  for (int step = THREADS / 2; step > 0; step /= 2) {
    BARRIER;
    if (t < step) {
      all[t] += all[t + step];
      for (int field = 1; field < 4; ++field) {
        const u64 ours = all[field * THREADS + t], other = all[field * THREADS + t + step];
        if (field == 1 ? other < ours : other > ours) all[field * THREADS + t] = other;
      }
      all[4 * THREADS + t] += all[4 * THREADS + t + step];
    }
  }
  if (t == 0) {
    for (int field = 0; field < 5; ++field) to[field] = all[field * THREADS];
  }
}

FUNCTION u64 mixed(u64 word, i64 index) {
  u64 x = word + (u64)(index + 1) * 0x9e3779b97f4a7c15UL;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93UL;
  return x ^ (x >> 32);
}

FUNCTION double widened(u64 bits, int exponent_bits, int mantissa_bits) {
  const u64 mantissa = bits & (((u64)1 << mantissa_bits) - 1);
  const u64 highest = ((u64)1 << exponent_bits) - 1;
  const u64 exponent = (bits >> mantissa_bits) & highest;
  const u64 sign = (bits >> (mantissa_bits + exponent_bits)) << 63;
  const u64 bias = highest >> 1;
  if (exponent == 0) {
    const double unit = AS_DOUBLE((u64)(1023 + 1 - bias - mantissa_bits) << 52);
    const double value = (double)mantissa * unit;
    return sign != 0 ? -value : value;
  }
  const u64 wide = exponent == highest ? 2047 : exponent + 1023 - bias;
  return AS_DOUBLE(sign | (wide << 52) | (mantissa << (52 - mantissa_bits)));
}

FUNCTION void add_element(Summary* s, i64 i, double value, int is_untouched, double expected, double bound) {
  const double infinity = AS_DOUBLE((u64)0x7ff << 52);
  double difference = value - expected;
  if (difference < 0) difference = -difference;
  const int between = expected != expected;
  const double error = value == expected || between ? 0.0 : difference <= infinity ? difference : infinity;
  const double ratio = error == 0 ? 0.0 : error / bound;
  const int right = between ? is_untouched : value == expected || difference <= bound;
  if (s->error < error) s->error = error;
  if (s->ratio < ratio) s->ratio = ratio;
  if (!right) {
    s->wrong += 1;
    if ((u64)i < s->first_wrong) s->first_wrong = (u64)i;
  }
}

#define COMPARISON(NAME, TYPE, BITS, WIDENED)                                                                \
  KERNEL void NAME(GLOBAL const TYPE* got, GLOBAL const double* expected, GLOBAL const double* bound, i64 n, \
                   i64 has_bound, i64 share, GLOBAL u64* partial) {                                          \
    SHARED u64 all[5 * THREADS];                                                                             \
    Summary s = no_elements();                                                                               \
    const i64 begin = BLOCK * share, end = begin + share < n ? begin + share : n;                            \
    for (i64 i = begin + THREAD; i < end; i += THREADS) {                                                    \
      const TYPE element = got[i];                                                                           \
      const double e = expected[i], b = has_bound != 0 ? bound[i] : 0.0;                                     \
      const u64 turned = AS_BITS(b);                                                                         \
      s.digest += mixed(AS_BITS(e) ^ ((turned << 23) | (turned >> 41)), i);                                  \
      add_element(&s, i, WIDENED, (BITS)element == (BITS)~(BITS)0, e, b);                                    \
    }                                                                                                        \
    store_reduced(s, all, partial + 5 * BLOCK);                                                              \
  }

KERNEL void digest(GLOBAL const u8* memory, i64 offset, i64 bytes, i64 share, GLOBAL u64* partial) {
  SHARED u64 all[5 * THREADS];
  Summary s = no_elements();
  GLOBAL const u8* const from = memory + offset;
  const i64 whole = bytes / 8, words = (bytes + 7) / 8;
  const i64 begin = BLOCK * share, end = begin + share < words ? begin + share : words;
  for (i64 i = begin + THREAD; i < end; i += THREADS) {
    u64 word = 0;
    if (offset % 8 == 0 && i < whole) {
      word = ((GLOBAL const u64*)from)[i];
    } else {
      for (int b = 0; b < 8 && 8 * i + b < bytes; ++b) word |= (u64)from[8 * i + b] << (8 * b);
    }
    s.digest += mixed(word, i);
  }
  store_reduced(s, all, partial + 5 * BLOCK);
}

KERNEL void combine(GLOBAL const u64* partial, i64 partials, i64 place, GLOBAL u64* results) {
  SHARED u64 all[5 * THREADS];
  Summary s = no_elements();
  for (i64 i = THREAD; i < partials; i += THREADS) {
    GLOBAL const u64* const p = partial + 5 * i;
    s.wrong += p[0];
    if (p[1] < s.first_wrong) s.first_wrong = p[1];
    if (s.error < AS_DOUBLE(p[2])) s.error = AS_DOUBLE(p[2]);
    if (s.ratio < AS_DOUBLE(p[3])) s.ratio = AS_DOUBLE(p[3]);
    s.digest += p[4];
  }
  store_reduced(s, all, results + 5 * place);
}
)";

/// The kernel's type of an element, the unsigned type of its bits, and their conversion to double.
struct Spelling {
  std::string type, bits, widened;
};
Spelling spelling_of(ir::Type type) {
  const std::string bits = fmt::format("u{}", 8 * type.bytes());
  switch (type.code) {
    case ir::TypeCode::kBFloat:
      return {bits, bits, "widened(element, 8, 7)"};
    case ir::TypeCode::kFloat:
      if (type.bits == 16) return {bits, bits, "widened(element, 5, 10)"};
      if (type.bits == 32) return {bits, bits, "widened(element, 8, 23)"};
      return {bits, bits, "AS_DOUBLE(element)"};
    case ir::TypeCode::kInt:
      return {fmt::format("i{}", 8 * type.bytes()), bits, "(double)element"};
    case ir::TypeCode::kUInt:
    case ir::TypeCode::kBool:
      return {bits, bits, "(double)element"};
  }
  throw InternalError("internal error: an element type that is none of the known ones");
}

}  // namespace

std::string comparison_kernel(ir::Type type) { return "compare_" + type.element().str(); }

std::string device_checker_source(DeviceKind device, std::span<const ir::Type> types) {
  check(device != DeviceKind::kCpu, "results of CPUs are compared on the host");
  std::string source = device == DeviceKind::kCuda ? kCudaWords : kOpenClWords;
  source += fmt::format("#define THREADS {}\n{}", kCheckerThreads, kCommon);
  std::set<std::string> known;
  for (const ir::Type& type : types) {
    const std::string name = comparison_kernel(type);
    if (!known.insert(name).second) continue;
    const Spelling spelling = spelling_of(type);
    source += fmt::format("COMPARISON({}, {}, {}, {})\n", name, spelling.type, spelling.bits, spelling.widened);
  }
  return source;
}

std::string device_checker_object(const Target& target, std::span<const ir::Type> types) {
  static std::mutex mutex;
  static std::map<std::string, std::string> objects;
  const std::string source = device_checker_source(target.device, types);
  const std::lock_guard lock(mutex);
  const auto [known, is_new] = objects.try_emplace(target.arch + "\n" + source);
  if (is_new) {
    try {
      known->second = codegen::compile_device_source(source, "nestwright_check", target);
    } catch (const CompileError&) {
      // no compiler here, or none for this device: the object stays empty
    }
  }
  return known->second;
}

}  // namespace nestwright
