#include "functions.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "args.h"
#include "arrays.h"
#include "bindings.h"
#include "conversions.h"
#include "forks.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

bool is_same_name(const std::string& a, const std::string& b) {
  return std::ranges::equal(a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

/// An output at an address that the kernel does not take is computed elsewhere and copied.
struct Detour {
  nb::object array, aligned;
};

}  // namespace

PythonFunction::PythonFunction(Function function)
    : function_(std::move(function)), one_call_(std::make_shared<std::mutex>()) {
  for (const ir::Parameter& parameter : function_.program().parameters) {
    if (parameter.role == ir::Role::kPrepared) continue;
    parameters_.push_back({.name = parameter.buffer->name,
                           .of_program = parameter,
                           .is_output = parameter.role == ir::Role::kOutput,
                           .is_constant = parameter.is_constant});
  }
}

std::vector<std::string> PythonFunction::names_of(bool outputs) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_) {
    const bool is_taken = !parameter.bound && !(is_prepared_ && parameter.is_constant);
    if (parameter.is_output == outputs && is_taken) names.push_back(parameter.name);
  }
  return names;
}

std::string PythonFunction::signature() const {
  const std::string text = ir::to_string(function_.program());
  constexpr std::string_view kKeyword = "program ";
  return text.substr(kKeyword.size(), text.find('\n') - kKeyword.size());
}

std::size_t PythonFunction::find_input(const std::string& name) const {
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (!parameters_[p].is_output && is_same_name(parameters_[p].name, name)) return p;
  }
  std::string names;
  for (const std::string& each : inputs()) names += (names.empty() ? "" : ", ") + each;
  throw UsageError(function_.name() + ": it has no input '" + name + "': its inputs are " + names);
}

std::vector<nb::object> PythonFunction::place(const nb::args& arrays, const nb::kwargs& named) const {
  std::vector<nb::object> placed(parameters_.size());
  for (std::size_t p = 0; p < parameters_.size(); ++p) placed[p] = parameters_[p].bound;
  for (const auto& [name, array] : named) placed[find_input(nb::cast<std::string>(name))] = nb::borrow(array);
  std::size_t next = 0;
  for (nb::handle array : arrays) {
    while (next < placed.size() && (placed[next] || (is_prepared_ && parameters_[next].is_constant))) ++next;
    if (next == placed.size()) {
      throw UsageError(function_.name() + ": too many arguments: it takes " + signature());
    }
    placed[next++] = nb::borrow(array);
  }
  return placed;
}

nb::object PythonFunction::allocate(const Parameter& output, const std::vector<nb::object>& given) const {
  const ir::Buffer& buffer = output.of_program.buffer;
  if (!buffer->strides.empty()) {
    throw UsageError(function_.name() + ": " + output.name + " has strides of its own: give it as out=");
  }
  if (output.of_program.shape) return empty_array(*output.of_program.shape, buffer->element, buffer->alignment);
  std::vector<std::int64_t> shape;
  for (const Expr& extent : buffer->shape) {
    if (const std::int64_t* constant = ir::as_const_int(extent)) {
      shape.push_back(*constant);
      continue;
    }
    // The symbol is an extent of an input that is given.
    const auto* symbol = extent.as<ir::VarRef>();
    std::optional<std::int64_t> value;
    for (std::size_t p = 0; symbol != nullptr && p < parameters_.size() && !value; ++p) {
      const std::vector<Expr>& extents = parameters_[p].of_program.buffer->shape;
      for (std::size_t d = 0; d < extents.size() && given[p] && !value; ++d) {
        const auto* other = extents[d].as<ir::VarRef>();
        if (other != nullptr && other->var.id() == symbol->var.id()) {
          value = nb::cast<std::int64_t>(given[p].attr("shape")[d]);
        }
      }
    }
    if (!value) throw UsageError(function_.name() + ": the shape of " + output.name + " is not known: give it as out=");
    shape.push_back(*value);
  }
  return empty_array(shape, buffer->element, buffer->alignment);
}

void PythonFunction::run(const std::vector<nb::object>& arrays) const {
  require_threads();
  std::vector<BorrowedArray> borrowed;
  std::vector<Detour> detours;
  borrowed.reserve(arrays.size());
  std::vector<ArrayRef> arguments;
  arguments.reserve(arrays.size());
  for (std::size_t p = 0; p < arrays.size(); ++p) {
    const Parameter& parameter = parameters_[p];
    if (is_prepared_ && parameter.is_constant) continue;
    if (!arrays[p]) {
      throw UsageError(function_.name() + ": the argument " + parameter.name + " is missing: it takes " + signature());
    }
    borrowed.emplace_back(arrays[p], parameter.name);
    const auto alignment = static_cast<std::uintptr_t>(parameter.of_program.buffer->alignment);
    const bool is_aligned =
        alignment < 2 || reinterpret_cast<std::uintptr_t>(borrowed.back().view().data()) % alignment == 0;
    if (!is_aligned) {
      const ArrayView& view = borrowed.back().view();
      detours.push_back({arrays[p], empty_array(view.shape(), view.type(), parameter.of_program.buffer->alignment)});
      if (!parameter.is_output) nb::module_::import_("numpy").attr("copyto")(detours.back().aligned, arrays[p]);
      const bool is_writable = view.is_writable();
      borrowed.pop_back();
      if (parameter.is_output && !is_writable) {
        throw UsageError(function_.name() + ": argument " + parameter.name +
                         ": expected memory that may be written, got const");
      }
      borrowed.emplace_back(detours.back().aligned, parameter.name);
      if (!parameter.is_output) detours.pop_back();
    }
    arguments.emplace_back(borrowed.back().view());
  }
  {
    const nb::gil_scoped_release unlocked;
    const std::scoped_lock one_at_a_time(*one_call_);
    function_.call(arguments);
  }
  for (const Detour& detour : detours) nb::module_::import_("numpy").attr("copyto")(detour.array, detour.aligned);
}

nb::any PythonFunction::call(const nb::args& arrays, nb::handle out, const nb::kwargs& named) const {
  std::vector<nb::object> placed = place(arrays, named);
  if (!out.is_none()) {
    const nb::tuple given = is_list(out) ? nb::tuple(out) : nb::make_tuple(out);
    std::size_t next = 0;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      if (!parameters_[p].is_output) continue;
      if (placed[p])
        throw UsageError(function_.name() + ": " + parameters_[p].name + " is given twice, by its place and by out=");
      if (next < given.size()) placed[p] = given[next++];
    }
    if (next < given.size()) throw UsageError(function_.name() + ": out= has more arrays than there are outputs");
  }
  nb::list results;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (!parameters_[p].is_output) continue;
    if (!placed[p]) placed[p] = allocate(parameters_[p], placed);
    results.append(placed[p]);
  }
  run(placed);
  return any_of(results.size() == 1 ? nb::object(results[0]) : nb::object(nb::tuple(results)));
}

PythonFunction PythonFunction::prepare(const nb::args& arrays, const nb::kwargs& named) const {
  const std::vector<nb::object> placed = place(arrays, named);
  PythonFunction bound = *this;
  std::vector<BorrowedArray> borrowed;
  borrowed.reserve(placed.size());
  std::vector<ArrayRef> constants;
  for (std::size_t p = 0; p < placed.size(); ++p) {
    if (!placed[p]) continue;
    if (parameters_[p].is_output)
      throw UsageError(function_.name() + ": prepare takes inputs, and " + parameters_[p].name + " is an output");
    if (parameters_[p].is_constant && !is_prepared_) {
      borrowed.emplace_back(placed[p], parameters_[p].name);
      constants.emplace_back(borrowed.back().view());
    } else {
      bound.parameters_[p].bound = placed[p];
    }
  }
  const bool has_preparation = std::ranges::any_of(parameters_, &Parameter::is_constant) && !is_prepared_;
  if (has_preparation) {
    require_threads();
    const nb::gil_scoped_release unlocked;
    const std::scoped_lock one_at_a_time(*one_call_);
    bound.function_ = function_.prepare_of(constants);
    bound.is_prepared_ = true;
  }
  return bound;
}

void bind_functions(nb::module_& m) {
  nb::class_<PythonFunction>(
      m, "Function",
      "A kernel, called with arrays: f(a, b) returns new ones, f(a, b, out=c) or f(a, b, c) writes to c. Arrays are "
      "numpy's, or others that lend their memory by the buffer protocol or DLPack; no element is copied. Shapes and "
      "types "
      "are checked before anything runs; the interpreter's lock is released meanwhile.")
      .def("__call__", &PythonFunction::call, nb::arg("arrays"), nb::arg("out") = nb::none(), nb::arg("named"),
           "Calls the kernel with its inputs, by position or by name. Returns the outputs: one array or a tuple.")
      .def("prepare", &PythonFunction::prepare, nb::arg("arrays"), nb::arg("named"),
           "The function for these inputs, which calls then leave out. Constants such as weights are packed once.")
      .def_prop_ro("name", [](const PythonFunction& f) { return f.function().name(); })
      .def_prop_ro("inputs", &PythonFunction::inputs, "The names of the inputs that a call takes, in order.")
      .def_prop_ro("outputs", &PythonFunction::outputs, "The names of the outputs.")
      .def_prop_ro("signature", &PythonFunction::signature)
      .def_prop_ro(
          "program", [](const PythonFunction& f) { return f.function().program(); },
          "The loops that it was compiled from.")
      .def("__repr__", [](const PythonFunction& f) { return "<nestwright.Function " + f.signature() + ">"; });
  m.def(
      "build",
      [](const Schedule& schedule, nb::handle args, nb::handle target, const std::string& name) {
        const Target parsed = target_from(target);
        const Args tensors = args_from(args);
        require_threads();
        return PythonFunction([&] {
          const nb::gil_scoped_release unlocked;
          return build(schedule, tensors, parsed, name);
        }());
      },
      nb::arg("sch"), nb::arg("args"), nb::arg("target") = nb::none(), nb::arg("name") = "main",
      "Compiles a schedule to a function of this process. args: the tensors of the kernel, inputs first; target: as on "
      "the command line, None: this machine.");
}

}  // namespace nestwright::python
