// Operators: workloads of all operators, and templates that are functions in Python.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "bindings.h"
#include "conversions.h"
#include "held.h"
#include "knobs.h"
#include "nestwright/error.h"
#include "nestwright/text_operator.h"
#include "run_errors.h"
#include "templates.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

/// Begins the identity of an operator of Python's, which takes the place of a plugin's.
constexpr std::string_view kOfPython = "python.";

/// A template of Python's: what it is called with, and what it gives.
class PythonTemplate {
 public:
  PythonTemplate(std::string name, nb::callable function)
      : name_(std::move(name)), function_(make_held(std::move(function))) {}

  /// What the template computes. Throws what Python raised.
  Definition define(const Workload& workload) const {
    const std::unique_ptr<Tuning> tuning = first_candidates();
    const nb::gil_scoped_acquire locked;
    return run(*tuning, workload, Target::host()).definition;
  }

  /// Applies the template. An exception of Python's costs the candidate: the run keeps it.
  Schedule schedule(Tuning& tuning, const Workload& workload, Definition& definition, const Target& target) const {
    const nb::gil_scoped_acquire locked;
    try {
      Instance instance = run(tuning, workload, target);
      definition.args = instance.definition.args;
      return std::move(instance.schedule);
    } catch (nb::python_error& e) {
      throw_kept(current_run(), e, name_);
    }
  }

 private:
  Instance run(Tuning& tuning, const Workload& workload, const Target& target) const {
    nb::dict parameters;
    for (std::size_t p = 0; p < workload.parameters.size(); ++p) {
      const OperatorParameter& parameter = workload.op->parameters.at(p);
      parameters[parameter.name.c_str()] = value_of(workload, parameter);
    }
    const nb::object handed = nb::cast(TemplateRun(tuning, target));  // which Python may keep
    struct End {
      TemplateRun& run;
      ~End() { run.end(); }
    } const end{nb::cast<TemplateRun&>(handed)};
    return instance_of((*function_)(handed, **parameters));
  }

  static nb::object value_of(const Workload& workload, const OperatorParameter& parameter) {
    switch (parameter.kind) {
      case OperatorParameter::Kind::kFlag:
        return nb::cast(workload.flag(parameter.name));
      case OperatorParameter::Kind::kType:
        return nb::cast(workload.type(parameter.name).str());
      case OperatorParameter::Kind::kNumber:
        return nb::cast(workload.number(parameter.name));
      default:
        return nb::cast(workload.size(parameter.name));
    }
  }

  Instance instance_of(const nb::object& result) const {
    const std::string expected = name_ + ": a template returns its schedule and the list of its tensors, inputs first";
    if (!nb::isinstance<nb::tuple>(result) || nb::len(result) != 2 || !nb::isinstance<Schedule>(result[0])) {
      throw nb::type_error(expected.c_str());
    }
    Definition definition{.args = list_from<Tensor>(result[1], expected.c_str())};
    while (definition.inputs < static_cast<int>(definition.args.size()) &&
           definition.args[static_cast<std::size_t>(definition.inputs)].op().is_placeholder()) {
      ++definition.inputs;
    }
    check_args(definition);
    return {std::move(definition), std::move(nb::cast<Schedule&>(result[0]))};
  }

  /// Throws UsageError unless the arguments are all inputs, each once, then the outputs.
  void check_args(const Definition& definition) const {
    const auto refuse = [this](const std::string& why) {
      throw UsageError(name_ + ": " + why +
                       ": a template returns its schedule and the list of its tensors, inputs first");
    };
    const std::vector<Tensor> outputs = definition.outputs();
    if (outputs.empty()) refuse("its list has no output");
    for (std::size_t i = 0; i < definition.args.size(); ++i) {
      const Tensor& tensor = definition.args[i];
      if (std::find(definition.args.begin(), definition.args.begin() + static_cast<std::ptrdiff_t>(i), tensor) !=
          definition.args.begin() + static_cast<std::ptrdiff_t>(i)) {
        refuse("tensor " + tensor.name() + " is in its list twice");
      }
      if (static_cast<int>(i) >= definition.inputs && tensor.op().is_placeholder()) {
        refuse("input " + tensor.name() + " comes after an output");
      }
    }
    std::set<Operation> seen;
    std::vector<Operation> open;
    for (const Tensor& output : outputs) open.push_back(output.op());
    while (!open.empty()) {
      const Operation op = open.back();
      open.pop_back();
      if (!seen.insert(op).second) continue;
      if (op.is_placeholder() && !is_state(op, seen) && !is_given(op, definition)) {
        refuse("its list lacks the input " + op->name);
      }
      open.insert(open.end(), op->inputs.begin(), op->inputs.end());
    }
  }

  static bool is_given(const Operation& op, const Definition& definition) {
    return std::ranges::any_of(definition.args, [&](const Tensor& tensor) { return tensor.op() == op; });
  }
  /// Whether the placeholder is the state of one of the scans.
  static bool is_state(const Operation& op, const std::set<Operation>& operations) {
    return std::ranges::any_of(operations, [&](const Operation& other) {
      const ScanOp* const scan = other.scan();
      return scan != nullptr &&
             std::ranges::any_of(scan->states, [&](const ir::Buffer& state) { return state == op->results.front(); });
    });
  }

  std::string name_;
  std::shared_ptr<nb::callable> function_;
};

/// The operators that this process knows. Read and replaced under the interpreter's lock.
std::shared_ptr<const Registry>& known_operators() {
  static auto* const known = new std::shared_ptr<const Registry>(std::make_shared<const Registry>(builtin_registry()));
  return *known;
}

void add_template(const std::string& name, const std::string& summary, nb::handle parameters,
                  const nb::callable& function, int version, const std::string& identity) {
  if (builtin_registry().find_template(name) != nullptr ||
      std::ranges::any_of(builtin_registry().operators(), [&](const auto& op) { return op->name == name; })) {
    throw UsageError("there is a built-in operator or template '" + name + "': choose another name");
  }
  std::vector<OperatorParameter> list;
  for (nb::handle parameter : nb::borrow<nb::sequence>(parameters)) {
    const auto kind = nb::cast<std::string>(parameter[1]);
    using Kind = OperatorParameter::Kind;
    list.push_back({.name = nb::cast<std::string>(parameter[0]),
                    .meaning = "a parameter of the template",
                    .kind = kind == "bool"    ? Kind::kFlag
                            : kind == "float" ? Kind::kNumber
                            : kind == "dtype" ? Kind::kType
                                              : Kind::kSize,
                    .default_value = nb::cast<std::string>(parameter[2])});
  }
  const PythonTemplate of_python(name, function);
  Operator op = defined_operator(name, std::move(list), [of_python](const Workload& w) { return of_python.define(w); });
  op.summary = summary;
  op.templates.push_back(
      {.name = name + ".python",
       .version = version,
       .devices = {DeviceKind::kCpu, DeviceKind::kCuda, DeviceKind::kOpenCl},
       .schedule = [of_python](Tuning& tuning, const Workload& workload, Definition& definition, const Target& target) {
         return of_python.schedule(tuning, workload, definition, target);
       }});
  // One that is defined again takes the place of the old one.
  Registry changed;
  for (const auto& other : known_operators()->operators()) {
    if (other->name == name) continue;
    changed.set_plugin(other->plugin);
    changed.add(*other);
  }
  changed.set_plugin(std::string(kOfPython) + identity);
  changed.add(std::move(op));
  known_operators() = std::make_shared<const Registry>(std::move(changed));
}

nb::dict parameters_of(const Workload& workload) {
  nb::dict parameters;
  for (const ParameterValue& parameter : workload.parameters) parameters[parameter.name.c_str()] = parameter.value;
  return parameters;
}

}  // namespace

std::shared_ptr<const Registry> registry() { return known_operators(); }

bool is_of_python(const Operator& op) { return op.plugin.starts_with(kOfPython); }

void bind_operators(nb::module_& m) {
  nb::class_<Workload>(m, "Workload",
                       "An operator with its shapes and types: Workload(\"matmul m=512 n=512 k=512\"), or an "
                       "expression with its sizes.")
      .def(
          "__init__",
          [](Workload* self, const std::string& text) {
            const std::shared_ptr<const Registry> known = registry();
            const nb::gil_scoped_release unlocked;
            new (self) Workload(is_expression_text(text) ? workload_of(text, *known) : known->parse_workload(text));
          },
          nb::arg("text"))
      .def_prop_ro("operator", [](const Workload& w) { return w.op->name; })
      .def_prop_ro("parameters", parameters_of, nb::sig("def parameters(self) -> dict[str, str]"),
                   "The values of all parameters as text.")
      .def_prop_ro(
          "flops", [](const Workload& w) { return w.definition->flops; }, "Arithmetic operations of one run.")
      .def_prop_ro(
          "bytes", [](const Workload& w) { return w.definition->bytes; },
          "Bytes of the elements that it reads or writes, each once.")
      .def(
          "__eq__",
          [](const Workload& a, nb::handle b) {
            return nb::isinstance<Workload>(b) && a == nb::cast<const Workload&>(b);
          },
          nb::arg("other").none())
      .def("__hash__", [](const Workload& w) { return nb::hash(nb::cast(w.str())); })
      .def("__str__", &Workload::str)
      .def("__repr__",
           [](const Workload& w) {
             return "nestwright.Workload(" + nb::cast<std::string>(nb::repr(nb::cast(w.str()))) + ")";
           })
      .def("__reduce__",
           [](const Workload& w) { return nb::make_tuple(nb::type<Workload>(), nb::make_tuple(w.str())); });
  m.def("_add_template", add_template, nb::arg("name"), nb::arg("summary"), nb::arg("parameters"), nb::arg("function"),
        nb::arg("version"), nb::arg("identity"));
  m.def(
      "operators",
      [] {
        std::vector<std::string> names;
        for (const auto& op : registry()->operators()) names.push_back(op->name);
        return names;
      },
      "The names of all operators, those that Python added included.");
  m.def(
      "load_plugin",
      [](nb::handle path) {
        const auto file = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
        Registry changed = *registry();
        load_plugin(file, changed);
        known_operators() = std::make_shared<const Registry>(std::move(changed));
      },
      nb::arg("path"), "Adds the operators and templates of a plugin, a shared library.");
}

}  // namespace nestwright::python
