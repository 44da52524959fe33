#include "text_operator/product_templates.h"

#include <algorithm>

#include "nestwright/error.h"
#include "nestwright/tensor.h"
#include "templates/framework/space/completion.h"
#include "templates/matmul/matmul.h"
#include "templates/matmul/shape.h"
#include "text/analysis/epilogue.h"
#include "text/analysis/product_stage.h"
#include "text_operator/finished_sums.h"
#include "text_operator/registry_operator.h"

namespace nestwright {
namespace {

/// Of products that a network has many of, and the generated space serves as well: the budget of each is small.
constexpr std::size_t kMaxSeeds = 8;

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

/// The product of a text's first statement, as a workload of matmul.
struct TextProduct {
  text::ProductStage stage;
  Workload workload;
  /// Whether it is the whole text, in the shapes of a matmul.
  bool is_whole = false;
};

/// Which operand the caller declares constant, so that it may be packed before the calls.
const char* constant_operand(const text::Program& program, const text::Product& product) {
  if (program.tensors[product.b].is_constant) return "b";
  return program.tensors[product.a].is_constant ? "a" : "none";
}

/// `prepares`: a constant operand is packed before the calls.
std::optional<Workload> workload_of_product(const text::Program& program, const text::Product& product,
                                            bool has_epilogue, bool prepares) {
  const std::string type = type_name(program, product);
  if (type.empty()) return std::nullopt;
  // An index over batches counts even if its extent is 1: an expression is a product whatever its sizes are.
  if ((product.has_batch || has_epilogue) && !has_matmul_forms(ir::Type::parse(type))) return std::nullopt;
  const auto given = [](const char* name, std::int64_t value) {
    return " " + std::string(name) + "=" + std::to_string(value);
  };
  std::string text = "matmul" + given("m", product.m) + given("n", product.n) + given("k", product.k) +
                     given("ta", product.ta ? 1 : 0) + given("tb", product.tb ? 1 : 0) + given("batch", product.batch) +
                     " dtype=" + type;
  // Any epilogue has the same space.
  if (has_epilogue) text += " epilogue=relu";
  if (prepares) text += std::string(" prepared=") + constant_operand(program, product);
  try {
    return parse_workload(text);
  } catch (const UsageError&) {
    return std::nullopt;  // it is larger than any address space
  }
}

std::optional<TextProduct> product_of(const text::Program& program, bool prepares) {
  const bool has_epilogue = text::has_epilogue(program);
  if (program.stages.size() > 1 && !has_epilogue) return std::nullopt;
  std::optional<text::ProductStage> stage = text::find_product_stage(program, program.stages.front());
  if (!stage) return std::nullopt;
  const text::Product& product = stage->product;
  // What a form merges into the dimensions of a matrix cannot be read in the text's shape as well.
  if (has_epilogue && (text::epilogue_reads(program, product.a) || text::epilogue_reads(program, product.b))) {
    return std::nullopt;
  }
  std::optional<Workload> workload = workload_of_product(program, product, has_epilogue, prepares);
  if (!workload) return std::nullopt;
  return TextProduct{*stage, *std::move(workload), stage->is_plain && !has_epilogue};
}

/// The product as the template computes it: with a constant operand packed before the calls, if the template can.
std::optional<TextProduct> product_for(const Template& source, const text::Program& program, const Target& target) {
  std::optional<TextProduct> prepared = product_of(program, true);
  const bool serves = !prepared || !source.why_not || source.why_not(prepared->workload, target).empty();
  return serves ? prepared : product_of(program, false);
}

TextProduct required_product(const Template& source, const ParsedText& text, const Workload& workload,
                             const Target& target) {
  std::optional<TextProduct> product = product_for(source, text.expression_of(workload)->program(), target);
  check(product.has_value(), "templates of products serve products");
  return *std::move(product);
}

/// The positions of A and B among the arguments of an expression.
struct ArgumentsOf {
  std::size_t a = 0, b = 0;
};

ArgumentsOf arguments_of(const text::Program& program, const text::Product& product) {
  const std::vector<std::size_t> parameters = program.parameters();
  const auto argument = [&](std::size_t tensor) {
    return static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), tensor) - parameters.begin());
  };
  return {argument(product.a), argument(product.b)};
}

/// Where the elements of a factor's matrices lie.
MatmulStorage storage_of(const text::ProductStage& stage, const text::FactorLayout& layout) {
  using Dimension = text::ProductDimension;
  const bool is_a = &layout == &stage.a, is_transposed = is_a ? stage.product.ta : stage.product.tb;
  const Dimension across = is_a ? Dimension::kRows : Dimension::kColumns;
  // Stored rows run along the summed dimension: those of A unless it is transposed, those of B if it is.
  const Dimension columns = is_a != is_transposed ? Dimension::kSummed : across;
  MatmulStorage storage;
  for (const text::FactorDimension& dimension : layout.dimensions) storage.shape.push_back(dimension.extent);
  storage.at = [dimensions = layout.dimensions, columns, batches = stage.product.batch](
                   const Expr& batch, const Expr& row, const Expr& column) {
    std::vector<Expr> at;
    for (const text::FactorDimension& dimension : dimensions) {
      if (dimension.of != Dimension::kBatch) {
        at.push_back(dimension.of == columns ? column : row);
        continue;
      }
      const Expr quotient = dimension.step == 1 ? batch : batch / Expr(dimension.step);
      at.push_back(dimension.step * dimension.extent == batches ? quotient : quotient % Expr(dimension.extent));
    }
    return at;
  };
  return storage;
}

MatmulFactor factor_of(const text::ProductStage& stage, const text::FactorLayout& layout, const Tensor& given) {
  MatmulFactor factor{.name = given.name(), .has_batch = layout.has_batch};
  factor.passed = ir::constants_of(passed_shape(given));
  if (!layout.is_compact) factor.storage = storage_of(stage, layout);
  return factor;
}

/// The matmul that takes the place of a text's definition, whose calls pass the same tensors in the same shapes.
Definition matmul_of(const TextProduct& product, const text::Program& program, const Definition& definition) {
  const ArgumentsOf at = arguments_of(program, product.stage.product);
  const auto passed = [](const Tensor& tensor) { return ir::constants_of(passed_shape(tensor)); };
  const Tensor &a = definition.args[at.a], &b = definition.args[at.b], &c = definition.args.back();
  if (product.is_whole) return define_matmul(product.workload, {.a = passed(a), .b = passed(b), .c = passed(c)});
  const std::string& first = program.tensors[program.stages.front().tensor].name;
  const MatmulSums made = make_matmul_sums(product.workload, factor_of(product.stage, product.stage.a, a),
                                           factor_of(product.stage, product.stage.b, b), first);
  Definition matmul{.args = {made.a, made.b}, .inputs = definition.inputs, .flops = definition.flops};
  if (program.stages.size() == 1) {
    matmul.args.push_back(passed_like(made.sums, c));
    return matmul;
  }
  const text::ProductStage& stage = product.stage;
  std::vector<std::vector<std::string>> axes{stage.rows, stage.columns};
  if (stage.product.batch > 1) axes.insert(axes.begin(), stage.batch);
  std::vector<Tensor> finished = definition.args;
  finish_sums(finished, first, dimensions_in(c, program, axes), [&](std::span<const Expr> i) { return made.sums(i); });
  for (std::size_t i = 0; i < finished.size(); ++i) {
    if (i != at.a && i != at.b) matmul.args.push_back(finished[i]);
  }
  return matmul;
}

Template for_text(const Template& source, const ParsedText& text) {
  Template made = source;
  made.schedule = [source, text](Tuning& tuning, const Workload& workload, Definition& definition,
                                 const Target& target) {
    const TextProduct product = required_product(source, text, workload, target);
    const std::shared_ptr<const text::Expression> expression = text.expression_of(workload);
    const text::Program& program = expression->program();
    Definition matmul = matmul_of(product, program, definition);
    Schedule schedule = source.schedule(tuning, product.workload, matmul, target);
    const ArgumentsOf at = arguments_of(program, product.stage.product);
    std::size_t next = 2;
    for (std::size_t i = 0; i < definition.args.size(); ++i) {
      definition.args[i] = matmul.args[i == at.a ? 0 : i == at.b ? 1 : next++];
    }
    return schedule;
  };
  made.seeds = [source, text](const Workload& workload, const Target& target) {
    const TextProduct product = required_product(source, text, workload, target);
    std::vector<Config> seeds = seeds_of(source, product.workload, target);
    if (!product.is_whole && seeds.size() > kMaxSeeds) seeds.resize(kMaxSeeds);
    return seeds;
  };
  made.why_not = [source, text](const Workload& workload, const Target& target) -> std::string {
    const auto product = product_for(source, text.expression_of(workload)->program(), target);
    if (!product) return "it needs sizes with which the expression is a product";
    return source.why_not ? source.why_not(product->workload, target) : "";
  };
  return made;
}

}  // namespace

std::optional<Workload> matmul_workload_of(const text::Expression& expression) {
  const std::optional<text::Product> product = text::find_product(expression.program());
  return product ? workload_of_product(expression.program(), *product, false, true) : std::nullopt;
}

std::vector<Template> product_templates(const ParsedText& text, const Registry& registry) {
  const std::optional<TextProduct> product = product_of(text.given().program(), true);
  std::vector<Template> templates;
  if (!product) return templates;
  const Operator* const matmul = find_same_operator(registry, *product->workload.op);
  if (matmul == nullptr) return templates;
  for (const Template& source : matmul->templates) {
    // Generic templates are made from the text itself, with the names of its tensors.
    if (!source.is_generic) templates.push_back(for_text(source, text));
  }
  return templates;
}

}  // namespace nestwright
