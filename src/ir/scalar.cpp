#include "ir/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/fold.h"
#include "support/error.h"

namespace nestwright::ir {
namespace {

template <class T>
bool compare(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kLt:
      return a < b;
    case BinaryOp::kLe:
      return a <= b;
    case BinaryOp::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

double float_binary(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSub:
      return a - b;
    case BinaryOp::kMul:
      return a * b;
    case BinaryOp::kDiv:
      return a / b;
    case BinaryOp::kMin:
      return a < b ? a : b;
    case BinaryOp::kMax:
      return a > b ? a : b;
    default:
      throw Error(std::string("operator ") + binary_op_name(op) + " is not defined on floating-point values");
  }
}

std::int64_t integer_binary(BinaryOp op, bool is_unsigned, std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case BinaryOp::kAdd:
      return static_cast<std::int64_t>(ua + ub);
    case BinaryOp::kSub:
      return static_cast<std::int64_t>(ua - ub);
    case BinaryOp::kMul:
      return static_cast<std::int64_t>(ua * ub);
    case BinaryOp::kDiv:
      if (b == 0) throw Error("division by 0");
      return is_unsigned ? static_cast<std::int64_t>(ua / ub) : floor_div(a, b);
    case BinaryOp::kMod:
      if (b == 0) throw Error("modulo by 0");
      return is_unsigned ? static_cast<std::int64_t>(ua % ub) : floor_mod(a, b);
    case BinaryOp::kMin:
      return (is_unsigned ? ua < ub : a < b) ? a : b;
    case BinaryOp::kMax:
      return (is_unsigned ? ua > ub : a > b) ? a : b;
    case BinaryOp::kAnd:
      return a & b;
    case BinaryOp::kOr:
      return a | b;
    default:
      throw Error(std::string("operator ") + binary_op_name(op) + " is not defined on integers");
  }
}

std::int64_t truncate(double value, Type to) {
  if (std::isnan(value)) return 0;
  const bool is_unsigned = to.code == TypeCode::kUInt;
  const double end = std::ldexp(1.0, is_unsigned ? to.bits : to.bits - 1);  // first value above the range
  const double whole = std::trunc(value);
  if (is_unsigned) {
    if (whole <= 0) return 0;
    if (whole >= end) return wrap_int(-1, to);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(whole));
  }
  const std::int64_t top = std::numeric_limits<std::int64_t>::max() >> (64 - to.bits);
  if (whole >= end) return top;
  if (whole < -end) return -top - 1;
  return static_cast<std::int64_t>(whole);
}

// By way of float32, as processors do it.
double round_narrow(double value, Type type) {
  return type.bits == 16 ? round_float(round_float(value, kFloat32), type) : round_float(value, type);
}

/// Beyond 4096 either way every number is 0 or infinity.
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

/// In the precision of T, which is the type's own for float32 and float64; narrower types round afterwards.
template <class T>
T float_intrinsic(Intrinsic intrinsic, T x, T y, T z) {
  switch (intrinsic) {
    case Intrinsic::kFma:
      return std::fma(x, y, z);
    case Intrinsic::kExp:
      return std::exp(x);
    case Intrinsic::kLog:
      return std::log(x);
    case Intrinsic::kLog2:
      return std::log2(x);
    case Intrinsic::kSqrt:
      return std::sqrt(x);
    case Intrinsic::kRsqrt:
      return T(1) / std::sqrt(x);
    case Intrinsic::kTanh:
      return std::tanh(x);
    case Intrinsic::kSigmoid:
      return T(1) / (T(1) + std::exp(-x));
    case Intrinsic::kErf:
      return std::erf(x);
    case Intrinsic::kPow:
      return std::pow(x, y);
    case Intrinsic::kFloor:
      return std::floor(x);
    case Intrinsic::kCeil:
      return std::ceil(x);
    case Intrinsic::kRound:
      return std::nearbyint(x);
    case Intrinsic::kAbs:
      return std::abs(x);
    case Intrinsic::kScale:
      return scaled(x, y);
    case Intrinsic::kLikely:
    case Intrinsic::kReinterpret:
    case Intrinsic::kJoinBytes:
    case Intrinsic::kJoinHalves:
    case Intrinsic::kDotU8S8:
    case Intrinsic::kDotS8S8:
    case Intrinsic::kDotS16:
    case Intrinsic::kDotBF16:
    case Intrinsic::kShuffleXor:
    case Intrinsic::kRoundTf32:
      break;
  }
  throw Error(std::string(intrinsic_name(intrinsic)) + " is not defined on floating-point values");
}

template <class T>
T load_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store_as(T value, std::byte* at) {
  std::memcpy(at, &value, sizeof value);
}

/// Part `i` of a word, of T.
template <class T>
T part_of(Scalar word, int i) {
  return static_cast<T>(static_cast<std::uint32_t>(word.i) >> (8 * static_cast<int>(sizeof(T)) * i));
}

Scalar join(const Scalar* args, int parts, Type type) {
  std::uint32_t word = 0;
  const int bits = 32 / parts;
  for (int i = 0; i < parts; ++i) {
    word |= (static_cast<std::uint32_t>(args[i].i) & ((std::uint32_t{1} << bits) - 1)) << (bits * i);
  }
  return integer_scalar(wrap_int(word, type));
}

Scalar word_intrinsic(Intrinsic intrinsic, Type type, const Scalar* args) {
  if (intrinsic == Intrinsic::kJoinBytes) return join(args, 4, type);
  if (intrinsic == Intrinsic::kJoinHalves) return join(args, 2, type);
  if (intrinsic == Intrinsic::kDotBF16) {
    auto sum = static_cast<float>(args[0].f);
    for (int i = 0; i < 2; ++i) {
      sum = std::fma(static_cast<float>(bfloat16_value(part_of<std::uint16_t>(args[1], i))),
                     static_cast<float>(bfloat16_value(part_of<std::uint16_t>(args[2], i))), sum);
    }
    return float_scalar(sum);
  }
  std::int64_t sum = args[0].i;
  for (int i = 0; i < 4 && intrinsic == Intrinsic::kDotU8S8; ++i) {
    sum += std::int64_t{part_of<std::uint8_t>(args[1], i)} * part_of<std::int8_t>(args[2], i);
  }
  for (int i = 0; i < 4 && intrinsic == Intrinsic::kDotS8S8; ++i) {
    sum += std::int64_t{part_of<std::int8_t>(args[1], i)} * part_of<std::int8_t>(args[2], i);
  }
  for (int i = 0; i < 2 && intrinsic == Intrinsic::kDotS16; ++i) {
    sum += std::int64_t{part_of<std::int16_t>(args[1], i)} * part_of<std::int16_t>(args[2], i);
  }
  return integer_scalar(wrap_int(sum, type));
}

}  // namespace

Scalar apply_binary(BinaryOp op, Type type, Scalar a, Scalar b) {
  if (type.is_float()) {
    if (is_comparison(op)) return integer_scalar(compare(op, a.f, b.f) ? 1 : 0);
    // A sum, difference, product or quotient of narrower floats, rounded first to double, rounds to the right value.
    return float_scalar(round_float(float_binary(op, a.f, b.f), type));
  }
  const bool is_unsigned = type.code == TypeCode::kUInt;
  if (is_comparison(op)) {
    const bool truth = is_unsigned ? compare(op, static_cast<std::uint64_t>(a.i), static_cast<std::uint64_t>(b.i))
                                   : compare(op, a.i, b.i);
    return integer_scalar(truth ? 1 : 0);
  }
  return integer_scalar(wrap_int(integer_binary(op, is_unsigned, a.i, b.i), type));
}

Scalar apply_cast(Type from, Type to, Scalar value) {
  if (from.is_float()) {
    if (to.is_float()) return float_scalar(round_narrow(value.f, to));
    if (to.is_bool()) return integer_scalar(value.f != 0 ? 1 : 0);
    return integer_scalar(truncate(value.f, to));
  }
  if (!to.is_float()) return integer_scalar(wrap_int(value.i, to));
  const bool is_unsigned = from.code == TypeCode::kUInt;
  const auto as_unsigned = static_cast<std::uint64_t>(value.i);
  if (to == kFloat64)
    return float_scalar(is_unsigned ? static_cast<double>(as_unsigned) : static_cast<double>(value.i));
  return float_scalar(round_float(is_unsigned ? static_cast<float>(as_unsigned) : static_cast<float>(value.i), to));
}

Scalar apply_reinterpret(Type from, Type to, Scalar value) {
  std::byte bytes[8] = {};
  write_element(from, value, bytes);
  return read_element(to, bytes);
}

Scalar apply_intrinsic(Intrinsic intrinsic, Type type, const Scalar* args) {
  if (intrinsic == Intrinsic::kLikely) return args[0];
  if (is_of_words(intrinsic)) return word_intrinsic(intrinsic, type, args);
  if (intrinsic == Intrinsic::kRoundTf32) return float_scalar(rounded_tf32(static_cast<float>(args[0].f)));
  if (type.is_float()) {
    const int arity = intrinsic_arity(intrinsic);
    const double x = args[0].f, y = arity > 1 ? args[1].f : 0, z = arity > 2 ? args[2].f : 0;
    if (type.bits == 64) return float_scalar(float_intrinsic(intrinsic, x, y, z));
    const float result =
        float_intrinsic(intrinsic, static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
    return float_scalar(round_float(result, type));
  }
  if (intrinsic == Intrinsic::kFma) {
    const Scalar product = apply_binary(BinaryOp::kMul, type, args[0], args[1]);
    return apply_binary(BinaryOp::kAdd, type, product, args[2]);
  }
  if (intrinsic == Intrinsic::kAbs && type.is_int()) {
    const bool negative = type.code == TypeCode::kInt && args[0].i < 0;
    return negative ? apply_binary(BinaryOp::kSub, type, integer_scalar(0), args[0]) : args[0];
  }
  throw Error(std::string(intrinsic_name(intrinsic)) + " is not defined on " + type.str());
}

std::uint16_t float16_bits(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | 0x7e00;
  const double magnitude = std::abs(round_float(value, kFloat16));
  if (std::isinf(magnitude)) return sign | 0x7c00;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  if (magnitude == 0 || exponent < -13)  // subnormal: in units of 2^-24
    return static_cast<std::uint16_t>(sign | static_cast<int>(std::ldexp(magnitude, 24)));
  const int significand = static_cast<int>(std::ldexp(magnitude, 11 - exponent)) - 1024;
  return static_cast<std::uint16_t>(sign | ((exponent + 14) << 10) | significand);
}

double float16_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, significand = bits & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = significand != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(significand, -24);
  } else {
    magnitude = std::ldexp(significand + 1024, exponent - 25);
  }
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::uint16_t bfloat16_bits(double value) {
  if (std::isnan(value)) return std::signbit(value) ? 0xffc0 : 0x7fc0;
  // A bfloat16 is the upper half of the float32 of the same value.
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(round_float(value, kBFloat16))) >>
                                    16);
}

double bfloat16_value(std::uint16_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }

Scalar read_element(Type type, const std::byte* at) {
  switch (type.code) {
    case TypeCode::kFloat:
      if (type.bits == 64) return float_scalar(load_as<double>(at));
      if (type.bits == 32) return float_scalar(load_as<float>(at));
      return float_scalar(float16_value(load_as<std::uint16_t>(at)));
    case TypeCode::kBFloat:
      return float_scalar(bfloat16_value(load_as<std::uint16_t>(at)));
    case TypeCode::kBool:
      return integer_scalar(load_as<std::uint8_t>(at) != 0 ? 1 : 0);
    case TypeCode::kInt:
    case TypeCode::kUInt:
      break;
  }
  std::int64_t bits = 0;
  std::memcpy(&bits, at, static_cast<std::size_t>(type.bytes()));  // little-endian, as every target of ours is
  return integer_scalar(wrap_int(bits, type));
}

void write_element(Type type, Scalar value, std::byte* at) {
  switch (type.code) {
    case TypeCode::kFloat:
      if (type.bits == 64) return store_as(value.f, at);
      if (type.bits == 32) return store_as(static_cast<float>(value.f), at);
      return store_as(float16_bits(value.f), at);
    case TypeCode::kBFloat:
      return store_as(bfloat16_bits(value.f), at);
    case TypeCode::kBool:
      return store_as(static_cast<std::uint8_t>(value.i != 0 ? 1 : 0), at);
    case TypeCode::kInt:
    case TypeCode::kUInt:
      break;
  }
  std::memcpy(at, &value.i, static_cast<std::size_t>(type.bytes()));
}

}  // namespace nestwright::ir
