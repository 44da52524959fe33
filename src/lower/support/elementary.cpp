// Range reduction follows W. Cody and W. Waite, "Software Manual for the Elementary Functions" (1980), with their
// constant 355/512 for the upper part of ln 2; log follows S. Moshier's Cephes library (logf.c). The split of erf into
// a polynomial and 1 - exp(polynomial) at 0.93 is N. Juffa's (stackoverflow.com/a/35148199).
//
// The polynomials are our own. They are minimax in the relative error of the function, by Lawson's weighted least
// squares on 800 Chebyshev points of values computed to 40 digits; coefficients are rounded to float32 one by one from
// the lowest on, and the others fitted again each time. The remaining error is stated beside each.
//
// Every product that is added to something is an explicit fma if the target has one. The backend then has nothing to
// contract, and compiled code and interpreter agree to the bit.
#include "lower/support/elementary.h"

#include <algorithm>
#include <array>
#include <limits>

#include "lower/support/vector_math.h"
#include "nestwright/error.h"
#include "nestwright/expr.h"

namespace nestwright {

using namespace ir;

namespace {

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2Upper = 0.693359375;                  // 355/512: its product with an exponent is exact
constexpr double kLn2Lower = -2.1219444005469058e-4;       // ln 2 - 355/512
constexpr double kLog2EUpper = 1.44269502162933349609375;  // log2 e rounded to float32
constexpr double kLog2ELower = 1.9259629911266175e-8;      // log2 e - kLog2EUpper

// exp(r) = 1 + r + r^2 Q(r) for |r| <= 0.3476, 3.2e-9.
constexpr std::array kExp{1.0, 1.0, 0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558bep-5, 0x1.1239eap-7, 0x1.6a3ffp-10};
// log(1 + f) = f - f^2/2 + f^3 P(f) for sqrt(1/2) <= 1 + f <= sqrt(2), 7.7e-10.
constexpr std::array kLog{0x1.555548p-2,  -0x1.000006p-2, 0x1.99a478p-3,  -0x1.555c48p-3, 0x1.233b62p-3,
                          -0x1.fc278ap-4, 0x1.e6c372p-4,  -0x1.de0d26p-4, 0x1.147962p-4};
// tanh(x) = x + x^3 P(x^2) for |x| <= 0.55, 1.2e-9.
constexpr double kTanhSmall = 0.55;
constexpr std::array kTanh{-0x1.55554ap-2, 0x1.110ceep-3, -0x1.b91e7ep-5, 0x1.58e518p-6, -0x1.9921a2p-8};
// erf(x) = x + x P(x^2) for |x| <= 0.93, 9e-10, and log(erfc(x)) = -x + x Q(x) for 0.92 <= x <= 4, 7.4e-10 of erf.
constexpr double kErfSmall = 0.925;
constexpr std::array kErf{0x1.06eba8p-3, -0x1.81274p-2,   0x1.ce2d64p-4, -0x1.b8011ap-6,
                          0x1.544a1ap-8, -0x1.a60a2ep-11, 0x1.4f676p-14};
constexpr std::array kErfc{-0x1.0778dcp-3, -0x1.45328ep-1, -0x1.b32568p-4, 0x1.855122p-6,
                           -0x1.dd6ba8p-9, 0x1.52795ep-12, -0x1.78d142p-17};

constexpr double kRounder = 12582912;  // 1.5 * 2^23
constexpr std::int64_t kRounderBits = 0x4b400000;
constexpr std::int64_t kExponentUnit = std::int64_t{1} << 23;  // lowest bit of a float32's exponent

Expr bits_of(const Expr& x) { return reinterpret(kInt32, x); }
Expr float_of(const Expr& bits) { return reinterpret(kFloat32, bits); }
Expr like(const Expr& x, double value) { return make_float(value, x.type()); }
// The lesser, or the greater, of `limit` and x; NaN where x is.
Expr at_most(double limit, const Expr& x) { return select(like(x, limit) < x, like(x, limit), x); }
Expr at_least(double limit, const Expr& x) { return select(like(x, limit) > x, like(x, limit), x); }
// 2^n for -126 <= n <= 127.
Expr power_of_2(const Expr& n) { return float_of((n + 127) * kExponentUnit); }
// x * 2^n. Requires x and the product to be normal numbers.
Expr times_power_of_2(const Expr& x, const Expr& n) { return float_of(bits_of(x) + n * kExponentUnit); }
// `magnitude` with the sign of `sign`.
Expr with_sign(const Expr& magnitude, const Expr& sign) { return select(bits_of(sign) < 0, -magnitude, magnitude); }

}  // namespace

Expr Elementary::hold(const char* name, const Expr& value) {
  if (value.as<VarRef>() || value.as<FloatImm>() || value.as<IntImm>()) return value;
  const Var var(name, value.type());
  lets_.emplace_back(var, value);
  return var;
}

Expr Elementary::fma(const Expr& a, const Expr& b, const Expr& c) const {
  return machine_.fma ? ir::fma(a, b, c) : a * b + c;
}

Expr Elementary::polynomial(const Expr& x, std::span<const double> c) {
  if (form_ == PolynomialForm::kEstrin) return in_estrin_form(x, c);
  Expr value = like(x, c.back());
  for (std::size_t i = c.size() - 1; i-- > 0;) value = fma(value, x, like(x, c[i]));
  return value;
}

// Sums of pairs of terms, then of pairs of these by the square of x, and so on.
Expr Elementary::in_estrin_form(const Expr& x, std::span<const double> c) {
  std::vector<Expr> terms;
  for (const double coefficient : c) terms.push_back(like(x, coefficient));
  Expr power = x;
  while (true) {
    std::vector<Expr> sums;
    for (std::size_t i = 0; i < terms.size(); i += 2) {
      sums.push_back(i + 1 < terms.size() ? fma(terms[i + 1], power, terms[i]) : terms[i]);
    }
    if (sums.size() == 1) return sums.front();
    terms = std::move(sums);
    power = hold("power", power * power);
  }
}

Elementary::Reduced Elementary::reduce_exp(const Expr& x) {
  // The sum has no fraction digits: its last bits are the integer nearest to x / ln 2.
  const Expr shifted = hold("shifted", fma(x, like(x, kLog2E), like(x, kRounder)));
  const Expr quotient = hold("quotient", shifted - kRounder);
  const Expr upper = fma(quotient, like(x, -kLn2Upper), x);
  const Expr rest = hold("rest", fma(quotient, like(x, -kLn2Lower), upper));
  if (machine_.fma && form_ == PolynomialForm::kHorner) return {polynomial(rest, kExp), quotient, shifted};
  // The terms of degree 0 and 1 last: without fma the last two steps of Horner's form would round twice each, and the
  // last sums of Estrin's form would be of numbers near 1.
  const Expr tail = polynomial(rest, std::span(kExp).subspan<2>());
  return {fma(tail, rest * rest, rest) + 1.0, quotient, shifted};
}

Expr Elementary::Reduced::n() const { return bits_of(shifted) - kRounderBits; }

Expr Elementary::exp(const Expr& x) {
  // Beyond these bounds the result is 0 or infinity.
  const Reduced reduced = reduce_exp(hold("x", at_most(89, hold("x", at_least(-104, x)))));
  if (machine_.scale) return scale(reduced.power, reduced.quotient);
  // In two steps, so that both factors are normal numbers and only the last product is rounded.
  const Expr n = hold("n", reduced.n()), half = hold("half", n / 2);
  return reduced.power * power_of_2(half) * power_of_2(n - half);
}

// Requires -87 <= x <= 88; the result for NaN is unspecified.
Expr Elementary::exp_between(const Expr& x) {
  const Reduced reduced = reduce_exp(x);
  return machine_.scale ? scale(reduced.power, reduced.quotient) : times_power_of_2(reduced.power, reduced.n());
}

Expr Elementary::log(const Expr& x) { return logarithm(x, false); }
Expr Elementary::log2(const Expr& x) { return logarithm(x, true); }

Expr Elementary::logarithm(const Expr& x, bool to_base_2) {
  constexpr std::int64_t kSqrtHalfBits = 0x3f3504f3, kNaNBits = 0x7fc00000;
  const Expr denormal = hold("denormal", x < 0x1p-126);
  const Expr bits = hold("bits", bits_of(select(denormal, x * 0x1p23, x)));
  const Expr exponent = hold("exponent", (bits - kSqrtHalfBits) / kExponentUnit);
  const Expr f = hold("f", float_of(bits - exponent * kExponentUnit) - 1.0);
  const Type integers = exponent.type();
  const Expr k = hold("k", cast(kFloat32, exponent - select(denormal, make_int(23, integers), make_int(0, integers))));
  const Expr inner = fma(f, polynomial(f, kLog), like(x, -0.5));
  const Expr natural = fma(f * f, inner, f);
  Expr y;
  if (to_base_2) {
    const Expr r = hold("r", natural);
    y = fma(r, like(x, kLog2EUpper), fma(r, like(x, kLog2ELower), k));
  } else {
    y = fma(k, like(x, kLn2Upper), fma(k, like(x, kLn2Lower), natural));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const Expr nan = float_of(make_int(kNaNBits, integers));
  const Expr of_positive = select(x == infinity, x, y);
  return select(x > 0.0, of_positive, select(x == 0.0, like(x, -infinity), nan));
}

Expr Elementary::tanh(const Expr& x) {
  const Expr size = hold("size", abs(x));
  const Expr square = hold("square", x * x);
  const Expr small = fma(size * square, polynomial(square, kTanh), size);
  // From 9.02 on the result is 1.
  const Expr e = exp_between(hold("twice", at_most(9.1, size) * 2.0));
  const Expr large = 1.0 - 2.0 / (e + 1.0);
  return with_sign(hold("magnitude", select(size >= kTanhSmall, large, small)), x);
}

// exp of a negative number cannot overflow, and equals the sigmoid if that is denormal.
Expr Elementary::sigmoid(const Expr& x) {
  const Expr e = hold("e", exp(hold("below", -abs(x))));
  return select(x < 0.0, e, like(x, 1)) / (e + 1.0);
}

Expr Elementary::erf(const Expr& x) {
  const Expr size = hold("size", abs(x));
  const Expr square = hold("square", x * x);
  const Expr small = fma(size, polynomial(square, kErf), size);
  // From 3.92 on the result is 1.
  const Expr bounded = hold("bounded", at_most(4, size));
  const Expr large = 1.0 - exp_between(hold("u", fma(bounded, polynomial(bounded, kErfc), -bounded)));
  return with_sign(hold("magnitude", select(size >= kErfSmall, large, small)), x);
}

// All functions that are expanded, with their stated errors (lower/support/vector_math.h).
const Elementary::Formula* Elementary::formula_of(Intrinsic intrinsic) {
  static constexpr std::array<Formula, 6> kFormulas = {{{Intrinsic::kExp, 1.1, &Elementary::exp},
                                                        {Intrinsic::kLog, 1.5, &Elementary::log},
                                                        {Intrinsic::kLog2, 2.0, &Elementary::log2},
                                                        {Intrinsic::kTanh, 2.0, &Elementary::tanh},
                                                        {Intrinsic::kSigmoid, 2.5, &Elementary::sigmoid},
                                                        {Intrinsic::kErf, 1.5, &Elementary::erf}}};
  const auto found = std::find_if(kFormulas.begin(), kFormulas.end(),
                                  [&](const Formula& formula) { return formula.intrinsic == intrinsic; });
  return found == kFormulas.end() ? nullptr : found;
}

Expr Elementary::apply(Intrinsic intrinsic, const Expr& operand) {
  const Formula* formula = formula_of(intrinsic);
  check(formula != nullptr, "a function without a formula is expanded");
  return (this->*formula->expand)(hold("x", operand));
}

double stated_ulp(Intrinsic intrinsic) {
  const auto* formula = Elementary::formula_of(intrinsic);
  check(formula != nullptr, "the error of a function that is not expanded");
  return formula->ulp;
}

bool is_expanded(Intrinsic intrinsic, Type type) {
  return type.is_float() && type.bits <= 32 && Elementary::formula_of(intrinsic) != nullptr;
}

}  // namespace nestwright
