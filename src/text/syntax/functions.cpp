#include "text/syntax/functions.h"

#include <algorithm>
#include <cmath>

#include "nestwright/expr.h"
#include "text/syntax/infix.h"

namespace nestwright::text {
namespace {

using Arguments = std::span<const ir::Expr>;
using Domain = NamedFunction::Domain;

/// The result of ir::scale() is unspecified for a number that is not whole. A literal stays one, which takes x's type.
ir::Expr scale_by_floor(const ir::Expr& x, const ir::Expr& n) {
  const auto* const literal = n.as<ir::FloatImm>();
  return ir::scale(x, literal != nullptr ? ir::make_float(std::floor(literal->written), n.type()) : ir::floor(n));
}

constexpr NamedFunction kFunctions[] = {
    {"exp", 1, Domain::kFloats, [](Arguments x) { return ir::exp(x[0]); }},
    {"log", 1, Domain::kFloats, [](Arguments x) { return ir::log(x[0]); }},
    {"log2", 1, Domain::kFloats, [](Arguments x) { return ir::log2(x[0]); }},
    {"sqrt", 1, Domain::kFloats, [](Arguments x) { return ir::sqrt(x[0]); }},
    {"rsqrt", 1, Domain::kFloats, [](Arguments x) { return ir::rsqrt(x[0]); }},
    {"tanh", 1, Domain::kFloats, [](Arguments x) { return ir::tanh(x[0]); }},
    {"sigmoid", 1, Domain::kFloats, [](Arguments x) { return ir::sigmoid(x[0]); }},
    {"erf", 1, Domain::kFloats, [](Arguments x) { return ir::erf(x[0]); }},
    {"sin", 1, Domain::kFloats, [](Arguments x) { return ir::sin(x[0]); }},
    {"cos", 1, Domain::kFloats, [](Arguments x) { return ir::cos(x[0]); }},
    {"pow", 2, Domain::kFloats, [](Arguments x) { return ir::pow(x[0], x[1]); }},
    {"scale", 2, Domain::kFloats, [](Arguments x) { return scale_by_floor(x[0], x[1]); }},
    {"round_tf32", 1, Domain::kOnlyFloat32, [](Arguments x) { return ir::round_tf32(x[0]); }},
    {"floor", 1, Domain::kNumbers, [](Arguments x) { return ir::floor(x[0]); }},
    {"ceil", 1, Domain::kNumbers, [](Arguments x) { return ir::ceil(x[0]); }},
    {"round", 1, Domain::kNumbers, [](Arguments x) { return ir::round(x[0]); }},
    {"trunc", 1, Domain::kNumbers, [](Arguments x) { return ir::trunc(x[0]); }},
    {"abs", 1, Domain::kNumbers, [](Arguments x) { return ir::abs(x[0]); }},
    {"min", 2, Domain::kNumbers, [](Arguments x) { return ir::min(x[0], x[1]); }},
    {"max", 2, Domain::kNumbers, [](Arguments x) { return ir::max(x[0], x[1]); }},
    {"clamp", 3, Domain::kNumbers, [](Arguments x) { return ir::clamp(x[0], x[1], x[2]); }},
    {"fma", 3, Domain::kNumbers, [](Arguments x) { return ir::fma(x[0], x[1], x[2]); }},
    {"select", 3, Domain::kSelect, [](Arguments x) { return ir::select(x[0], x[1], x[2]); }},
    {"&", 2, Domain::kInteger, [](Arguments x) { return x[0] & x[1]; }},
    {"|", 2, Domain::kInteger, [](Arguments x) { return x[0] | x[1]; }},
    {"^", 2, Domain::kInteger, [](Arguments x) { return x[0] ^ x[1]; }},
    {"<<", 2, Domain::kInteger, [](Arguments x) { return x[0] << x[1]; }},
    {">>", 2, Domain::kInteger, [](Arguments x) { return x[0] >> x[1]; }},
};

}  // namespace

const NamedFunction* find_function(std::string_view name) {
  const auto* found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                   [&](const NamedFunction& function) { return function.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const NamedFunction& function : kFunctions) {
    if (find_infix(function.name) == nullptr) names.emplace_back(function.name);
  }
  return names;
}

std::optional<ir::Type> find_type(std::string_view name) {
  for (const ir::Type type : ir::element_types()) {
    if (type.str() == name) return type;
  }
  return std::nullopt;
}

}  // namespace nestwright::text
