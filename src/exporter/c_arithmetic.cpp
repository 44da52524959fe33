// `struct number` of a self-test: a value in double and what a kernel's may differ from it by. Each operation carries
// the errors of its operands on and adds its own rounding; a function that rises or falls throughout is evaluated at
// both ends of its operand.
#include <array>
#include <cctype>
#include <string_view>

#include "exporter/c_expression.h"

namespace nestwright {
namespace {

struct CFunction {
  std::string_view name;
  std::string_view text;
};

/// A function calls those above it only.
constexpr std::array kFunctions = {
    CFunction{"floor_div", R"(
static long floor_div(long a, long b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
)"},
    CFunction{"floor_mod", R"(
static long floor_mod(long a, long b) { return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0); }
)"},
    CFunction{"of_bfloat16", R"(
static double of_bfloat16(unsigned short bits) {
  const unsigned wide = (unsigned)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}
)"},
    CFunction{"of_float16", R"(
static double of_float16(unsigned short bits) {
  const int exponent = bits >> 10 & 31, significand = bits & 1023;
  const double magnitude = exponent == 31 ? (significand != 0 ? NAN : INFINITY)
                           : exponent == 0 ? ldexp(significand, -24) : ldexp(significand + 1024, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}
)"},
    CFunction{"to_bfloat16", R"(
/* The nearest below. */
static unsigned short to_bfloat16(double value) {
  const float narrow = (float)value;
  unsigned bits;
  memcpy(&bits, &narrow, sizeof bits);
  return (unsigned short)(bits >> 16);
}
)"},
    CFunction{"to_float16", R"(
/* Of a value in (-1, 1), in units of the least one. */
static unsigned short to_float16(double value) {
  const double magnitude = fabs(value);
  int exponent = -14;
  if (magnitude >= 0x1p-14) frexp(magnitude, &exponent), --exponent;
  const int units = (int)ldexp(magnitude, 10 - exponent);
  const int bits = magnitude >= 0x1p-14 ? (exponent + 15) << 10 | (units - 1024) : units;
  return (unsigned short)(bits | (value < 0 ? 0x8000 : 0));
}
)"},
    CFunction{"number_of", R"(
static struct number number_of(double value, double error) {
  return (struct number){value, isnan(error) ? INFINITY : error};
}
)"},
    CFunction{"exactly", R"(
static struct number exactly(double value) { return (struct number){value, 0}; }
)"},
    CFunction{"rounded", R"(
static struct number rounded(struct number a, double epsilon) {
  return number_of(a.value, a.error + epsilon * fabs(a.value));
}
)"},
    CFunction{"plus", R"(
static struct number plus(struct number a, struct number b) {
  const double value = a.value + b.value;
  return number_of(value, a.error + b.error + kEpsilon * fabs(value));
}
)"},
    CFunction{"minus", R"(
static struct number minus(struct number a, struct number b) {
  const double value = a.value - b.value;
  return number_of(value, a.error + b.error + kEpsilon * fabs(value));
}
)"},
    CFunction{"times", R"(
static struct number times(struct number a, struct number b) {
  const double value = a.value * b.value;
  return number_of(value, fabs(a.value) * b.error + fabs(b.value) * a.error + a.error * b.error + kEpsilon * fabs(value));
}
)"},
    CFunction{"divided_by", R"(
static struct number divided_by(struct number a, struct number b) {
  const double value = a.value / b.value, least = fabs(b.value) - b.error;
  if (!(least > 0)) return number_of(value, b.error == 0 && a.error == 0 ? 0 : INFINITY);
  return number_of(value, (a.error + fabs(value) * b.error) / least + kEpsilon * fabs(value));
}
)"},
    CFunction{"least_of", R"(
static struct number least_of(struct number a, struct number b) {
  return number_of(a.value < b.value ? a.value : b.value, fmax(a.error, b.error));
}
)"},
    CFunction{"greatest_of", R"(
static struct number greatest_of(struct number a, struct number b) {
  return number_of(a.value > b.value ? a.value : b.value, fmax(a.error, b.error));
}
)"},
    CFunction{"magnitude", R"(
static struct number magnitude(struct number a) { return number_of(fabs(a.value), a.error); }
)"},
    CFunction{"reciprocal_root", R"(
static double reciprocal_root(double x) { return 1 / sqrt(x); }
)"},
    CFunction{"logistic", R"(
static double logistic(double x) { return 1 / (1 + exp(-x)); }
)"},
    CFunction{"round_tf32", R"(
/* To 10 bits behind the point, ties away from 0; of a float, whose smallest is 2^-149. */
static double round_tf32(double x) {
  int exponent = 0;
  frexp(x, &exponent);
  const double unit = ldexp(1, exponent < -125 ? -136 : exponent - 11);
  return isfinite(x) ? (float)(round(x / unit) * unit) : x;
}
)"},
    CFunction{"monotone", R"(
/* The kernel's functions are right to a few units in the last place. */
static struct number monotone(double (*function)(double), struct number a) {
  const double value = function(a.value), own = 8 * kEpsilon * fabs(value);
  if (a.error == 0) return number_of(value, own);
  const double below = fabs(function(a.value - a.error) - value), above = fabs(function(a.value + a.error) - value);
  return number_of(value, isnan(below) || isnan(above) ? INFINITY : fmax(below, above) + own);
}
)"},
    CFunction{"power", R"(
static struct number power(struct number a, struct number b) {
  const double value = pow(a.value, b.value);
  double error = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const double x = a.value + (corner & 1 ? a.error : -a.error), y = b.value + (corner & 2 ? b.error : -b.error);
    const double distance = fabs(pow(x, y) - value);
    error = isnan(distance) && !isnan(value) ? INFINITY : fmax(error, distance);
  }
  return number_of(value, error + 8 * kEpsilon * fabs(value));
}
)"},
    CFunction{"is_less", R"(
static int is_less(struct number a, struct number b) {
  if (a.value + a.error < b.value - b.error) return 2;
  return a.value - a.error < b.value + b.error;
}
)"},
    CFunction{"is_equal", R"(
static int is_equal(struct number a, struct number b) {
  if (a.error == 0 && b.error == 0) return a.value == b.value ? 2 : 0;
  return fabs(a.value - b.value) <= a.error + b.error;
}
)"},
    CFunction{"both", R"(
static int both(int a, int b) { return a < b ? a : b; }
)"},
    CFunction{"either", R"(
static int either(int a, int b) { return a > b ? a : b; }
)"},
    CFunction{"choose", R"(
static struct number choose(int condition, struct number a, struct number b) {
  if (condition != 1) return condition == 2 ? a : b;
  return number_of(a.value, a.error + b.error + fabs(a.value - b.value));
}
)"},
};

/// Tensors have names of their own, which the texts tell in comments.
std::string without_comments(std::string text) {
  for (std::size_t at = text.find("/*"); at != std::string::npos; at = text.find("/*", at)) {
    const std::size_t end = text.find("*/", at);
    text.erase(at, end == std::string::npos ? end : end + 2 - at);
  }
  return text;
}

bool is_part_of_a_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

}  // namespace

bool c_mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool goes_on = end < text.size() && is_part_of_a_word(text[end]);
    if (!goes_on && (at == 0 || !is_part_of_a_word(text[at - 1]))) return true;
  }
  return false;
}

std::string c_arithmetic_for(const std::string& source) {
  const std::string text = without_comments(source);
  std::string needed;
  for (auto function = kFunctions.rbegin(); function != kFunctions.rend(); ++function) {
    if (c_mentions(text, function->name) || c_mentions(needed, function->name)) needed.insert(0, function->text);
  }
  if (!c_mentions(text + needed, "number")) return needed;  // integers only
  return R"(
/* What is right, and what the kernel's may differ from it by. */
struct number {
  double value, error;
};
)" + needed;
}

}  // namespace nestwright
