#include "text_operator/product_templates.h"

#include <algorithm>

#include "support/error.h"
#include "templates/framework/completion.h"
#include "templates/matmul/shape.h"
#include "templates/registry.h"
#include "text/product.h"

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

/// Puts the matmul's tensors in the place of the expression's.
void replace_tensors(Definition& definition, const Definition& matmul, const text::Expression& expression) {
  const text::Product product = *text::find_product(expression.program());
  const std::vector<std::size_t> parameters = expression.program().parameters();
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    definition.args[p] = parameters[p] == product.a   ? matmul.args[0]
                         : parameters[p] == product.b ? matmul.args[1]
                                                      : matmul.args.back();
  }
}

Template for_text(const Template& source, const ParsedText& text) {
  Template made = source;
  made.schedule = [source, text](Tuning& tuning, const Workload& workload, Definition& definition,
                                 const Target& target) {
    const auto expression = text.expression_of(workload);
    const Workload product = product_of(*expression);
    Definition matmul = product.op->define(product);
    Schedule schedule = source.schedule(tuning, product, matmul, target);
    replace_tensors(definition, matmul, *expression);
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
  try {
    return parse_workload("matmul" + given("m", product->m) + given("n", product->n) + given("k", product->k) +
                          given("ta", product->ta ? 1 : 0) + given("tb", product->tb ? 1 : 0) +
                          given("batch", product->batch) + " dtype=" + type);
  } catch (const UsageError&) {
    return std::nullopt;  // it is larger than any address space
  }
}

std::vector<Template> product_templates(const ParsedText& text) {
  const std::optional<Workload> product = matmul_workload_of(text.given());
  std::vector<Template> templates;
  if (!product) return templates;
  for (const Template& source : product->op->templates) templates.push_back(for_text(source, text));
  return templates;
}

}  // namespace nestwright
