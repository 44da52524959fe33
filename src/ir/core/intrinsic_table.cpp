#include "ir/core/intrinsic_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <string>

#include "ir/core/fold.h"
#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

using Evaluate = Scalar (*)(Type, const Scalar*);

[[noreturn]] void refuse(const char* name, Type type) {
  throw Error(std::string(name) + " is not defined on " + type.str());
}

/// f(x, y, z) in the precision of the type for float32 and float64; for narrower types in float32, then rounded.
/// Arguments that the function does not have are 0.
template <class F, int kArity>
Scalar of_floats(Type type, const Scalar* args) {
  const double x = args[0].f, y = kArity > 1 ? args[1].f : 0, z = kArity > 2 ? args[2].f : 0;
  if (type.bits == 64) return float_scalar(F{}(x, y, z));
  const float result = F{}(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
  return float_scalar(round_float(result, type));
}

// Beyond exponents of +-4096 every result is 0 or infinity.
template <class T>
T scaled(T x, T n) {
  if (std::isnan(n)) return n;
  return std::scalbn(x, static_cast<int>(std::clamp(n, T(-4096), T(4096))));
}

float rounded_tf32(float x) {
  if (!std::isfinite(x)) return x;
  constexpr std::uint32_t kDropped = 0x1fff, kHalf = 0x1000;
  return std::bit_cast<float>((std::bit_cast<std::uint32_t>(x) + kHalf) & ~kDropped);
}

Scalar evaluate_fma(Type type, const Scalar* args) {
  const auto fma = [](auto x, auto y, auto z) { return std::fma(x, y, z); };
  if (type.is_float()) return of_floats<decltype(fma), 3>(type, args);
  return apply_binary(BinaryOp::kAdd, type, apply_binary(BinaryOp::kMul, type, args[0], args[1]), args[2]);
}

Scalar evaluate_abs(Type type, const Scalar* args) {
  const auto abs = [](auto x, auto, auto) { return std::abs(x); };
  if (type.is_float()) return of_floats<decltype(abs), 1>(type, args);
  const bool negative = type.code == TypeCode::kInt && args[0].i < 0;
  return negative ? apply_binary(BinaryOp::kSub, type, integer_scalar(0), args[0]) : args[0];
}

/// op(x, y) of the bits of integers.
template <class Op>
Scalar evaluate_bits(Type type, const Scalar* args) {
  return integer_scalar(wrap_int(Op{}(args[0].i, args[1].i), type));
}

/// A negative amount is above every number of bits once it is unsigned.
bool shifts_all(Type type, Scalar amount) { return static_cast<std::uint64_t>(amount.i) >= type.bits; }

Scalar evaluate_shift_left(Type type, const Scalar* args) {
  if (shifts_all(type, args[1])) return integer_scalar(0);
  return integer_scalar(wrap_int(static_cast<std::int64_t>(static_cast<std::uint64_t>(args[0].i) << args[1].i), type));
}

Scalar evaluate_shift_right(Type type, const Scalar* args) {
  const bool is_signed = type.code == TypeCode::kInt;
  if (shifts_all(type, args[1])) return integer_scalar(is_signed && args[0].i < 0 ? -1 : 0);
  if (is_signed) return integer_scalar(args[0].i >> args[1].i);
  return integer_scalar(static_cast<std::int64_t>(static_cast<std::uint64_t>(args[0].i) >> args[1].i));
}

/// Part `i` of a word, as a T.
template <class T>
T part_of(Scalar word, int i) {
  return static_cast<T>(static_cast<std::uint32_t>(word.i) >> (8 * static_cast<int>(sizeof(T)) * i));
}

template <int kParts>
Scalar evaluate_join(Type type, const Scalar* args) {
  std::uint32_t word = 0;
  constexpr int kBits = 32 / kParts;
  for (int i = 0; i < kParts; ++i) {
    word |= (static_cast<std::uint32_t>(args[i].i) & ((std::uint32_t{1} << kBits) - 1)) << (kBits * i);
  }
  return integer_scalar(wrap_int(word, type));
}

/// The dot product of words: parts of the second argument have type A, parts of the third type B.
template <class A, class B>
Scalar evaluate_dot(Type type, const Scalar* args) {
  std::int64_t sum = args[0].i;
  for (int i = 0; i < static_cast<int>(4 / sizeof(A)); ++i) {
    sum += std::int64_t{part_of<A>(args[1], i)} * part_of<B>(args[2], i);
  }
  return integer_scalar(wrap_int(sum, type));
}

Scalar evaluate_dot_bf16(Type, const Scalar* args) {
  auto sum = static_cast<float>(args[0].f);
  for (int i = 0; i < 2; ++i) {
    sum = std::fma(static_cast<float>(bfloat16_value(part_of<std::uint16_t>(args[1], i))),
                   static_cast<float>(bfloat16_value(part_of<std::uint16_t>(args[2], i))), sum);
  }
  return float_scalar(sum);
}

Scalar first(Type, const Scalar* args) { return args[0]; }
Scalar evaluate_round_tf32(Type, const Scalar* args) {
  return float_scalar(rounded_tf32(static_cast<float>(args[0].f)));
}
Scalar refuse_reinterpret(Type type, const Scalar*) { refuse("reinterpret", type); }
Scalar refuse_shuffle(Type type, const Scalar*) { refuse("shuffle_xor", type); }

/// Evaluation by a function of up to three floating-point arguments.
template <int kArity, class F>
constexpr Evaluate floats(F) {
  return of_floats<F, kArity>;
}

using enum Intrinsic;
using enum Domain;

constexpr std::array kTable = {
    // intrinsic, name, arity, domain, first int32, evaluation, operations, products, libm, device
    IntrinsicInfo{kFma, "fma", 3, kNumbers, 3, evaluate_fma, 2, 1, nullptr, "fma"},
    IntrinsicInfo{kExp, "exp", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::exp(x); }), 1, 0, "exp",
                  "exp"},
    IntrinsicInfo{kLog, "log", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::log(x); }), 1, 0, "log",
                  "log"},
    IntrinsicInfo{kLog2, "log2", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::log2(x); }), 1, 0,
                  "log2", "log2"},
    IntrinsicInfo{kSqrt, "sqrt", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::sqrt(x); }), 1, 0,
                  nullptr, "sqrt"},
    IntrinsicInfo{kRsqrt, "rsqrt", 1, kFloats, 1,
                  floats<1>([](auto x, auto, auto) { return decltype(x)(1) / std::sqrt(x); }), 1, 0, nullptr, nullptr},
    IntrinsicInfo{kTanh, "tanh", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::tanh(x); }), 1, 0,
                  "tanh", "tanh"},
    IntrinsicInfo{kSigmoid, "sigmoid", 1, kFloats, 1,
                  floats<1>([](auto x, auto, auto) { return decltype(x)(1) / (decltype(x)(1) + std::exp(-x)); }), 1, 0,
                  nullptr, nullptr},
    IntrinsicInfo{kErf, "erf", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::erf(x); }), 1, 0, "erf",
                  "erf"},
    IntrinsicInfo{kSin, "sin", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::sin(x); }), 1, 0, "sin",
                  "sin"},
    IntrinsicInfo{kCos, "cos", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::cos(x); }), 1, 0, "cos",
                  "cos"},
    IntrinsicInfo{kPow, "pow", 2, kFloats, 2, floats<2>([](auto x, auto y, auto) { return std::pow(x, y); }), 1, 0,
                  "pow", "pow"},
    IntrinsicInfo{kFloor, "floor", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::floor(x); }), 1, 0,
                  nullptr, "floor"},
    IntrinsicInfo{kCeil, "ceil", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::ceil(x); }), 1, 0,
                  nullptr, "ceil"},
    IntrinsicInfo{kRound, "round", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::nearbyint(x); }), 1, 0,
                  nullptr, "rint"},
    IntrinsicInfo{kTrunc, "trunc", 1, kFloats, 1, floats<1>([](auto x, auto, auto) { return std::trunc(x); }), 1, 0,
                  nullptr, "trunc"},
    IntrinsicInfo{kAbs, "abs", 1, kNumbers, 1, evaluate_abs, 1, 0, nullptr, "fabs"},
    IntrinsicInfo{kScale, "scale", 2, kFloats, 2, floats<2>([](auto x, auto n, auto) { return scaled(x, n); }), 1, 0,
                  nullptr, nullptr},
    IntrinsicInfo{kBitAnd, "bit_and", 2, kIntegers, 2, evaluate_bits<std::bit_and<>>, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kBitOr, "bit_or", 2, kIntegers, 2, evaluate_bits<std::bit_or<>>, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kBitXor, "bit_xor", 2, kIntegers, 2, evaluate_bits<std::bit_xor<>>, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kShiftLeft, "shift_left", 2, kIntegers, 2, evaluate_shift_left, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kShiftRight, "shift_right", 2, kIntegers, 2, evaluate_shift_right, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kLikely, "likely", 1, kBools, 1, first, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kEstrin, "estrin", 1, kFloats, 1, first, 0, 0, nullptr, nullptr},
    IntrinsicInfo{kReinterpret, "reinterpret", 1, kAnyType, 1, refuse_reinterpret, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kJoinBytes, "join_bytes", 4, kInt32Only, 4, evaluate_join<4>, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kJoinHalves, "join_halves", 2, kInt32Only, 2, evaluate_join<2>, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kDotU8S8, "dot_u8s8", 3, kInt32Only, 3, evaluate_dot<std::uint8_t, std::int8_t>, 1, 4, nullptr,
                  nullptr},
    IntrinsicInfo{kDotS8S8, "dot_s8s8", 3, kInt32Only, 3, evaluate_dot<std::int8_t, std::int8_t>, 1, 4, nullptr,
                  nullptr},
    IntrinsicInfo{kDotS16, "dot_s16", 3, kInt32Only, 3, evaluate_dot<std::int16_t, std::int16_t>, 1, 2, nullptr,
                  nullptr},
    IntrinsicInfo{kDotBF16, "dot_bf16", 3, kFloat32Only, 1, evaluate_dot_bf16, 1, 2, nullptr, nullptr},
    IntrinsicInfo{kShuffleXor, "shuffle_xor", 2, kAnyType, 1, refuse_shuffle, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kRoundTf32, "round_tf32", 1, kFloat32Only, 1, evaluate_round_tf32, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kLoadBytes, "load_bytes", 4, kInt32Only, 4, evaluate_join<4>, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kLoadHalves, "load_halves", 2, kInt32Only, 2, evaluate_join<2>, 1, 0, nullptr, nullptr},
    IntrinsicInfo{kVpdpbusd, "vpdpbusd", 3, kInt32Only, 3, evaluate_dot<std::uint8_t, std::int8_t>, 1, 4, nullptr,
                  nullptr},
    IntrinsicInfo{kVpdpwssd, "vpdpwssd", 3, kInt32Only, 3, evaluate_dot<std::int16_t, std::int16_t>, 1, 2, nullptr,
                  nullptr},
    IntrinsicInfo{kPmaddwd, "pmaddwd", 3, kInt32Only, 3, evaluate_dot<std::int16_t, std::int16_t>, 1, 2, nullptr,
                  nullptr},
    IntrinsicInfo{kVdpbf16ps, "vdpbf16ps", 3, kFloat32Only, 1, evaluate_dot_bf16, 1, 2, nullptr, nullptr},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].intrinsic != static_cast<Intrinsic>(i)) return false;
  }
  return kTable.back().intrinsic == kLastIntrinsic;
}
static_assert(is_in_order(), "a row for each intrinsic, in the order of the enumeration");

bool accepts(Domain domain, Type type) {
  switch (domain) {
    case kAnyType:
      return true;
    case kBools:
      return type.is_bool();
    case kFloats:
      return type.is_float();
    case kIntegers:
      return type.is_int();
    case kNumbers:
      return type.is_float() || type.is_int();
    case kFloat32Only:
      return type == kFloat32;
    case kInt32Only:
      return type == kInt32;
  }
  return false;
}

}  // namespace

const IntrinsicInfo& intrinsic_info(Intrinsic intrinsic) { return kTable.at(static_cast<std::size_t>(intrinsic)); }
const char* intrinsic_name(Intrinsic intrinsic) { return intrinsic_info(intrinsic).name; }
int intrinsic_arity(Intrinsic intrinsic) { return intrinsic_info(intrinsic).arity; }

Type argument_type(Intrinsic intrinsic, std::size_t i, Type result) {
  return static_cast<int>(i) < intrinsic_info(intrinsic).first_int32 ? result : kInt32.with_lanes(result.lanes);
}

Type only_element(Intrinsic intrinsic, Type type) {
  const Domain domain = intrinsic_info(intrinsic).domain;
  if (domain == kFloat32Only) return kFloat32;
  return domain == kInt32Only ? kInt32 : type.element();
}

Scalar apply_intrinsic(Intrinsic intrinsic, Type type, const Scalar* args) {
  const IntrinsicInfo& info = intrinsic_info(intrinsic);
  if (!accepts(info.domain, type)) refuse(info.name, type);
  return info.evaluate(type, args);
}

}  // namespace nestwright::ir
