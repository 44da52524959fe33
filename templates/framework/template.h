// Operators and templates. An operator says what is computed and how a result is judged; a template is an open schedule
// for it, one function that is run to discover its space and run again to apply a configuration. Both are values that a
// program may make (framework/registry.h). Thread rule: their functions are pure and may run on several threads at
// once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/schedule.h"
#include "space/config_space.h"
#include "templates/framework/tuning.h"
#include "templates/framework/workload.h"

namespace nestwright {

/// The operator's expression for one workload.
struct Definition {
  std::vector<Tensor> args;  ///< the signature: inputs, then outputs
  int inputs = 0;
  double flops = 0;  ///< of one run
  double bytes = 0;  ///< of the tensors, each touched once
  /// The inputs, by their place in `args`, that are the same in every call: a schedule may prepare what it makes of
  /// them.
  std::vector<std::size_t> constant_inputs = {};

  std::vector<Tensor> outputs() const { return {args.begin() + inputs, args.end()}; }
};

/// Elements as doubles, as they lie in memory from the first to the last, one vector a tensor: row-major where it is
/// compact.
using HostTensors = std::vector<std::vector<double>>;

/// What a result is held against: the value in double and the error bound per element (absolute). A value that is
/// not-a-number says that the kernel must not write there: between the rows of a strided tensor.
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

/// Inputs and what the results computed from them are held against.
struct CheckedInputs {
  HostTensors inputs;
  Reference reference;
};

/// The kinds of devices that a template for GPUs is for.
inline std::vector<DeviceKind> gpus() { return {DeviceKind::kCuda, DeviceKind::kOpenCl}; }

struct Template {
  std::string name;  ///< unique, e.g. "matmul.cpu"
  int version = 1;   ///< raised whenever a configuration comes to mean something else; part of the log's keys
  std::vector<DeviceKind> devices = {DeviceKind::kCpu};  ///< kinds that it is for
  /// May put an expression of its own in the place of the operator's: other tensors as outputs of the definition, of
  /// the same shapes and types, computed from the same inputs.
  std::function<Schedule(Tuning&, const Workload&, Definition&, const Target&)> schedule;
  /// Configurations from formulas, best guess first: register tile from the target, blocks from the caches. The first
  /// is the default that is used where nothing was tuned. None: the first candidate of each knob, or one near it that
  /// no constraint refuses (completion.h).
  std::function<std::vector<Config>(const Workload&, const Target&)> seeds = {};
  /// Why it cannot serve a workload, one clause ("it needs ..."); empty: it can. None: it serves every workload.
  std::function<std::string(const Workload&, const Target&)> why_not = {};
  std::string plugin = {};  ///< that added it, as PluginFile::identity says; empty: none
  bool is_generic = false;  ///< made from any expression: several operators may have it under one name

  bool is_for(DeviceKind device) const { return std::find(devices.begin(), devices.end(), device) != devices.end(); }
};

/// The numbers that an input's elements are drawn from, both ends included.
struct DataRange {
  double low = -1, high = 1;
};

struct Operator {
  std::string name;  ///< how its workloads' texts, which are keys of the log, begin
  std::string summary;
  std::vector<OperatorParameter> parameters;
  std::function<Definition(const Workload&)> define;
  /// A plain loop in double over inputs that have been rounded to the operator's types.
  std::function<Reference(const Workload&, const HostTensors& inputs)> reference;
  /// Inputs of whole numbers on which the result is exact in whatever order it is computed
  /// (templates/checking/whole_numbers.h); no tensors where there are none, or where the bounds are zero for any
  /// inputs. None: likewise for every workload.
  std::function<HostTensors(const Workload&)> whole_inputs = {};
  /// Inputs of large and small magnitudes (templates/checking/wide_magnitudes.h: make_wide_inputs), rounded to the
  /// operator's types; no tensors where all types are whole. `uniform` are inputs in [-1, 1] and theirs: of a sum of
  /// products the reference is often theirs times powers of two, which costs no second pass over the terms. It is left
  /// empty where it has to be computed.
  std::function<CheckedInputs(const Workload&, const CheckedInputs& uniform)> wide_inputs = {};
  /// The ranges of the inputs' data, one for each input; absent: [-1, 1], and for integers all values of 8 bits. None:
  /// likewise for every input.
  std::function<std::vector<std::optional<DataRange>>(const Workload&)> ranges = {};
  /// The likely fastest first: its first guess serves where nothing was tuned.
  std::vector<Template> templates = {};
  std::string plugin = {};  ///< that added it, as PluginFile::identity says; empty: none

  /// nullptr where there is none of that name.
  const Template* find_template(std::string_view template_name) const;
};

/// Templates of an operator for a kind of device, whatever they serve. Throws UsageError where there is none.
std::vector<const Template*> templates_for(const Operator& op, DeviceKind device);
/// Those of the workload's operator that serve the workload on the target, or of these the one named `only`. Throws
/// UsageError where there is none, which says why. They live as long as the operator.
std::vector<const Template*> templates_for(const Workload& workload, const Target& target, std::string_view only = {});

/// The ranges of the inputs' data, one for each input; absent: as Operator::ranges says.
std::vector<std::optional<DataRange>> input_ranges(const Workload& workload, const Definition& definition);

/// The name of a workload's kernel in printed programs and object symbols: its operator's, or "expression" where this
/// is a text, which is no identifier.
std::string kernel_name(const Workload& workload);

/// Runs the template for every reachable combination of choices. Throws InternalError where the first candidates of a
/// branch do not give a legal schedule.
ConfigSpace discover_space(const Template& t, const Workload& workload, const Target& target);

/// The schedule that `config` stands for. Throws UsageError for a knob that is missing or unknown.
struct Instance {
  Definition definition;
  Schedule schedule;
};
Instance instantiate(const Template& t, const Workload& workload, const Target& target, const Config& config);

}  // namespace nestwright
