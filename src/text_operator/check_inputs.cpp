#include "text_operator/check_inputs.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "ir/core/fold.h"
#include "nestwright/error.h"
#include "reference/reference.h"
#include "support/base/chunks.h"
#include "support/data/hash.h"
#include "templates/checking/draw_elements.h"
#include "templates/checking/mixed_magnitudes.h"
#include "templates/conv2d/winograd_form.h"
#include "text/analysis/product.h"
#include "text_operator/convolution_templates.h"
#include "text_operator/integer_magnitudes.h"
#include "text_operator/product_templates.h"
#include "text_operator/scaled_dimensions.h"

namespace nestwright {
namespace {

constexpr double kLargestWhole = 8;

/// The parameter's integers, low <= n <= high.
struct WholeRange {
  double low, high;
  double largest() const { return std::max(std::abs(low), std::abs(high)); }
};

WholeRange whole_range(const text::TensorInfo& tensor, double magnitude) {
  WholeRange range{-magnitude, magnitude};
  if (tensor.type.is_bool()) return {0, 1};
  if (tensor.type.code == ir::TypeCode::kUInt) range.low = 0;
  if (!tensor.range) return range;
  const double low = std::ceil(tensor.range->low), high = std::floor(tensor.range->high);
  if (tensor.type.is_int()) return {low, high};  // an index has to take all of its values
  return {std::max(range.low, low), std::min(range.high, high)};
}

/// Whether the definition has floating-point numbers, which may be rounded.
bool may_round(const text::Program& program) {
  return std::any_of(program.tensors.begin(), program.tensors.end(),
                     [](const text::TensorInfo& tensor) { return tensor.type.is_float(); });
}

std::vector<const text::TensorInfo*> inputs_of(const text::Program& program) {
  std::vector<const text::TensorInfo*> inputs;
  for (const std::size_t parameter : program.parameters()) {
    if (program.tensors[parameter].is_input) inputs.push_back(&program.tensors[parameter]);
  }
  return inputs;
}

/// Integers of the range below 2^62; zeros are rare, because they hide other factors.
InputSource draw_whole(const WholeRange& range, std::size_t n, std::mt19937_64& random) {
  constexpr double kLargest = 0x1p62;
  const auto low = static_cast<std::int64_t>(std::min(range.low, kLargest));
  const auto high = static_cast<std::int64_t>(std::min(range.high, kLargest));
  return draw_elements(n, random, [low, high](auto& from, std::size_t) {
    std::uniform_int_distribution<std::int64_t> number(low, high);
    const std::int64_t value = number(from);
    return static_cast<double>(value == 0 ? number(from) : value);
  });
}

/// The workload of matmul that the expression is, where no input has a range.
std::optional<Workload> unranged_product(const text::Expression& expression) {
  const std::vector<const text::TensorInfo*> inputs = inputs_of(expression.program());
  const bool is_ranged =
      std::any_of(inputs.begin(), inputs.end(), [](const auto* input) { return input->range.has_value(); });
  return is_ranged ? std::nullopt : matmul_workload_of(expression);
}

/// The positions of the product's factors among the inputs.
struct Factors {
  std::size_t a, b;
};

Factors factors_of(const text::Program& program) {
  const text::Product product = *text::find_product(program);
  const std::vector<std::size_t> parameters = program.parameters();
  const auto place = [&](std::size_t tensor) {
    return static_cast<std::size_t>(std::find(parameters.begin(), parameters.end(), tensor) - parameters.begin());
  };
  return {place(product.a), place(product.b)};
}

/// The tensors of a matmul in the order of the expression's inputs, or the other way round: both have two.
HostTensors reordered(const HostTensors& tensors, const Factors& factors) {
  if (tensors.empty() || factors.a < factors.b) return tensors;
  return {tensors[1], tensors[0]};
}

/// The exponents of each input's scales lie in [-reach, reach]. Returns the scaled inputs.
HostTensors scaled_inputs(const text::Program& program, const Workload& workload, const HostTensors& uniform,
                          int reach) {
  std::mt19937_64 random(stable_hash(workload.str()) + 2);  // as MixedMagnitudes
  const std::vector<std::vector<std::size_t>> scaled = text::scaled_dimensions(program);
  const std::vector<std::size_t> parameters = program.parameters();
  HostTensors inputs = uniform;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const text::TensorInfo& tensor = program.tensors[parameters[i]];
    const std::vector<std::size_t>& dimensions = scaled[parameters[i]];
    if (!tensor.type.is_float() || tensor.range || dimensions.empty()) continue;
    // One scale for each combination of the values of the scaled dimensions.
    std::size_t combinations = 1;
    for (const std::size_t d : dimensions) combinations *= static_cast<std::size_t>(tensor.shape[d]);
    std::vector<double> scales(combinations);
    std::uniform_int_distribution<int> exponent(-reach, reach);
    for (double& scale : scales) scale = std::ldexp(1.0, exponent(random));
    // Consecutive elements have one scale where the last dimensions are not scaled.
    std::size_t run = 1;
    for (std::size_t d = tensor.shape.size(); d-- > dimensions.back() + 1;) {
      run *= static_cast<std::size_t>(tensor.shape[d]);
    }
    /// Which of the combinations the values of element e are.
    const auto combination_of = [&](std::size_t e) {
      std::size_t combination = 0, weight = 1;
      auto next = dimensions.rbegin();
      for (std::size_t d = tensor.shape.size(); d-- > 0;) {
        const auto extent = static_cast<std::size_t>(tensor.shape[d]);
        if (next != dimensions.rend() && *next == d) {
          combination += e % extent * weight;
          weight *= extent;
          ++next;
        }
        e /= extent;
      }
      return combination;
    };
    for_chunks(inputs[i].size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t e = begin; e < end;) {
        const double scale = scales[combination_of(e)];
        for (const std::size_t end_of_run = std::min(end, (e / run + 1) * run); e < end_of_run; ++e) {
          inputs[i][e] = ir::round_float(inputs[i][e] * scale, tensor.type);
        }
      }
    });
  }
  return inputs;
}

/// Multiplies the channels of a convolution's images by powers of two and divides those of its filters, so that the
/// sums keep their magnitudes while their terms do not.
void scale_channels(const text::Program& program, const text::ConvolutionStage& convolution, const Workload& workload,
                    HostTensors& inputs) {
  constexpr int kChannelReach = 6;
  const std::vector<std::size_t> parameters = program.parameters();
  const auto scale = [&](std::size_t tensor, std::int64_t run, const std::vector<double>& scales) {
    const auto input = static_cast<std::size_t>(std::ranges::find(parameters, tensor) - parameters.begin());
    for (std::size_t e = 0; e < inputs[input].size(); ++e) {
      inputs[input][e] *= scales[e / static_cast<std::size_t>(run) % scales.size()];
    }
  };
  if (program.tensors[convolution.x].range || program.tensors[convolution.w].range) return;
  std::mt19937_64 random(stable_hash(workload.str()) + 3);
  std::uniform_int_distribution<int> exponent(-kChannelReach, kChannelReach);
  std::vector<double> scales(static_cast<std::size_t>(convolution.channels)), inverse;
  for (double& each : scales) each = std::ldexp(1.0, exponent(random));
  for (const double each : scales) inverse.push_back(1 / each);
  scale(convolution.x, convolution.rows.input * convolution.columns.input, scales);
  scale(convolution.w, convolution.rows.filter * convolution.columns.filter, inverse);
}

/// Of inputs that are not a workload's first ones, the interpreter computes fewer terms.
constexpr std::int64_t kFewTerms = 100'000, kFewSamples = 2;

}  // namespace

HostTensors integer_inputs_of(const text::Expression& expression, const Workload& workload,
                              const Definition& definition) {
  const text::Program& program = expression.program();
  if (!may_round(program)) return {};
  if (const std::optional<Workload> product = unranged_product(expression)) {
    return reordered(product->op->integer_inputs(*product), factors_of(program));
  }
  const std::vector<const text::TensorInfo*> inputs = inputs_of(program);
  if (inputs.empty()) return {};
  // Numbers so small that every algorithm of the templates is exact.
  const int more_bits = winograd_stage_of(expression) ? kWinogradBits : 0;
  for (double magnitude = kLargestWhole; magnitude >= 1; magnitude /= 2) {
    std::vector<WholeRange> ranges;
    std::vector<double> largest;
    for (const text::TensorInfo* input : inputs) {
      ranges.push_back(whole_range(*input, magnitude));
      largest.push_back(ranges.back().largest());
    }
    const bool are_empty =
        std::any_of(ranges.begin(), ranges.end(), [](const WholeRange& range) { return range.low > range.high; });
    if (are_empty || !is_exact_on_integers(definition, largest, more_bits)) continue;
    std::mt19937_64 random(stable_hash(workload.str()) + 1);
    InputSources sources;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      sources.push_back(
          draw_whole(ranges[i], static_cast<std::size_t>(definition.args[i].buffer()->elements()), random));
    }
    return values_of(sources);
  }
  return {};
}

CheckedInputs wide_inputs_of(const text::Expression& expression, const Workload& workload, const Definition& definition,
                             const CheckedInputs& uniform, const ReferenceLimit& limit) {
  const text::Program& program = expression.program();
  if (!may_round(program)) return {};
  if (const std::optional<Workload> product = unranged_product(expression)) {
    const Factors factors = factors_of(program);
    CheckedInputs wide = product->op->wide_inputs(*product, {reordered(uniform.inputs, factors), uniform.reference});
    wide.inputs = reordered(wide.inputs, factors);
    return wide;
  }
  const std::vector<const text::TensorInfo*> inputs = inputs_of(program);
  const auto is_narrow = [](const text::TensorInfo& tensor) { return tensor.type == kFloat16; };
  const int reach = std::any_of(program.tensors.begin(), program.tensors.end(), is_narrow) ? 6 : 24;
  const auto factors = std::max<std::ptrdiff_t>(1, std::count_if(inputs.begin(), inputs.end(), [](const auto* input) {
                                                  return input->type.is_float() && !input->range;
                                                }));
  ReferenceOptions options = reference_options(workload, limit);
  options.rounding = Rounding::kWrittenInRange;
  options.refuses_infinite = true;
  for (int of_each = reach / static_cast<int>(factors); of_each >= 1; of_each /= 2) {
    CheckedInputs wide{scaled_inputs(program, workload, uniform.inputs, of_each), {}};
    if (const auto convolution = winograd_stage_of(expression)) {
      scale_channels(program, *convolution, workload, wide.inputs);
    }
    if (wide.inputs == uniform.inputs) return {};
    try {
      wide.reference = compute_reference(definition, wide.inputs, options);
      return wide;
    } catch (const UsageError&) {
      continue;  // a result has no value, or is infinite
    }
  }
  return {};
}

ReferenceOptions reference_options(const Workload& workload, const ReferenceLimit& limit) {
  ReferenceOptions options{.parts = limit.is_exact ? Parts::kValues : Parts::kValuesAndBounds,
                           .seconds = limit.seconds,
                           .kept_in = limit.kept_in,
                           .subject = workload.str()};
  if (limit.is_first) return options;
  options.interpreted_terms = kFewTerms;
  options.least_samples = kFewSamples;
  return options;
}

}  // namespace nestwright
