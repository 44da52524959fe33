// Functions of one operand, element by element.
#include <fmt/format.h>

#include "onnx/operators/pointwise.h"
#include "onnx/operators/tables.h"

namespace nestwright {
namespace {

/// The formula where {a} is the attribute alpha, {b} is beta and {g} is gamma, which default to these numbers.
template <class... Numbers>
std::string with_numbers(const char* formula, const Numbers&... numbers) {
  return fmt::format(fmt::runtime(formula), numbers...);
}

std::string alpha(const OperatorCall& call, double otherwise) { return literal_of(call.real("alpha", otherwise)); }

void relu(OperatorCall& call) { set_pointwise(call, "max({0},0)"); }

void leaky_relu(OperatorCall& call) {
  const double slope = call.real("alpha", 0.01);
  const char* const formula = slope >= 0 && slope <= 1 ? "max({{0}},{{0}}*{0})" : "select({{0}}<0,{{0}}*{0},{{0}})";
  set_pointwise(call, with_numbers(formula, literal_of(slope)));
}

void elu(OperatorCall& call) {
  set_pointwise_in_float32(call, with_numbers("select({{0}}>0,{{0}},{0}*(exp({{0}})-1))", alpha(call, 1)));
}

void selu(OperatorCall& call) {
  const double gamma = call.real("gamma", 1.0507010221481323);
  set_pointwise_in_float32(call, with_numbers("{1}*select({{0}}>0,{{0}},{0}*(exp({{0}})-1))",
                                              alpha(call, 1.6732631921768188), literal_of(gamma)));
}

void celu(OperatorCall& call) {
  set_pointwise_in_float32(call, with_numbers("max({{0}},0)+min({0}*(exp({{0}}/{0})-1),0)", alpha(call, 1)));
}

void prelu(OperatorCall& call) { set_pointwise(call, "select({0}<0,{1}*{0},{0})", 2); }

void thresholded_relu(OperatorCall& call) {
  set_pointwise(call, with_numbers("select({{0}}>{0},{{0}},0)", alpha(call, 1)));
}

void hard_sigmoid(OperatorCall& call) {
  const std::string beta = literal_of(call.real("beta", 0.5));
  set_pointwise_in_float32(call, with_numbers("clamp({{0}}*{0}+{1},0,1)", literal_of(call.real("alpha", 0.2)), beta));
}

void gelu(OperatorCall& call) {
  const std::string kind = call.text("approximate", "none");
  call.require_valid(kind == "none" || kind == "tanh", "approximate is neither none nor tanh");
  set_pointwise_in_float32(call, kind == "none" ? "{0}*0.5*(erf({0}*0.7071067811865476)+1)"
                                                : "{0}*0.5*(tanh(({0}+{0}*{0}*{0}*0.044715)*0.7978845608028654)+1)");
}

void swish(OperatorCall& call) {
  const double slope = call.real("alpha", 1);
  set_pointwise_in_float32(
      call, slope == 1 ? "{0}*sigmoid({0})" : with_numbers("{{0}}*sigmoid({{0}}*{0})", literal_of(slope)));
}

void shrink(OperatorCall& call) {
  const std::string lambda = literal_of(call.real("lambd", 0.5)), bias = literal_of(call.real("bias", 0));
  set_pointwise(call, with_numbers("select({{0}}>{0},{{0}}-{1},select({{0}}<-{0},{{0}}+{1},0))", lambda, bias));
}

void sign(OperatorCall& call) {
  const ir::Type type = call.type(0).type;
  if (type.is_float()) {
    set_pointwise(call, fmt::format("{0}(select({{0}}>0,1,select({{0}}<0,-1,0)))", type.str()));
  } else {
    set_pointwise(call, type.code == ir::TypeCode::kUInt ? "min({0},1)" : "clamp({0},-1,1)");
  }
}

void round_down(OperatorCall& call) { set_pointwise(call, "floor({0})"); }
void round_up(OperatorCall& call) { set_pointwise(call, "ceil({0})"); }
void round_to_even(OperatorCall& call) { set_pointwise(call, "round({0})"); }

void is_inf(OperatorCall& call) {
  const bool positive = call.integer("detect_positive", 1) != 0, negative = call.integer("detect_negative", 1) != 0;
  const char* formula = "{0}!={0}&&{0}=={0}";
  if (positive && negative) formula = "abs({0})==inf";
  if (positive && !negative) formula = "{0}==inf";
  if (!positive && negative) formula = "{0}==-inf";
  set_pointwise(call, formula, 1, kBool);
}

// The language does not have these: they are rational or polynomial formulas (Cephes) of float32's accuracy.

/// Horner's scheme: (c0*z+c1)*z+c2 ...
std::string polynomial(const std::string& z, const std::vector<double>& coefficients) {
  std::string text = literal_of(coefficients.front());
  for (std::size_t i = 1; i < coefficients.size(); ++i) {
    text = fmt::format("({}*{}+{})", text, z, literal_of(coefficients[i]));
  }
  return text;
}

void require_float32_is_enough(const OperatorCall& call) {
  call.require(call.type(0).type != kFloat64, "float64 is not supported");
}

/// The arc sine of a number from 0 to 1.
std::string arc_sine(const std::string& x) {
  const std::string half = fmt::format("(0.5-{}*0.5)", x);
  const std::string z = fmt::format("select({0}>0.5,{1},{0}*{0})", x, half);
  const std::string root = fmt::format("select({0}>0.5,sqrt({1}),{0})", x, half);
  const std::string p =
      polynomial(z, {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2, 1.6666752422e-1});
  const std::string sine = fmt::format("({0}*{1}*{2}+{2})", p, z, root);
  return fmt::format("select({0}>0.5,1.5707963267948966-2*{1},{1})", x, sine);
}

void asin(OperatorCall& call) {
  require_float32_is_enough(call);
  const std::string sine = arc_sine("abs({0})");
  set_pointwise_in_float32(call, "select({0}<0,-" + sine + "," + sine + ")");
}

/// Two times the arc sine of sqrt((1 - x) / 2) is accurate near 1.
void acos(OperatorCall& call) {
  require_float32_is_enough(call);
  const std::string sine = arc_sine("abs({0})"), near_1 = arc_sine("sqrt(max(0.5-{0}*0.5,0))");
  set_pointwise_in_float32(
      call, "select({0}>0.5,2*" + near_1 + ",1.5707963267948966-select({0}<0,-" + sine + "," + sine + "))");
}

void atan(OperatorCall& call) {
  require_float32_is_enough(call);
  const std::string x = "abs({0})";
  const auto by_part = [&](const std::string& large, const std::string& middle, const std::string& small) {
    return fmt::format("select({0}>2.414213562373095,{1},select({0}>0.4142135623730951,{2},{3}))", x, large, middle,
                       small);
  };
  const std::string reduced = by_part("-1/" + x, "(" + x + "-1)/(" + x + "+1)", x);
  const std::string z = "(" + reduced + "*" + reduced + ")";
  const std::string p = polynomial(z, {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1});
  const std::string angle = by_part("1.5707963267948966", "0.7853981633974483", "0.0");
  set_pointwise_in_float32(call, fmt::format("select({{0}}<0,-1.0,1.0)*({0}+{1}*{2}*{3}+{3})", angle, p, z, reduced));
}

// Where the exponentials nearly cancel, the first terms of the series.

void sinh(OperatorCall& call) {
  const std::string series = "{0}+{0}*" + polynomial("({0}*{0})", {1.0 / 5040, 1.0 / 120, 1.0 / 6, 0});
  set_pointwise_in_float32(call, "select(abs({0})<0.5," + series + ",0.5*(exp({0})-exp(-{0})))");
}

void asinh(OperatorCall& call) {
  const std::string series = "{0}+{0}*" + polynomial("({0}*{0})", {-15.0 / 336, 3.0 / 40, -1.0 / 6, 0});
  const std::string logarithm = "log(abs({0})+sqrt({0}*{0}+1))";
  set_pointwise_in_float32(call,
                           "select(abs({0})<0.2," + series + ",select({0}<0,-" + logarithm + "," + logarithm + "))");
}

void atanh(OperatorCall& call) {
  const std::string series = "{0}+{0}*" + polynomial("({0}*{0})", {1.0 / 7, 1.0 / 5, 1.0 / 3, 0});
  set_pointwise_in_float32(call, "select(abs({0})<0.1," + series + ",0.5*log((1+{0})/(1-{0})))");
}

/// A function whose formula is fixed.
struct Formula {
  const char* name;
  const char* text;
  bool rounds_once = false;
};

constexpr Formula kFormulas[] = {
    {"Abs", "abs({0})", true},
    {"Acosh", "log({0}+sqrt(({0}-1)*({0}+1)))"},
    {"BitwiseNot", "-{0}-1"},
    {"Cos", "cos({0})", true},
    {"Cosh", "0.5*(exp({0})+exp(-{0}))"},
    {"Erf", "erf({0})", true},
    {"Exp", "exp({0})", true},
    {"HardSwish", "{0}*clamp({0}*0.16666667+0.5,0,1)"},
    {"Log", "log({0})", true},
    // x * tanh(log(1 + e^x)); from 20 on the factor is 1.
    {"Mish", "{0}/(2/((exp(min({0},20))+2)*exp(min({0},20)))+1)"},
    {"Neg", "-{0}", true},
    {"Not", "!{0}", true},
    {"Reciprocal", "1/{0}", true},
    {"Sigmoid", "sigmoid({0})", true},
    {"Sin", "sin({0})", true},
    {"Softsign", "{0}/(abs({0})+1)"},
    {"Sqrt", "sqrt({0})", true},
    {"Tan", "sin({0})/cos({0})"},
    {"Tanh", "tanh({0})", true},
};

void fixed_formula(OperatorCall& call) {
  for (const Formula& formula : kFormulas) {
    if (call.op() != formula.name) continue;
    if (formula.rounds_once) {
      set_pointwise(call, formula.text);
    } else {
      set_pointwise_in_float32(call, formula.text);
    }
  }
}

/// log(1 + e^x), which is not more than e^x where that is small: there the series of the logarithm.
void softplus(OperatorCall& call) {
  const std::string e = "exp(-abs({0}))";
  set_pointwise_in_float32(call,
                           fmt::format("max({{0}},0)+select({0}<0.01,{0}-{0}*{0}*(0.5-{0}*0.33333333),log({0}+1))", e));
}

void is_nan(OperatorCall& call) { set_pointwise(call, "{0}!={0}", 1, kBool); }

}  // namespace

std::vector<OnnxOperator> activation_operators() {
  std::vector<OnnxOperator> operators = {
      {"Acos", 7, kNewestOpset, {}, acos},
      {"Asin", 7, kNewestOpset, {}, asin},
      {"Asinh", 9, kNewestOpset, {}, asinh},
      {"Atan", 7, kNewestOpset, {}, atan},
      {"Atanh", 9, kNewestOpset, {}, atanh},
      {"Ceil", 6, kNewestOpset, {}, round_up},
      {"Celu", 12, kNewestOpset, {"alpha"}, celu},
      {"Elu", 6, kNewestOpset, {"alpha"}, elu},
      {"Floor", 6, kNewestOpset, {}, round_down},
      {"Gelu", 20, kNewestOpset, {"approximate"}, gelu},
      {"HardSigmoid", 6, kNewestOpset, {"alpha", "beta"}, hard_sigmoid},
      {"IsInf", 10, kNewestOpset, {"detect_negative", "detect_positive"}, is_inf},
      {"IsNaN", 9, kNewestOpset, {}, is_nan},
      {"LeakyRelu", 6, kNewestOpset, {"alpha"}, leaky_relu},
      {"PRelu", 7, kNewestOpset, {}, prelu},
      {"Relu", 6, kNewestOpset, {}, relu},
      {"Round", 11, kNewestOpset, {}, round_to_even},
      {"Selu", 6, kNewestOpset, {"alpha", "gamma"}, selu},
      {"Shrink", 9, kNewestOpset, {"bias", "lambd"}, shrink},
      {"Sign", 9, kNewestOpset, {}, sign},
      {"Sinh", 9, kNewestOpset, {}, sinh},
      {"Softplus", 1, kNewestOpset, {}, softplus},
      {"Swish", 24, kNewestOpset, {"alpha"}, swish},
      {"ThresholdedRelu", 10, kNewestOpset, {"alpha"}, thresholded_relu},
  };
  for (const Formula& formula : kFormulas) operators.push_back({formula.name, 6, kNewestOpset, {}, fixed_formula});
  return operators;
}

}  // namespace nestwright
