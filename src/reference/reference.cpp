#include "reference/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "measure/check/elements.h"
#include "nestwright/error.h"
#include "reference/evaluation.h"
#include "reference/host_run.h"
#include "reference/kept_reference.h"
#include "reference/sample_check.h"
#include "reference/sampled_elements.h"

namespace nestwright {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMostSamples = 1024;  // of each tensor, for the interpreter
constexpr double kExactIntegers = 0x1p53;    // a double holds all integers below
constexpr std::size_t kUnbounded = 100;      // one element of so many may have no bound

/// The results of a definition, of which perhaps only some elements are computed.
class Results {
 public:
  Results(const Definition& definition, const HostTensors& inputs, const ReferenceOptions& options)
      : definition_(definition),
        inputs_(inputs),
        options_(options),
        evaluation_(definition, inputs, options.rounding, options.parts) {}

  /// `samples_agree`: this is known.
  Reference with_bounds(bool samples_agree) {
    evaluation_.run(options_.seconds);
    for (const Operation& op : evaluation_.operations()) {
      for (std::size_t r = 0; r < op->results.size(); ++r) {
        const Tensor tensor(op, static_cast<int>(r));
        check_terms(tensor);
        check_integers(tensor);
      }
    }
    if (!samples_agree) check_samples();
    Reference reference;
    for (const Tensor& output : definition_.outputs()) add_output(output, reference);
    // In range, the bounds of what depends on a number that is too large are infinite.
    if (options_.rounding == Rounding::kWritten) check_tensors_between(reference);
    return reference;
  }

 private:
  /// Calls f(value, element) for each computed element.
  template <class F>
  void for_computed(const Array& array, const Operation& op, const F& f) const {
    const auto call = [&](std::int64_t e) {
      f(element_at(array.type(), array.data(), e), static_cast<std::size_t>(e));
    };
    if (evaluation_.is_whole(op)) {
      for (std::int64_t e = 0; e < array.elements(); ++e) call(e);
      return;
    }
    const std::vector<char> marks = computed_elements(op);
    for (std::int64_t e = 0; e < array.elements(); ++e) {
      if (marks[static_cast<std::size_t>(e)] != 0) call(e);
    }
  }

  std::vector<char> computed_elements(const Operation& op) const {
    const Runs& runs = evaluation_.runs(op);
    const std::vector<char>& computed = evaluation_.computed_runs(op);
    std::vector<char> marks(static_cast<std::size_t>(runs.elements()));
    for (std::int64_t run = 0; run < runs.count(); ++run) {
      if (computed[static_cast<std::size_t>(run)] == 0) continue;
      const std::int64_t first = runs.offset_of(run);
      for (std::int64_t e = 0; e < runs.length(); ++e) marks[static_cast<std::size_t>(first + e * runs.stride())] = 1;
    }
    return marks;
  }

  /// Throws UsageError for 64-bit integers that are not exact in double, in which results are kept and compared.
  void check_integers(const Tensor& tensor) const {
    if (!tensor.dtype().is_int() || tensor.dtype().bits < 64) return;
    for_computed(evaluation_[tensor].value, tensor.op(), [&](double value, std::size_t element) {
      if (std::abs(value) < kExactIntegers) return;
      throw UsageError(
          fmt::format("'{}' is {:.4g} at element {}: results of 2^53 and more cannot be checked; give smaller "
                      "ranges, or compute in int32, which wraps around",
                      tensor.name(), value, element));
    });
  }

  /// Throws UsageError where a min, max or argmax met something that is not a number.
  void check_terms(const Tensor& tensor) const {
    const std::optional<Array>& nan_count = evaluation_[tensor].nan_count;
    if (!nan_count) return;
    std::size_t affected = 0, elements = 0;
    for_computed(*nan_count, tensor.op(), [&](double count, std::size_t) {
      affected += count > 0 ? 1 : 0;
      ++elements;
    });
    if (affected == 0) return;
    throw UsageError(
        fmt::format("'{}' is the least or largest of terms that are not all numbers in {} of {} elements: "
                    "give the range of each input on which the terms have a value, as in X: float32 in "
                    "[0.1, 2]",
                    tensor.name(), affected, elements));
  }

  /// Throws UsageError for `tensor`, which `what` is true of in `count` of its computed elements.
  [[noreturn]] static void refuse(const Tensor& tensor, const std::string& what, std::size_t count,
                                  std::size_t elements) {
    throw UsageError("'" + tensor.name() + "' " + what + " in " + std::to_string(count) + " of " +
                     std::to_string(elements) +
                     " elements for data in [-1, 1] or in the ranges given: give the range of each input on which the "
                     "expression has a value, as in X: float32 in [0.1, 2]");
  }

  /// Refuses a tensor with finite elements that are too large for its type.
  void refuse_large(const Tensor& tensor) const {
    std::size_t large = 0, elements = 0;
    for_computed(evaluation_[tensor].value, tensor.op(), [&](double value, std::size_t) {
      large += is_large(value, tensor.dtype()) ? 1 : 0;
      ++elements;
    });
    if (large > 0) refuse(tensor, "is too large for " + tensor.dtype().str(), large, elements);
  }

  static bool is_large(double value, Type type) {
    return std::isfinite(value) && std::abs(value) > largest_value(type);
  }

  /// Compares samples with the interpreter.
  void check_samples() const {
    std::vector<KnownTensor> known;
    for (const Tensor& input : evaluation_.inputs()) known.push_back({input, &evaluation_[input].value});
    const std::int64_t terms_of_each =
        options_.interpreted_terms / static_cast<std::int64_t>(evaluation_.operations().size());
    for (const Operation& op : evaluation_.operations()) {
      double terms = 1;  // of an element
      for (const IterVar& axis : op.compute()->reduce_axes) {
        terms *= static_cast<double>(*ir::as_const_int(axis.extent()));
      }
      const auto affordable = static_cast<std::int64_t>(static_cast<double>(terms_of_each) / terms);
      const std::int64_t samples = std::clamp(affordable, options_.least_samples, kMostSamples);
      for (std::size_t r = 0; r < op->results.size(); ++r) {
        const Tensor tensor(op, static_cast<int>(r));
        known.push_back({tensor, &evaluation_[tensor].value});
        if (r == 0)
          known.back().samples = sample_elements(evaluation_.runs(op), evaluation_.computed_runs(op), samples);
      }
    }
    check_with_interpreter(known);
  }

  /// Throws UsageError for results that no kernel can be judged by.
  void add_output(const Tensor& output, Reference& reference) const {
    const TensorInDouble& judged = evaluation_[output];
    const auto count = static_cast<std::size_t>(judged.value.elements());
    std::vector<double>& expected = reference.expected.emplace_back(count);
    std::vector<double>& bound = reference.bound.emplace_back(count, kInfinity);
    std::size_t elements = 0, none = 0, infinite = 0, unbounded = 0;
    for_computed(judged.value, output.op(), [&](double value, std::size_t e) {
      expected[e] = value;
      bound[e] = judged.bound ? static_cast<const double*>(judged.bound->data())[e] : 0;
      if (std::isnan(bound[e])) bound[e] = kInfinity;
      ++elements;
      none += std::isnan(value) ? 1 : 0;
      infinite += std::isinf(value) ? 1 : 0;
      unbounded += std::isinf(bound[e]) && std::isfinite(value) ? 1 : 0;
    });
    if (none > 0) refuse(output, "is not a number", none, elements);
    refuse_large(output);
    const auto is_refused = [&](std::size_t some, std::size_t one_of) {
      return options_.refuses_infinite ? some > 0 : one_of * some > elements;
    };
    if (is_refused(infinite, 2)) refuse(output, "is infinite", infinite, elements);
    if (is_refused(unbounded, kUnbounded)) refuse(output, "has no error bound", unbounded, elements);
  }

  /// Throws UsageError where a tensor that is computed on the way is too large for its type, and the outputs are wrong
  /// for that. Infinity may do as well as the value, as in 1 / (1 + exp(x)): that is seen from the definition itself,
  /// computed in its own types, if all elements are computed.
  void check_tensors_between(const Reference& reference) const {
    Tensor large;
    bool are_whole = true;
    for (const Operation& op : evaluation_.operations()) {
      are_whole = are_whole && evaluation_.is_whole(op);
      for (std::size_t r = 0; r < op->results.size(); ++r) {
        const Tensor tensor(op, static_cast<int>(r));
        if (large.defined() || std::isinf(largest_value(tensor.dtype()))) continue;
        for_computed(evaluation_[tensor].value, op, [&](double value, std::size_t) {
          if (is_large(value, tensor.dtype())) large = tensor;
        });
      }
    }
    if (!large.defined()) return;
    if (!are_whole) refuse_large(large);
    std::vector<const std::vector<double>*> values;
    for (const std::vector<double>& input : inputs_) values.push_back(&input);
    const std::vector<Tensor> outputs = definition_.outputs();
    const std::vector<std::vector<double>> computed =
        run_unscheduled(evaluation_.inputs(), values, outputs, RunBy::kCompiler);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const Type type = outputs[o].dtype();
      std::vector<std::byte> memory(computed[o].size() * static_cast<std::size_t>(type.bytes()));
      encode_elements(type, computed[o], memory.data());
      const Comparison compared = compare_elements(type, memory.data(), reference.expected[o], reference.bound[o]);
      if (compared.first_wrong >= 0) refuse_large(large);
    }
  }

  const Definition& definition_;
  const HostTensors& inputs_;
  const ReferenceOptions& options_;
  Evaluation evaluation_;
};

}  // namespace

Reference compute_reference(const Definition& definition, const HostTensors& inputs, const ReferenceOptions& options) {
  const KeptReference kept(inputs, options);
  KnownReference known = kept.find(definition);
  if (!known.refusal.empty()) throw UsageError(known.refusal);
  if (known.reference) return *std::move(known.reference);
  try {
    Reference reference = Results(definition, inputs, options).with_bounds(known.samples_agree);
    kept.keep(reference);
    return reference;
  } catch (const UsageError& refusal) {
    kept.keep_refusal(refusal.what());
    throw;
  }
}

}  // namespace nestwright
