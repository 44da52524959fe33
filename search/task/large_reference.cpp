#include "search/task/large_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "nestwright/error.h"
#include "support/data/hash.h"
#include "templates/checking/choose_elements.h"
#include "templates/checking/element_rows.h"

namespace nestwright {
namespace {

constexpr double kMaxElements = 0x1p22;  // of all tensors that are held in double
constexpr double kProductRate = 4e9;     // operations a second of products in double, on two cores
constexpr double kSampleRate = 2e8;      // steps a second of the reference of single elements, which reads columns
constexpr double kElementRate = 2e8;     // steps a second of the reference of neighbouring elements
constexpr std::int64_t kFewSamples = 64, kManySamples = 4096, kAllSamples = 65536;
constexpr std::int64_t kSegment = 1024;  // elements of a line

double elements_of(const std::vector<Tensor>& tensors) {
  double elements = 0;
  for (const Tensor& tensor : tensors) elements += static_cast<double>(tensor.buffer()->elements());
  return elements;
}

/// Steps of the whole reference: operations, or elements if that is more.
double steps_of(const Definition& definition) { return std::max(definition.flops, elements_of(definition.args)); }

LineWeights draw_weights(std::int64_t length, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  LineWeights weights(kWeightVectors, std::vector<double>(static_cast<std::size_t>(length)));
  for (std::vector<double>& vector : weights) {
    for (double& weight : vector) {
      const std::uint64_t bits = random();
      weight = static_cast<double>(129 + 2 * (bits >> 1 & 63)) * ((bits & 1) != 0 ? -1 : 1);
    }
  }
  return weights;
}

/// The sources of each set of inputs.
struct Sources {
  std::vector<InputSources> of{kInputSets};
  InputSources& operator[](InputSet set) { return of[index_of(set)]; }
  const InputSources& operator[](InputSet set) const { return of[index_of(set)]; }
};

}  // namespace

std::optional<LargeReference> LargeReference::make(const Workload& workload, const Definition& definition,
                                                   double seconds) {
  if (!workload.op->large.reference_at || definition.outputs().size() != 1) return std::nullopt;
  const bool is_small = elements_of(definition.args) <= kMaxElements && steps_of(definition) <= seconds * kProductRate;
  if (is_small) return std::nullopt;
  LargeReference reference(workload, definition, seconds);
  // What lies between rows is known by the lines only.
  const bool has_gaps = !definition.outputs()[0].buffer()->strides.empty();
  if (has_gaps && !reference.lines_) return std::nullopt;
  return reference;
}

LargeReference::LargeReference(const Workload& workload, const Definition& definition, double seconds)
    : workload_(workload) {
  for (int i = 0; i < definition.inputs; ++i) {
    const ir::Buffer& buffer = definition.args[static_cast<std::size_t>(i)].buffer();
    types_.push_back(buffer->element);
    elements_.push_back(static_cast<std::size_t>(buffer->elements()));
  }
  const LargeChecks& checks = workload.op->large;
  const ir::Buffer& output = definition.outputs()[0].buffer();
  const std::vector<std::int64_t> shape = ir::constants_of(output->shape);
  double results = 1;
  for (const std::int64_t extent : shape) results *= static_cast<double>(extent);
  const double steps = steps_of(definition), affordable = seconds * kSampleRate / (steps / results);
  const bool has_all = results <= static_cast<double>(kAllSamples) && results <= affordable;
  const auto samples = has_all ? static_cast<std::int64_t>(results)
                               : static_cast<std::int64_t>(std::clamp(affordable, static_cast<double>(kFewSamples),
                                                                      static_cast<double>(kManySamples)));
  places_ = places_of(output, choose_elements(shape, samples));
  std::sort(places_.begin(), places_.end());
  const bool is_compact = output->strides.empty();
  if (has_all && is_compact) return;
  if (checks.lines) lines_ = checks.lines(workload);
  if (!lines_ && is_compact && steps <= std::max(seconds, 1.0) * 16 * kElementRate) {
    lines_ = ir::compact_lines(output->elements(), kSegment);
    sums_elements_ = true;
  }
}

LargeData LargeReference::data(InputSources uniform) const {
  const LargeChecks& checks = workload_.op->large;
  LargeData data;
  data.places = places_;
  data.lines = lines_;
  data.modulus = checks.modulus ? checks.modulus(workload_) : 0;
  auto sources = std::make_shared<Sources>();
  if (checks.integer_inputs) (*sources)[InputSet::kIntegers] = checks.integer_inputs(workload_);
  if (checks.wide_inputs) (*sources)[InputSet::kWide] = checks.wide_inputs(workload_, uniform);
  (*sources)[InputSet::kUniform] = std::move(uniform);
  data.has_integers = !(*sources)[InputSet::kIntegers].empty();
  data.has_wide = !(*sources)[InputSet::kWide].empty();
  data.read_input = [sources](InputSet set, std::size_t input, std::size_t begin, std::span<double> values) {
    (*sources)[set][input].read_chunk(begin, values);
  };
  data.reference = [self = *this](InputSet set, std::span<const void* const> memory) {
    const LargeChecks& op = self.workload_.op->large;
    InputValues inputs;
    for (std::size_t i = 0; i < memory.size(); ++i) {
      inputs.push_back(std::make_shared<ValuesInMemory>(self.types_[i], memory[i], self.elements_[i]));
    }
    const bool is_whole = set == InputSet::kIntegers;
    const bool is_exact = is_whole && (!op.is_integer_exact || op.is_integer_exact(self.workload_));
    ElementReference elements = op.reference_at(self.workload_, inputs, self.places_);
    if (is_exact) std::fill(elements.bound.begin(), elements.bound.end(), 0.0);
    if (std::all_of(elements.expected.begin(), elements.expected.end(),
                    [](double value) { return std::isnan(value); })) {
      throw UsageError(
          "the reference of " + self.workload_.str() +
          " is not a number anywhere, so that no kernel can be checked: give data on which it has a value");
    }
    SampledReference reference{std::move(elements.expected), std::move(elements.bound), {}, {}, {}};
    if (!self.lines_) return reference;
    reference.weights = draw_weights(self.lines_->segment, stable_hash(self.workload_.str()) + 3 + index_of(set));
    LineReference lines = self.sums_elements_
                              ? line_sums_of_elements(op, self.workload_, inputs, *self.lines_, reference.weights)
                              : op.line_sums(self.workload_, inputs, reference.weights, is_whole);
    for (std::size_t v = 0; v < lines.sums.size(); ++v) {
      for (std::size_t line = 0; line < lines.sums[v].size(); ++line) {
        double& bound = lines.bounds[v][line];
        if (is_exact) bound = 0;
        // A sum with an element that has no value, or no bound, shows nothing.
        if (!std::isfinite(lines.sums[v][line]) || !std::isfinite(bound))
          bound = std::numeric_limits<double>::infinity();
      }
    }
    reference.sums = std::move(lines.sums);
    reference.bounds = std::move(lines.bounds);
    return reference;
  };
  return data;
}

}  // namespace nestwright
