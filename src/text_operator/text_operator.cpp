#include "text_operator/text_operator.h"

#include "reference/reference.h"
#include "templates/generated/generated.h"
#include "text/tensors.h"
#include "text_operator/product_templates.h"

namespace nestwright {
namespace {

text::Expression expression_of(const Workload& workload) { return text::Expression::parse(workload.str()); }

Definition define(const Workload& workload) {
  const text::Expression expression = expression_of(workload);
  const text::Signature signature = text::make_tensors(expression.program());
  Definition definition{.args = signature.args, .inputs = signature.inputs};
  definition.flops = count_flops(definition.outputs());
  for (const Tensor& tensor : definition.args) {
    definition.bytes += static_cast<double>(tensor.buffer()->elements()) * tensor.dtype().bytes();
  }
  return definition;
}

std::vector<std::optional<DataRange>> ranges_of(const Workload& workload) {
  const text::Expression expression = expression_of(workload);
  std::vector<std::optional<DataRange>> ranges;
  for (const std::size_t parameter : expression.program().parameters()) {
    const text::TensorInfo& tensor = expression.program().tensors[parameter];
    if (!tensor.is_input) break;
    ranges.emplace_back();
    if (tensor.range) ranges.back() = {tensor.range->low, tensor.range->high};
  }
  return ranges;
}

}  // namespace

std::shared_ptr<const Operator> make_text_operator(const text::Expression& expression) {
  Operator op;
  op.name = expression.text();
  op.summary = "an expression that was given as text";
  for (const text::NamedSize& size : expression.sizes()) {
    const bool is_index = size.name.front() == 'i';
    op.parameters.push_back({size.name,
                             is_index ? "the extent of the index " + size.name : "an extent of a declared shape",
                             OperatorParameter::Kind::kSize, ""});
  }
  op.define = define;
  op.reference = [](const Workload& workload, const HostTensors& inputs) {
    return judge_definition(define(workload), inputs);
  };
  op.ranges = ranges_of;
  op.templates = product_templates(expression);
  op.templates.push_back(generated_cpu_template());
  op.templates.push_back(generated_gpu_template());
  return std::make_shared<const Operator>(std::move(op));
}

Workload workload_of(std::string_view expression) {
  const text::Expression parsed = text::Expression::parse(expression);
  return parse_workload(parsed.str(), make_text_operator(parsed));
}

}  // namespace nestwright
