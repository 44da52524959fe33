// Operators and templates. An operator defines what is computed and how a result is checked; a template is a schedule
// with open parameters for it, one function that is run to discover its space and run again to apply a configuration.
// Both are values that a program may define and add to a Registry (nestwright/registry.h). Stable: every member has a
// default that means what older programs meant.
// Thread rule: the functions of operators and templates are pure and may run on several threads at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nestwright/element_lines.h"
#include "nestwright/knobs.h"
#include "nestwright/schedule.h"
#include "nestwright/workload.h"

#pragma GCC visibility push(default)

namespace nestwright {

// The values of a tensor in double, wherever they come from: memory, in the tensor's own type, or a function that makes
// them when they are read. References of single elements read their operands in this way, so that a tensor of gigabytes
// is neither copied nor, where few of its elements matter, made.
//
//   const ValuesInMemory x(kFloat32, floats.data(), floats.size());
//   std::vector<double> column(rows);
//   x.read(3, columns, column);               // column 3 of a matrix
//
// Any number of threads may read.

class TensorValues {
 public:
  TensorValues() = default;
  TensorValues(const TensorValues&) = delete;
  TensorValues& operator=(const TensorValues&) = delete;
  virtual ~TensorValues() = default;

  virtual std::size_t size() const = 0;  ///< elements
  /// Reads elements `begin`, `begin` + `stride`, ..., one for each of `values`.
  virtual void read(std::size_t begin, std::size_t stride, std::span<double> values) const = 0;
  double operator[](std::size_t at) const {
    double value = 0;
    read(at, 1, {&value, 1});
    return value;
  }
};

/// The inputs of an operator.
using InputValues = std::vector<std::shared_ptr<const TensorValues>>;

/// Elements of a type in memory, which must outlive this.
class ValuesInMemory final : public TensorValues {
 public:
  ValuesInMemory(ir::Type type, const void* memory, std::size_t size) : type_(type), memory_(memory), size_(size) {}
  std::size_t size() const override { return size_; }
  void read(std::size_t begin, std::size_t stride, std::span<double> values) const override;

 private:
  ir::Type type_;
  const void* memory_;
  std::size_t size_;
};

/// Views of doubles, which must outlive them.
inline InputValues values_of(const std::vector<std::vector<double>>& tensors) {
  InputValues values;
  for (const std::vector<double>& tensor : tensors) {
    values.push_back(std::make_shared<ValuesInMemory>(kFloat64, tensor.data(), tensor.size()));
  }
  return values;
}

/// The values of an input, made in chunks: by several threads, and again whenever they are needed, so that a tensor of
/// gigabytes is never held in double.
class InputSource {
 public:
  /// Makes the elements from `begin`, the start of a chunk, on, one for each of `values`: those
  /// of the whole chunk. Several threads call it at once.
  using Chunk = std::function<void(std::size_t begin, std::span<double> values)>;

  InputSource(std::size_t size, Chunk chunk) : size_(size), chunk_(std::move(chunk)) {}
  /// Values that are there.
  explicit InputSource(std::vector<double> values);

  std::size_t size() const { return size_; }
  void read_chunk(std::size_t begin, std::span<double> values) const { chunk_(begin, values); }

  /// All values, made on all cores.
  std::vector<double> values() const;

 private:
  std::size_t size_;
  Chunk chunk_;
};

/// One for each input of an operator.
using InputSources = std::vector<InputSource>;

/// The values of all sources.
std::vector<std::vector<double>> values_of(const InputSources& sources);

/// Sources of these values.
InputSources sources_of(const std::vector<std::vector<double>>& tensors);

/// The operator's expression for one workload.
struct Definition {
  std::vector<Tensor> args;  ///< the signature: inputs, then outputs
  int inputs = 0;
  double flops = 0;  ///< of one run
  double bytes = 0;  ///< of the elements that are read or written, each touched once
  /// Indices in `args` of the inputs that are the same in every call: a schedule may prepare tensors from them.
  std::vector<std::size_t> constant_inputs = {};

  std::vector<Tensor> outputs() const { return {args.begin() + inputs, args.end()}; }
};

/// One vector of doubles for each tensor: its elements in the order of memory, from the first to the last; row-major if
/// it is compact.
using HostTensors = std::vector<std::vector<double>>;

/// The expected result: for each element its value in double and its absolute error bound. A value of NaN means that
/// the kernel must not write there, as between the rows of a strided tensor.
struct Reference {
  HostTensors expected;
  HostTensors bound;
};

/// The reference of an operator with one result, to be filled in: `elements` times `value`, with bounds of 0.
inline Reference one_result(std::size_t elements, double value = 0) {
  Reference reference;
  reference.expected.emplace_back(elements, value);
  reference.bound.emplace_back(elements);
  return reference;
}

/// Inputs, and the reference for the results computed from them.
struct CheckedInputs {
  HostTensors inputs;
  Reference reference;
};

/// The reference for some elements of an output: for each its value in double and its absolute error bound.
struct ElementReference {
  std::vector<double> expected, bound;
};

/// Several vectors of weights, each with a number for each element of a line (ir::ElementLines): odd numbers of
/// random signs, from 129 to 255, so that every sum of small integers is exact.
using LineWeights = std::vector<std::vector<double>>;

/// The reference for weighted sums over the lines of an output: for each vector of weights and each line the sum and
/// its absolute error bound.
struct LineReference {
  std::vector<std::vector<double>> sums, bounds;
};

/// How an operator with one output is checked where that output is too large to be computed in double as a whole, or an
/// input too large to be held in double. All functions are pure, read inputs of any size, and use all cores.
struct LargeChecks {
  /// The reference for the elements at these places in memory, which ascend. Absent: the operator has only a whole
  /// reference, and the other members are not used.
  std::function<ElementReference(const Workload&, const InputValues& inputs, std::span<const std::int64_t> places)>
      reference_at = {};
  /// Inputs on which the sums of all lines are exact; no sources if there are none. What rectifies results does not
  /// change positive ones. If absent, no workload has any.
  std::function<InputSources(const Workload&)> integer_inputs = {};
  /// Whether results on integer_inputs have no error; if absent, they have none.
  std::function<bool(const Workload&)> is_integer_exact = {};
  /// Inputs of large and small magnitudes, made from the sources of those in [-1, 1]; no sources if there are none. If
  /// absent, no workload has any.
  std::function<InputSources(const Workload&, const InputSources& uniform)> wide_inputs = {};
  /// The lines whose sums cost much less than the elements: of a product C = A B, those of C w = A (B w) (Freivalds'
  /// check). Absent: there are none. The sums of other lines are computed from the reference of all elements.
  std::function<std::optional<ir::ElementLines>(const Workload&)> lines = {};
  /// The reference for the sums over `lines`. `is_linear`: no result is changed by an activation, as on integer_inputs;
  /// if it is false, and there is an activation, there is no reference, and no sums.
  std::function<LineReference(const Workload&, const InputValues& inputs, const LineWeights& weights, bool is_linear)>
      line_sums = {};
  /// Consecutive elements that share most of the work of their reference, as those of a softmax's row. Absent: 1.
  std::function<std::int64_t(const Workload&)> shared_run = {};
  /// What the sums of all lines are compared modulo, for integers that wrap around; absent, or 0: they are compared as
  /// they are.
  std::function<double(const Workload&)> modulus = {};
};

/// The kinds of devices that a template for GPUs is for.
inline std::vector<DeviceKind> gpus() { return {DeviceKind::kCuda, DeviceKind::kOpenCl}; }

struct Template {
  std::string name;  ///< unique, e.g. "matmul.cpu"
  int version = 1;   ///< raised whenever a configuration changes its meaning; part of the log's keys
  std::vector<DeviceKind> devices = {DeviceKind::kCpu};  ///< kinds that it is for
  /// May replace the operator's expression by one of its own: other tensors in the definition, of the same types, which
  /// calls pass in the same shapes.
  std::function<Schedule(Tuning&, const Workload&, Definition&, const Target&)> schedule;
  /// Configurations from formulas, best guess first: register tile from the target, blocks from the caches. The first
  /// is the default that is used where nothing was tuned. If absent: the first candidate of each knob, or one near it
  /// that no constraint refuses.
  std::function<std::vector<Config>(const Workload&, const Target&)> seeds = {};
  /// Says why the template cannot serve a workload, in one clause ("it needs ..."); an empty string if it can. If
  /// absent, it serves every workload.
  std::function<std::string(const Workload&, const Target&)> why_not = {};
  std::string plugin = {};  ///< that added it, name, version and hash of its file; empty: none
  bool is_generic = false;  ///< made from any expression: several operators may have it under one name

  bool is_for(DeviceKind device) const { return std::find(devices.begin(), devices.end(), device) != devices.end(); }
};

/// The numbers that an input's elements are drawn from, both ends included.
struct DataRange {
  double low = -1, high = 1;
};

struct Operator {
  std::string name;  ///< the first word of its workloads' texts, which are keys of the log
  std::string summary;
  std::vector<OperatorParameter> parameters;
  std::function<Definition(const Workload&)> define;
  /// A plain loop in double over inputs that have been rounded to the operator's types.
  std::function<Reference(const Workload&, const HostTensors& inputs)> reference;
  /// Inputs of integers on which the result is exact in whatever order it is computed; no tensors if there are none, or
  /// if the bounds are zero for any inputs. If absent, no workload has any.
  std::function<HostTensors(const Workload&)> integer_inputs = {};
  /// Inputs of large and small magnitudes, rounded to the operator's types; no tensors where all types are integers.
  /// `uniform` has inputs in [-1, 1] and their reference: for a sum of products, the new reference is often that one
  /// times powers of two, which saves a second pass over the terms. The returned reference is empty if it has to be
  /// computed.
  std::function<CheckedInputs(const Workload&, const CheckedInputs& uniform)> wide_inputs = {};
  /// The ranges of the inputs' data, one for each input; nullopt: [-1, 1], or for integers all values of 8 bits. If the
  /// function is absent, that holds for every input.
  std::function<std::vector<std::optional<DataRange>>(const Workload&)> ranges = {};
  /// Absent members: results of any size are compared with a whole reference.
  LargeChecks large = {};
  /// The likely fastest first: its first seed is the default where nothing was tuned.
  std::vector<Template> templates = {};
  std::string plugin = {};  ///< that added it, name, version and hash of its file; empty: none

  /// nullptr where there is none of that name.
  const Template* find_template(std::string_view template_name) const;
};

/// Templates of an operator for a kind of device, whatever workloads they serve. Throws UsageError where there is none.
std::vector<const Template*> templates_for(const Operator& op, DeviceKind device);
/// The templates of the workload's operator that serve the workload on the target, or of these the one named `only`.
/// Throws UsageError that says why if there is none. The templates live as long as the operator.
std::vector<const Template*> templates_for(const Workload& workload, const Target& target, std::string_view only = {});

/// The name of a workload's kernel in printed programs and object symbols: its operator's, or "expression" for a text
/// operator, whose name is not an identifier.
std::string kernel_name(const Workload& workload);

/// Runs the template for every reachable combination of choices. Those whose first candidates have no legal schedule,
/// because the template throws, are left out of the space (ConfigSpace::left_out), which may then be empty. Throws
/// InternalError for more than 10,000 combinations.
ConfigSpace discover_space(const Template& t, const Workload& workload, const Target& target);

/// The knobs of a run that takes the first candidate of each. They are checked as those of discover_space() are.
std::unique_ptr<Tuning> first_candidates();

/// A definition with its schedule.
struct Instance {
  Definition definition;
  Schedule schedule;
};
/// Returns the schedule that `config` describes. Throws UsageError for a knob that is missing or unknown.
Instance instantiate(const Template& t, const Workload& workload, const Target& target, const Config& config);

}  // namespace nestwright

#pragma GCC visibility pop
