#include "text_operator/convolution_templates.h"

#include <algorithm>
#include <optional>
#include <string>

#include "nestwright/error.h"
#include "nestwright/tensor.h"
#include "templates/conv2d/conv2d.h"
#include "templates/conv2d/winograd.h"
#include "templates/framework/space/completion.h"
#include "text/analysis/epilogue.h"
#include "text_operator/finished_sums.h"
#include "text_operator/registry_operator.h"

namespace nestwright {
namespace {

/// The convolution of a text's first statement, as a workload of conv2d.
struct TextConvolution {
  text::ConvolutionStage stage;
  Workload workload;
};

std::string workload_text(const text::Program& program, const text::ConvolutionStage& stage) {
  std::string text = "conv2d";
  const auto give = [&](const char* name, std::int64_t value) {
    text += " " + std::string(name) + "=" + std::to_string(value);
  };
  const text::ConvolutionWindow &rows = stage.rows, &columns = stage.columns;
  give("n", stage.images);
  give("c", stage.channels);
  give("h", rows.input);
  give("w", columns.input);
  give("k", stage.filters);
  give("r", rows.filter);
  give("s", columns.filter);
  give("stride", rows.stride);
  give("stride_w", columns.stride);
  give("pad", rows.before);
  give("pad_left", columns.before);
  give("pad_bottom", rows.after);
  give("pad_right", columns.after);
  give("dilation", rows.dilation);
  give("dilation_w", columns.dilation);
  return program.tensors[stage.w].is_constant ? text + " prepared=w" : text;
}

/// The convolution, where Winograd's algorithm computes it.
std::optional<TextConvolution> convolution_of(const text::Program& program) {
  const bool has_epilogue = text::has_epilogue(program);
  if (program.stages.size() > 1 && !has_epilogue) return std::nullopt;
  const std::optional<text::ConvolutionStage> stage = text::find_convolution(program, program.stages.front());
  if (!stage) return std::nullopt;
  const bool is_float32 = program.tensors[stage->x].type == kFloat32 && program.tensors[stage->w].type == kFloat32;
  if (!is_float32) return std::nullopt;
  if (has_epilogue && (text::epilogue_reads(program, stage->x) || text::epilogue_reads(program, stage->w))) {
    return std::nullopt;
  }
  try {
    Workload workload = parse_workload(workload_text(program, *stage));
    if (!winograd_unsupported_reason(conv2d_shape(workload)).empty()) return std::nullopt;
    return TextConvolution{*stage, std::move(workload)};
  } catch (const UsageError&) {
    return std::nullopt;  // it is larger than any address space
  }
}

TextConvolution required_convolution(const ParsedText& text, const Workload& workload) {
  std::optional<TextConvolution> convolution = convolution_of(text.expression_of(workload)->program());
  check(convolution.has_value(), "templates of convolutions serve convolutions");
  return *std::move(convolution);
}

std::size_t argument_of(const text::Program& program, std::size_t tensor) {
  const std::vector<std::size_t> parameters = program.parameters();
  return static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), tensor) - parameters.begin());
}

Schedule schedule_text(Tuning& tuning, const text::Program& program, const TextConvolution& convolution,
                       Definition& definition, const Target& target) {
  const text::ConvolutionStage& stage = convolution.stage;
  const std::size_t x = argument_of(program, stage.x), w = argument_of(program, stage.w);
  std::vector<Tensor>& args = definition.args;
  if (!stage.has_images) {
    const std::vector<Expr> image{Expr(1), Expr(stage.channels), Expr(stage.rows.input), Expr(stage.columns.input)};
    args[x] = passed_like(placeholder(image, args[x].dtype(), args[x].name()), args[x]);
  }
  Definition inner{.args = {args[x], args[w], args.back()}, .inputs = 2, .flops = definition.flops};
  const text::Stage& first = program.stages.front();
  const WinogradFinish finish = [&](const SumsElement& sums) {
    if (program.stages.size() == 1) {
      const std::vector<Expr> shape{Expr(stage.images), Expr(stage.filters), Expr(stage.rows.output),
                                    Expr(stage.columns.output)};
      return passed_like(
          compute(shape, [&](std::span<const Expr> at) { return sums(at); }, args.back().name()), args.back());
    }
    std::vector<std::vector<std::string>> axes;
    if (!stage.has_images) axes.emplace_back();
    for (const text::Axis& axis : first.axes) axes.push_back({axis.name});
    finish_sums(args, program.tensors[first.tensor].name, dimensions_in(args.back(), program, axes), sums);
    return args.back();
  };
  Schedule schedule = schedule_winograd(tuning, conv2d_shape(convolution.workload), inner, target, finish);
  args.back() = inner.args.back();
  return schedule;
}

}  // namespace

std::optional<text::ConvolutionStage> winograd_stage_of(const text::Expression& expression) {
  const std::optional<TextConvolution> found = convolution_of(expression.program());
  return found ? std::optional(found->stage) : std::nullopt;
}

std::vector<Template> convolution_templates(const ParsedText& text, const Registry& registry) {
  const std::optional<TextConvolution> convolution = convolution_of(text.given().program());
  if (!convolution) return {};
  const Operator* const conv2d = find_same_operator(registry, *convolution->workload.op);
  const Template* const source = conv2d == nullptr ? nullptr : conv2d->find_template("conv2d.winograd");
  if (source == nullptr || source->version != conv2d_winograd_template().version) return {};
  Template made = *source;
  made.schedule = [text](Tuning& tuning, const Workload& workload, Definition& definition, const Target& target) {
    const TextConvolution own = required_convolution(text, workload);
    return schedule_text(tuning, text.expression_of(workload)->program(), own, definition, target);
  };
  made.seeds = [source = *source, text](const Workload& workload, const Target& target) {
    return seeds_of(source, required_convolution(text, workload).workload, target);
  };
  made.why_not = [source = *source, text](const Workload& workload, const Target& target) -> std::string {
    const std::optional<TextConvolution> own = convolution_of(text.expression_of(workload)->program());
    if (!own) return "it needs sizes with which the expression is a convolution with 3 x 3 filters";
    return source.why_not ? source.why_not(own->workload, target) : "";
  };
  return {made};
}

}  // namespace nestwright
