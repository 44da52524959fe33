#include "text_operator/product_templates.h"

#include <algorithm>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "nestwright/tensor.h"
#include "templates/framework/space/completion.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/shape.h"
#include "text/analysis/product.h"

namespace nestwright {
namespace {

constexpr const char* kTypes[] = {"float32", "float64", "bfloat16", "float16", "int8", "uint8"};

/// The matmul's type that has these types; empty where there is none.
std::string type_name(const text::Program& program, const text::Product& product) {
  for (const char* const name : kTypes) {
    const MatmulTypes types = matmul_types(ir::Type::parse(name));
    const bool fits = types.a == program.tensors[product.a].type && types.b == program.tensors[product.b].type &&
                      types.c == program.tensors[product.c].type && types.sum == product.sum;
    if (fits) return name;
  }
  return "";
}

Workload product_of(const text::Expression& expression) {
  const std::optional<Workload> product = matmul_workload_of(expression);
  check(product.has_value(), "an expression is a product whatever its sizes are");
  return *product;
}

/// The registry's operator of that name. nullptr if there is none, or if it has other parameters than `op`, and so is
/// another operator.
const Operator* find_same_operator(const Registry& registry, const Operator& op) {
  const auto names = [](const OperatorParameter& a, const OperatorParameter& b) { return a.name == b.name; };
  for (const std::shared_ptr<const Operator>& other : registry.operators()) {
    if (other->name == op.name && std::ranges::equal(other->parameters, op.parameters, names)) return other.get();
  }
  return nullptr;
}

/// Which arguments of an expression are A, B and C of its product, whatever its sizes are.
struct ArgumentsOf {
  std::size_t a = 0, b = 0, c = 0;
};

ArgumentsOf arguments_of(const text::Expression& expression) {
  const text::Product product = *text::find_product(expression.program());
  const std::vector<std::size_t> parameters = expression.program().parameters();
  const auto argument = [&](std::size_t tensor) {
    return static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), tensor) - parameters.begin());
  };
  return {argument(product.a), argument(product.b), argument(product.c)};
}

/// The matmul that takes the place of a definition, whose calls pass the same tensors in the same shapes.
Definition matmul_of(const Workload& product, const Definition& definition, const ArgumentsOf& at) {
  const auto passed = [&](std::size_t argument) { return ir::constants_of(passed_shape(definition.args[argument])); };
  return define_matmul(product, {.a = passed(at.a), .b = passed(at.b), .c = passed(at.c)});
}

Template for_text(const Template& source, const ParsedText& text, const ArgumentsOf& at) {
  Template made = source;
  made.schedule = [source, text, at](Tuning& tuning, const Workload& workload, Definition& definition,
                                     const Target& target) {
    const Workload product = product_of(*text.expression_of(workload));
    Definition matmul = matmul_of(product, definition, at);
    Schedule schedule = source.schedule(tuning, product, matmul, target);
    definition.args[at.a] = matmul.args[0];
    definition.args[at.b] = matmul.args[1];
    definition.args[at.c] = matmul.args.back();
    return schedule;
  };
  made.seeds = [source, text](const Workload& workload, const Target& target) {
    return seeds_of(source, product_of(*text.expression_of(workload)), target);
  };
  if (source.why_not) {
    made.why_not = [source, text](const Workload& workload, const Target& target) {
      return source.why_not(product_of(*text.expression_of(workload)), target);
    };
  }
  return made;
}

}  // namespace

std::optional<Workload> matmul_workload_of(const text::Expression& expression) {
  const std::optional<text::Product> product = text::find_product(expression.program());
  if (!product) return std::nullopt;
  const std::string type = type_name(expression.program(), *product);
  if (type.empty()) return std::nullopt;
  // An index over batches counts even if its extent is 1: an expression is a product whatever its sizes are.
  if (product->has_batch && !has_matmul_forms(ir::Type::parse(type))) return std::nullopt;
  const auto given = [](const char* name, std::int64_t value) {
    return " " + std::string(name) + "=" + std::to_string(value);
  };
  // What the caller declares constant is packed in advance.
  const char* const prepared = expression.program().tensors[product->b].is_constant ? " prepared=b" : "";
  try {
    return parse_workload("matmul" + given("m", product->m) + given("n", product->n) + given("k", product->k) +
                          given("ta", product->ta ? 1 : 0) + given("tb", product->tb ? 1 : 0) +
                          given("batch", product->batch) + " dtype=" + type + prepared);
  } catch (const UsageError&) {
    return std::nullopt;  // it is larger than any address space
  }
}

std::vector<Template> product_templates(const ParsedText& text, const Registry& registry) {
  const std::optional<Workload> product = matmul_workload_of(text.given());
  std::vector<Template> templates;
  if (!product) return templates;
  const Operator* const matmul = find_same_operator(registry, *product->op);
  if (matmul == nullptr) return templates;
  const ArgumentsOf at = arguments_of(text.given());
  for (const Template& source : matmul->templates) {
    // Generic templates are made from the text itself, with the names of its tensors.
    if (!source.is_generic) templates.push_back(for_text(source, text, at));
  }
  return templates;
}

}  // namespace nestwright
