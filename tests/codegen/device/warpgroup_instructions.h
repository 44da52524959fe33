// wgmma.mma_async on the host, a part of the emulation that warp_emulation.cpp puts in front of a source. A product
// happens as late as is allowed, when its threads wait for it, so that earlier stores to its operands change the
// result. Thread rule: a constant.
#pragma once

namespace nestwright::testing {

/// Defines wgmma<columns, across_a, across_b, type_a, type_b>(top, bottom, a, b): a and b are descriptors of matrices
/// without swizzling or with that of 128 bytes (PTX ISA, "Matrix Descriptor Format", "Strides"); and
/// nw_wait_for_products() for wgmma.wait_group.
inline constexpr const char* kWarpgroupInstructions = R"(
extern char __start_nw_shared[];
static unsigned long __cvta_generic_to_shared(const void* at) { return (const char*)at - __start_nw_shared; }

struct Warpgroup { pthread_barrier_t all; unsigned long long a[128], b[128]; };
static Warpgroup warpgroups[8];

// Element (i, k), i across the reduction, of a matrix of cores of 8 rows of 16 bytes, or of 8 swizzled rows of 128 bytes.
template <class T, bool kAcross>
static T element(unsigned long long descriptor, unsigned i, unsigned k) {
  const auto field = [&](unsigned bit) { return (unsigned)(descriptor >> bit & 0x3fff) << 4; };
  const unsigned first = field(16), second = field(32), steps = 16 / sizeof(T);
  unsigned at = field(0);
  if (descriptor >> 62 == 0) {
    at += kAcross ? i / 8 * second + i % 8 * 2 + k / 8 * first + k % 8 * 16
                  : i / 8 * second + i % 8 * 16 + k / steps * first + k % steps * sizeof(T);
  } else if (descriptor >> 62 == 1) {
    at += kAcross ? i / 64 * first + i % 64 * 2 + k / 8 * second + k % 8 * 128
                  : i / 8 * second + i % 8 * 128 + k * sizeof(T);
    at ^= (at >> 7 & 7) << 4;
  } else {
    puts("a matrix is swizzled by less than 128 bytes"), __builtin_trap();
  }
  T value;
  memcpy(&value, __start_nw_shared + at, sizeof value);
  return value;
}
static float number(unsigned short half) { return of_half(half); }
static int number(signed char x) { return x; }
static int number(unsigned char x) { return x; }

// Warp w has rows 16w .. 16w + 15 of the sums: lane l of rows l/4 and l/4 + 8 columns 2*(l%4) and the next of every 8.
template <int kColumns, bool kAcrossA, bool kAcrossB, class OfA, class OfB, class Sum>
static void multiply(Sum* top, Sum* bottom, unsigned long long a, unsigned long long b) {
  const unsigned thread = thread_number() % 128, warp = thread / 32;
  Warpgroup& group = warpgroups[thread_number() / 128];
  group.a[thread] = a, group.b[thread] = b;
  pthread_barrier_wait(&group.all);
  for (unsigned t = 0; t < 128; ++t) {
    if (group.a[t] != a || group.b[t] != b) { puts("threads of a warpgroup have other matrices"); __builtin_trap(); }
  }
  for (unsigned j = 0; j < kColumns / 8; ++j) {
    for (unsigned e = 0; e < 4; ++e) {
      const unsigned row = 16 * warp + lane() / 4 + (e < 2 ? 0 : 8), column = 8 * j + 2 * (lane() % 4) + e % 2;
      Sum& sum = (e < 2 ? top : bottom)[2 * j + e % 2];
      for (unsigned k = 0; k < 32 / sizeof(OfA); ++k) {
        sum += number(element<OfA, kAcrossA>(a, row, k)) * number(element<OfB, kAcrossB>(b, column, k));
      }
    }
  }
  pthread_barrier_wait(&group.all);
}

static thread_local std::vector<std::function<void()>> products;
template <int kColumns, bool kAcrossA, bool kAcrossB, class OfA, class OfB, class Sum>
static void wgmma(Sum* top, Sum* bottom, unsigned long long a, unsigned long long b) {
  products.push_back([=] { multiply<kColumns, kAcrossA, kAcrossB, OfA, OfB>(top, bottom, a, b); });
}
static void nw_wait_for_products() {
  for (const auto& product : products) product();
  products.clear();
}
)";

}  // namespace nestwright::testing
