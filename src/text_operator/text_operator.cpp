#include "text_operator/make_text_operator.h"

#include <utility>

#include "reference/reference.h"
#include "templates/sketch/sketch_template.h"
#include "text/tensors.h"
#include "text_operator/bytes_touched.h"
#include "text_operator/check_inputs.h"
#include "text_operator/convolution_templates.h"
#include "text_operator/guarded_reads.h"
#include "text_operator/parsed_text.h"
#include "text_operator/product_templates.h"

namespace nestwright {
namespace {

/// Indices of the constant inputs among the arguments.
std::vector<std::size_t> constant_inputs_of(const text::Program& program) {
  const std::vector<std::size_t> parameters = program.parameters();
  std::vector<std::size_t> constants;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (program.tensors[parameters[i]].is_constant) constants.push_back(i);
  }
  return constants;
}

Definition define(const ParsedText& text, const Workload& workload, text::TensorForm form = text::TensorForm::kFast) {
  const auto expression = text.expression_of(workload);
  const text::Signature signature = text::make_tensors(expression->program(), form);
  Definition definition{.args = signature.args, .inputs = signature.inputs};
  definition.constant_inputs = constant_inputs_of(expression->program());
  definition.flops = count_flops(definition.outputs());
  definition.bytes = bytes_touched(expression->program());
  return definition;
}

/// The likely fastest first: the generated space is, unless the whole expression is one product.
std::vector<Template> templates_of(const ParsedText& text, const Registry& registry) {
  std::vector<Template> templates = product_templates(text, registry);
  const bool is_product = matmul_workload_of(text.given()).has_value();
  templates.insert(is_product ? templates.end() : templates.begin(), sketch_cpu_template());
  for (Template& source : convolution_templates(text, registry)) templates.push_back(std::move(source));
  templates.push_back(sketch_gpu_template());
  return templates;
}

std::vector<std::optional<DataRange>> ranges_of(const text::Program& program) {
  std::vector<std::optional<DataRange>> ranges;
  for (const std::size_t parameter : program.parameters()) {
    const text::TensorInfo& tensor = program.tensors[parameter];
    if (!tensor.is_input) break;
    ranges.emplace_back();
    if (tensor.range) ranges.back() = {tensor.range->low, tensor.range->high};
  }
  return ranges;
}

}  // namespace

std::shared_ptr<const Operator> make_text_operator(const text::Expression& expression, const Registry& registry) {
  Operator op;
  op.name = expression.text();
  op.summary = "an expression that was given as text";
  for (const text::NamedSize& size : expression.sizes()) {
    const bool is_index = size.name.front() == 'i';
    op.parameters.push_back({size.name,
                             is_index ? "the extent of the index " + size.name : "an extent of a declared shape",
                             OperatorParameter::Kind::kSize, ""});
  }
  const ParsedText text(expression);
  op.define = [text](const Workload& workload) { return define(text, workload); };
  op.reference =
      LimitedReference{[text](const Workload& workload, const HostTensors& inputs, const ReferenceLimit& limit) {
        return compute_reference(define(text, workload, text::TensorForm::kWritten), inputs,
                                 reference_options(workload, limit));
      }};
  op.integer_inputs = [text](const Workload& workload) {
    return integer_inputs_of(*text.expression_of(workload), workload, define(text, workload));
  };
  op.wide_inputs =
      LimitedWideInputs{[text](const Workload& workload, const CheckedInputs& uniform, const ReferenceLimit& limit) {
        const Definition written = define(text, workload, text::TensorForm::kWritten);
        return wide_inputs_of(*text.expression_of(workload), workload, written, uniform, limit);
      }};
  op.ranges = [text](const Workload& workload) { return ranges_of(text.expression_of(workload)->program()); };
  op.templates = templates_of(text, registry);
  return std::make_shared<const Operator>(std::move(op));
}

bool is_expression_text(std::string_view workload) { return workload.find('[') != std::string_view::npos; }

Workload workload_of(std::string_view expression, const Registry& registry) {
  const text::Expression parsed = text::Expression::parse(expression);
  Workload workload = parse_workload(parsed.str(), make_text_operator(parsed, registry));
  check_guarded_reads(parsed, workload);
  return workload;
}

}  // namespace nestwright
