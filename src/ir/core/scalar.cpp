#include "ir/core/scalar.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "ir/core/fold.h"
#include "nestwright/error.h"

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
    case BinaryOp::kGe:
      return a >= b;
    case BinaryOp::kAdd:
    case BinaryOp::kSub:
    case BinaryOp::kMul:
    case BinaryOp::kDiv:
    case BinaryOp::kMod:
    case BinaryOp::kMin:
    case BinaryOp::kMax:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      break;
  }
  throw InternalError(std::string("internal error: ") + binary_op_name(op) + " compares nothing");
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
      return a < b || std::isnan(b) ? a : b;
    case BinaryOp::kMax:
      return a > b || std::isnan(b) ? a : b;
    case BinaryOp::kMod:
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
    case BinaryOp::kAnd:
    case BinaryOp::kOr:
      break;
  }
  throw Error(std::string("operator ") + binary_op_name(op) + " is not defined on floating-point values");
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
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLt:
    case BinaryOp::kLe:
    case BinaryOp::kGt:
    case BinaryOp::kGe:
      break;
  }
  throw Error(std::string("operator ") + binary_op_name(op) + " is not defined on integers");
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

// Rounds to a narrow type by way of float32, as processors do.
double round_narrow(double value, Type type) {
  return type.is_narrow_float() ? round_float(round_float(value, kFloat32), type) : round_float(value, type);
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

}  // namespace

Scalar apply_binary(BinaryOp op, Type type, Scalar a, Scalar b) {
  if (type.is_float()) {
    if (is_comparison(op)) return integer_scalar(compare(op, a.f, b.f) ? 1 : 0);
    // For narrower floats double rounding is harmless: an operation rounded to double rounds to the correct value.
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
  std::memcpy(&bits, at, static_cast<std::size_t>(type.bytes()));  // little-endian, as all targets are
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
