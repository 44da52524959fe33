#include "codegen/source/prelude.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ir/gpu/swizzle.h"
#include "nestwright/error.h"

namespace nestwright::codegen {
namespace {

using ir::Type;

}  // namespace

std::string Prelude::define(const std::string& result, const std::string& name, const std::string& rest) {
  if (defined_.insert(name).second) {
    text_ += fmt::format("{} {} {}{}\n", dialect_.function_specifiers(), result, name, rest);
  }
  return name;
}

// Division of the lowest integer by -1, and division by 0, whose result is never used, must not trap.
std::string Prelude::floor_div(Type type) {
  const char* t = dialect_.integer_type(type);
  return define(t, "nw_floor_div_" + type.str(),
                fmt::format("({0} a, {0} b) {{\n"
                            "  if (b == 0) return 0;\n"
                            "  if (b == -1) return ({0})(0 - ({1})a);\n"
                            "  return a / b - (a % b != 0 && (a < 0) != (b < 0));\n"
                            "}}",
                            t, dialect_.integer_type(unsigned_of(type))));
}

std::string Prelude::floor_mod(Type type) {
  const char* t = dialect_.integer_type(type);
  return define(t, "nw_floor_mod_" + type.str(),
                fmt::format("({0} a, {0} b) {{\n"
                            "  if (b == 0 || b == -1) return 0;\n"
                            "  const {0} rest = a % b;\n"
                            "  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;\n"
                            "}}",
                            t));
}

std::string Prelude::div(Type type) {
  const char* t = dialect_.integer_type(type);
  return define(t, "nw_div_" + type.str(), fmt::format("({0} a, {0} b) {{ return b == 0 ? 0 : a / b; }}", t));
}

std::string Prelude::mod(Type type) {
  const char* t = dialect_.integer_type(type);
  return define(t, "nw_mod_" + type.str(), fmt::format("({0} a, {0} b) {{ return b == 0 ? 0 : a % b; }}", t));
}

std::string Prelude::min(Type type) { return extremum("min", '<', type); }
std::string Prelude::max(Type type) { return extremum("max", '>', type); }

// Of floats, the number where the other operand is NaN, as the devices' instructions do.
std::string Prelude::extremum(const char* name, char order, Type type) {
  const char* t = dialect_.value_type(type);
  const std::string value = type.is_float() ? fmt::format("{}(a, b)", dialect_.function(fmt::format("f{}", name), type))
                                            : fmt::format("a {} b ? a : b", order);
  return define(t, fmt::format("nw_{}_{}", name, type.str()),
                fmt::format("({0} a, {0} b) {{ return {1}; }}", t, value));
}

std::string Prelude::abs(Type type) {
  const char* t = dialect_.integer_type(type);
  return define(
      t, "nw_abs_" + type.str(),
      fmt::format("({0} a) {{ return a < 0 ? ({0})(0 - ({1})a) : a; }}", t, dialect_.integer_type(unsigned_of(type))));
}

// C leaves shifts by the number of bits, or more, undefined.
std::string Prelude::shift(ir::Intrinsic direction, Type type) {
  const char *t = dialect_.integer_type(type), *u = dialect_.integer_type(unsigned_of(type));
  const bool left = direction == ir::Intrinsic::kShiftLeft, fills_sign = type.code == ir::TypeCode::kInt && !left;
  const std::string name = fmt::format("nw_{}_{}", ir::intrinsic_name(direction), type.str());
  const std::string shifted = left ? fmt::format("({})(({})x << n)", t, u) : fmt::format("({})(x >> n)", t);
  return define(t, name,
                fmt::format("({0} x, {0} n) {{ return ({1})n < {2} ? {3} : {4}; }}", t, u, static_cast<int>(type.bits),
                            shifted, fills_sign ? fmt::format("({})(x < 0 ? -1 : 0)", t) : "0"));
}

std::string Prelude::saturate(Type to, Type from) {
  const char *t = dialect_.integer_type(to), *f = dialect_.value_type(from);
  const bool is_unsigned = to.code == ir::TypeCode::kUInt;
  const std::string end = dialect_.float_literal(std::ldexp(1.0, is_unsigned ? to.bits : to.bits - 1), from);
  const std::int64_t top = is_unsigned ? (to.bits == 64 ? -1 : (std::int64_t{1} << to.bits) - 1)
                                       : std::numeric_limits<std::int64_t>::max() >> (64 - to.bits);
  const std::string most = dialect_.integer_literal(top, to);
  const std::string name = fmt::format("nw_{}_of_{}", to.str(), from.str());
  if (is_unsigned) {
    return define(t, name, fmt::format("({} x) {{ return x >= {} ? {} : x > 0 ? ({})x : 0; }}", f, end, most, t));
  }
  return define(t, name,
                fmt::format("({} x) {{ return x >= {} ? {} : x <= -{} ? {} : x == x ? ({})x : 0; }}", f, end, most, end,
                            dialect_.integer_literal(-top - 1, to), t));
}

void Prelude::define_narrow(Type type) {
  if (defined_.insert("narrow " + type.str()).second) text_ += dialect_.narrow_floats(type);
}

std::string Prelude::widen(Type type) {
  define_narrow(type);
  return "nw_float32_of_" + type.str();
}

std::string Prelude::narrow(Type type) {
  define_narrow(type);
  return "nw_" + type.str() + "_of_float32";
}

// Xors the number of the piece with the lowest bits of the row's number.
std::string Prelude::swizzle(Type type) {
  const std::int64_t piece = ir::kSwizzledPieceBytes / type.bytes();
  return define("int", fmt::format("nw_swizzle_{}", type.bytes()),
                fmt::format("(int index) {{ return index ^ (index >> 3 & {}); }}", (ir::kSwizzledRows - 1) * piece));
}

std::string Prelude::copy(int bytes) {
  std::string name = fmt::format("nw_copy_{}", bytes);
  if (defined_.insert(name).second) text_ += dialect_.asynchronous_copy(bytes);
  return name;
}

std::string Prelude::tensor_function(const ir::TensorInstruction& instruction) {
  const Dialect::TensorFunction function = dialect_.tensor_function(instruction);
  if (!function.helper.empty() && defined_.insert(function.helper).second) text_ += function.helper_text;
  if (defined_.insert(function.name).second) text_ += function.text;
  return function.name;
}

// With an exponent below -4096 or above 4096 every result is 0 or infinity.
std::string Prelude::scale(Type type) {
  const char* t = dialect_.value_type(type);
  return define(t, "nw_scale_" + type.str(),
                fmt::format("({0} x, {0} n) {{\n"
                            "  if (n != n) return n;\n"
                            "  return {1}(x, (int)(n < -4096 ? -4096 : n > 4096 ? 4096 : n));\n"
                            "}}",
                            t, dialect_.function("ldexp", type)));
}

// The bits of infinity and NaN are kept; the addition might change them.
std::string Prelude::round_tf32() {
  return define("float", "nw_round_tf32",
                fmt::format("(float x) {{\n"
                            "  const {} bits = {};\n"
                            "  return (bits & 0x7fffffffu) < 0x7f800000u ? {} : x;\n"
                            "}}",
                            dialect_.integer_type(kUInt32), dialect_.bits_of("x", kFloat32),
                            dialect_.of_bits("(bits + 0x1000u) & 0xffffe000u", kFloat32)));
}

std::string Prelude::word_function(ir::Intrinsic intrinsic) {
  const std::string name = std::string("nw_") + ir::intrinsic_name(intrinsic);
  const char *u = dialect_.integer_type(kUInt32), *s8 = dialect_.integer_type(kInt8);
  const auto dot = [&](const char* a, const char* b, int bits) {
    return define("int", name,
                  fmt::format("(int sum, int a, int b) {{\n"
                              "  {0} total = ({0})sum;\n"
                              "#pragma unroll\n"
                              "  for (int at = 0; at < 32; at += {3}) {{\n"
                              "    total += ({0})(({1})(({0})a >> at) * ({2})(({0})b >> at));\n"
                              "  }}\n"
                              "  return (int)total;\n"
                              "}}",
                              u, a, b, bits));
  };
  using enum ir::Intrinsic;
  if (intrinsic == kJoinBytes) {
    return define("int", name,
                  fmt::format("(int b0, int b1, int b2, int b3) {{\n"
                              "  return (int)((({0})b0 & 255) | (({0})b1 & 255) << 8 | (({0})b2 & 255) << 16 | "
                              "({0})b3 << 24);\n"
                              "}}",
                              u));
  }
  if (intrinsic == kJoinHalves) {
    return define("int", name,
                  fmt::format("(int h0, int h1) {{ return (int)((({0})h0 & 65535) | ({0})h1 << 16); }}", u));
  }
  if (intrinsic == kDotU8S8) return dot(dialect_.integer_type(kUInt8), s8, 8);
  if (intrinsic == kDotS8S8) return dot(s8, s8, 8);
  if (intrinsic == kDotS16) return dot(dialect_.integer_type(kInt16), dialect_.integer_type(kInt16), 16);
  if (intrinsic == kDotBF16) {
    const std::string low = dialect_.of_bits(fmt::format("({})X << 16", u), kFloat32);
    const std::string high = dialect_.of_bits(fmt::format("({})X & 0xffff0000u", u), kFloat32);
    const auto of = [](std::string part, const char* word) { return part.replace(part.find('X'), 1, word); };
    const std::string fma = dialect_.function("fma", kFloat32);
    return define("float", name,
                  fmt::format("(float sum, int a, int b) {{\n"
                              "  sum = {0}({1}, {2}, sum);\n"
                              "  return {0}({3}, {4}, sum);\n"
                              "}}",
                              fma, of(low, "a"), of(low, "b"), of(high, "a"), of(high, "b")));
  }
  throw InternalError("internal error: no function of words");
}

}  // namespace nestwright::codegen
