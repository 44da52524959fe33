#include "reference/sample_check.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "measure/check/elements.h"
#include "nestwright/error.h"
#include "nestwright/expr.h"
#include "nestwright/target.h"
#include "reference/double_program.h"
#include "reference/host_run.h"

namespace nestwright {
namespace {

/// The sampled elements of the results of one operation.
struct Sample {
  Operation op;
  std::vector<std::int64_t> elements;
  std::vector<Array> indices;  ///< one list a dimension
  std::vector<Tensor> index_tensors;
  ComputedRegion region;
};

Sample sample_of(const Operation& op, std::span<const std::int64_t> chosen) {
  Sample sample{.op = op, .elements = {chosen.begin(), chosen.end()}};
  const std::vector<std::int64_t> shape = ir::constants_of(Tensor(op).shape());
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) elements *= extent;
  const auto count = static_cast<std::int64_t>(chosen.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    elements /= shape[d];
    Array& at = sample.indices.emplace_back(Array::empty(kInt64, {count}));
    for (std::size_t s = 0; s < chosen.size(); ++s) at.as<std::int64_t>()[s] = chosen[s] / elements % shape[d];
    sample.index_tensors.push_back(placeholder({Expr(count)}, kInt64, op->name + ".at" + std::to_string(d)));
  }
  sample.region.shape = {Expr(count)};
  sample.region.axes = [tensors = sample.index_tensors, shape](std::span<const Expr> x) {
    std::vector<Expr> axes;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      axes.push_back(clamp(tensors[d](x[0]), Expr(0), Expr(shape[d] - 1)));  // clamped for the verifier
    }
    return axes;
  };
  return sample;
}

bool agree(double compiled, double interpreted, double bound) {
  if (compiled == interpreted || (std::isnan(compiled) && std::isnan(interpreted))) return true;
  return std::abs(compiled - interpreted) <= bound || std::isnan(bound);
}

/// Compares some of the samples.
class SampleCheck {
 public:
  /// Of the samples of each tensor those from `begin` to `end`, as shares of their number.
  SampleCheck(std::span<const KnownTensor> tensors, double begin, double end) : tensors_(tensors) {
    for (const KnownTensor& known : tensors_) {
      const Buffer& buffer = known.tensor.buffer();
      const Tensor tensor = placeholder(buffer->shape, in_double(buffer->element), buffer->name);
      given_.set(buffer, {tensor, {}});
      inputs_.push_back(tensor);
      values_.push_back(known.values);
      const auto count = static_cast<double>(known.samples.size());
      const auto first = static_cast<std::size_t>(begin * count), last = static_cast<std::size_t>(end * count);
      if (first == last || known.tensor.result() != 0) continue;
      samples_.push_back(
          sample_of(known.tensor.op(), std::span<const std::int64_t>(known.samples).subspan(first, last - first)));
    }
  }

  void run() {
    std::vector<Tensor> outputs;
    for (const Sample& sample : samples_) {
      for (std::size_t d = 0; d < sample.indices.size(); ++d) {
        inputs_.push_back(sample.index_tensors[d]);
        values_.push_back(&sample.indices[d]);
      }
      for (const Tensor& value : given_.compute_values(sample.op, sample.region)) outputs.push_back(value);
    }
    if (outputs.empty()) return;
    const std::vector<Array> interpreted = run_on_arrays(inputs_, values_, outputs, RunBy::kInterpreter);
    std::size_t next = 0;
    for (const Sample& sample : samples_) {
      for (std::size_t r = 0; r < sample.op->results.size(); ++r) compare(sample, r, interpreted[next++]);
    }
  }

 private:
  const KnownTensor& find(const Buffer& buffer) const {
    const auto found = std::find_if(tensors_.begin(), tensors_.end(),
                                    [&](const KnownTensor& known) { return known.tensor.buffer() == buffer; });
    check(found != tensors_.end(), "every result of a judged operation is known");
    return *found;
  }

  void compare(const Sample& sample, std::size_t result, const Array& interpreted) {
    const KnownTensor& compiled = find(sample.op->results[result]);
    std::vector<double> bounds;  // computed where the values are not the same
    for (std::size_t s = 0; s < sample.elements.size(); ++s) {
      const double got = element_at(compiled.values->type(), compiled.values->data(), sample.elements[s]);
      const double wanted = element_at(interpreted.type(), interpreted.data(), static_cast<std::int64_t>(s));
      if (agree(got, wanted, 0)) continue;
      if (bounds.empty()) bounds = bounds_of(sample, result);
      // Both results are rounded, so their bounds add up.
      if (agree(got, wanted, 2 * bounds[s])) continue;
      throw InternalError("the reference of '" + compiled.tensor.name() + "' is " + std::to_string(got) +
                          " as compiled, but " + std::to_string(wanted) + " as interpreted, at element " +
                          std::to_string(sample.elements[s]) + ": report this expression");
    }
  }

  /// The bounds of the errors that double precision makes; zeros if it makes none.
  std::vector<double> bounds_of(const Sample& sample, std::size_t result) const {
    const Tensor bound = given_.compute_region(sample.op, sample.region)[result].bound;
    if (!bound.defined()) return std::vector<double>(sample.elements.size());
    return doubles_of(run_on_arrays(inputs_, values_, {bound}, RunBy::kCompiler).front());
  }

  std::span<const KnownTensor> tensors_;
  DoubleProgram given_{Rounding::kDouble};
  std::vector<Tensor> inputs_;
  std::vector<const Array*> values_;
  std::vector<Sample> samples_;
};

}  // namespace

void check_with_interpreter(std::span<const KnownTensor> tensors) {
  const int parts = Target::host().threads;
  tbb::parallel_for(0, parts, [&](int part) {
    SampleCheck(tensors, static_cast<double>(part) / parts, static_cast<double>(part + 1) / parts).run();
  });
}

}  // namespace nestwright
