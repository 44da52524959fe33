#include "functions.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cctype>
#include <deque>
#include <optional>

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

/// An array at an address that the kernel does not take, and another one in its place.
struct Detour {
  nb::object array, aligned;
  bool is_output = false;
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
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const bool is_taken = !parameters_[p].bound && !is_packed(p);
    if (parameters_[p].is_output == outputs && is_taken) names.push_back(parameters_[p].name);
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
    if (parameters_[p].is_output || !is_same_name(parameters_[p].name, name)) continue;
    if (is_packed(p))
      throw UsageError(function_.name() + ": " + parameters_[p].name + " was prepared, and cannot be given again");
    return p;
  }
  std::string names;
  for (const std::string& each : inputs()) names += (names.empty() ? "" : ", ") + each;
  throw UsageError(function_.name() + ": it has no input '" + name + "': its inputs are " + names);
}

std::vector<nb::object> PythonFunction::place(const nb::args& arrays, const nb::kwargs& named) const {
  std::vector<nb::object> placed(parameters_.size());
  for (std::size_t p = 0; p < parameters_.size(); ++p) placed[p] = parameters_[p].bound;
  for (const auto& [name, array] : named) {
    const std::size_t p = find_input(nb::cast<std::string>(name));
    if (placed[p]) throw UsageError(function_.name() + ": " + parameters_[p].name + " is given twice, or was prepared");
    placed[p] = nb::borrow(array);
  }
  std::size_t next = 0;
  for (nb::handle array : arrays) {
    while (next < placed.size() && (parameters_[next].bound || is_packed(next))) ++next;
    if (next == placed.size()) throw UsageError(function_.name() + ": too many arguments: it takes " + signature());
    if (placed[next])  // by a name
      throw UsageError(function_.name() + ": " + parameters_[next].name + " is given by its place and by its name");
    placed[next++] = nb::borrow(array);
  }
  return placed;
}

std::vector<std::int64_t> PythonFunction::shape_of(const Parameter& output, const std::deque<BorrowedArray>& given,
                                                   const std::vector<std::size_t>& parameter_of) const {
  if (output.of_program.shape) return *output.of_program.shape;
  std::vector<std::int64_t> shape;
  for (const Expr& extent : output.of_program.buffer->shape) {
    if (const std::int64_t* constant = ir::as_const_int(extent)) {
      shape.push_back(*constant);
      continue;
    }
    // The symbol is an extent of an input.
    const auto* symbol = extent.as<ir::VarRef>();
    std::optional<std::int64_t> value;
    for (std::size_t g = 0; symbol != nullptr && g < given.size() && !value; ++g) {
      const std::vector<Expr>& extents = parameters_[parameter_of[g]].of_program.buffer->shape;
      const std::span<const std::int64_t> actual = given[g].shape();
      for (std::size_t d = 0; d < std::min(extents.size(), actual.size()) && !value; ++d) {
        const auto* other = extents[d].as<ir::VarRef>();
        if (other != nullptr && other->var.id() == symbol->var.id()) value = actual[d];
      }
    }
    if (!value) throw UsageError(function_.name() + ": the shape of " + output.name + " is not known: give it as out=");
    shape.push_back(*value);
  }
  return shape;
}

void PythonFunction::run(std::vector<nb::object>& arrays) const {
  require_threads();
  std::deque<BorrowedArray> borrowed;  // which do not move
  std::vector<Detour> detours;
  std::vector<std::size_t> parameter_of;  // of each of `borrowed`
  for (std::size_t p = 0; p < arrays.size(); ++p) {
    const Parameter& parameter = parameters_[p];
    if (is_packed(p)) continue;
    const ir::Buffer& buffer = parameter.of_program.buffer;
    if (!arrays[p] && !parameter.is_output) {
      throw UsageError(function_.name() + ": the argument " + parameter.name + " is missing: it takes " + signature());
    }
    if (!arrays[p]) {
      if (!buffer->strides.empty()) {
        throw UsageError(function_.name() + ": " + parameter.name + " has strides of its own: give it as out=");
      }
      arrays[p] = empty_array(shape_of(parameter, borrowed, parameter_of), buffer->element, buffer->alignment);
    }
    parameter_of.push_back(p);
    borrowed.emplace_back(arrays[p], parameter.name);
    const BorrowedArray& lent = borrowed.back();
    if (lent.is_at_multiple_of(buffer->alignment)) continue;
    if (parameter.is_output && !lent.is_writable()) continue;  // the call refuses it
    detours.push_back({arrays[p], empty_array(lent.shape(), lent.type(), buffer->alignment), parameter.is_output});
    if (!parameter.is_output) copy_elements(detours.back().aligned, detours.back().array);
    borrowed.pop_back();
    borrowed.emplace_back(detours.back().aligned, parameter.name);
  }
  std::vector<ArrayRef> arguments;
  arguments.reserve(borrowed.size());
  for (const BorrowedArray& each : borrowed) arguments.push_back(each.ref());
  {
    const nb::gil_scoped_release unlocked;
    const std::scoped_lock one_at_a_time(*one_call_);
    function_.call(arguments);
  }
  for (const Detour& detour : detours) {
    if (detour.is_output) copy_elements(detour.array, detour.aligned);
  }
}

nb::any PythonFunction::call(const nb::args& arrays, nb::handle out, const nb::kwargs& named) const {
  std::vector<nb::object> placed = place(arrays, named);
  if (!out.is_none()) {
    const nb::tuple given = is_list(out) ? nb::tuple(out) : nb::make_tuple(out);
    std::size_t next = 0;
    for (std::size_t p = 0; p < parameters_.size(); ++p) {
      if (!parameters_[p].is_output) continue;
      if (placed[p]) {
        throw UsageError(function_.name() + ": " + parameters_[p].name + " is given twice, by its place and by out=");
      }
      if (next < given.size()) placed[p] = given[next++];
    }
    if (next < given.size()) throw UsageError(function_.name() + ": out= has more arrays than there are outputs");
  }
  run(placed);
  nb::list results;
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    if (parameters_[p].is_output) results.append(placed[p]);
  }
  return any_of(results.size() == 1 ? nb::object(results[0]) : nb::object(nb::tuple(results)));
}

PythonFunction PythonFunction::prepare(const nb::args& arrays, const nb::kwargs& named) const {
  const std::vector<nb::object> placed = place(arrays, named);
  PythonFunction bound = *this;
  std::deque<BorrowedArray> borrowed;  // which do not move
  std::vector<ArrayRef> constants;
  for (std::size_t p = 0; p < placed.size(); ++p) {
    if (!placed[p] || is_packed(p)) continue;
    if (parameters_[p].is_output) {
      throw UsageError(function_.name() + ": prepare takes inputs, and " + parameters_[p].name + " is an output");
    }
    borrowed.emplace_back(placed[p], parameters_[p].name);  // refuses what is no array
    if (parameters_[p].is_constant) {
      constants.push_back(borrowed.back().ref());
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
      "types are checked before anything runs; the interpreter's lock is released meanwhile.")
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
        require_threads();
        const ir::Program loops = lower(schedule, args_from(args), parsed, name);  // before others may change it
        return PythonFunction([&] {
          const nb::gil_scoped_release unlocked;
          return build(loops, parsed);
        }());
      },
      nb::arg("sch"), nb::arg("args"), nb::arg("target") = nb::none(), nb::arg("name") = "main",
      "Compiles a schedule to a function of this process. args: the tensors of the kernel, inputs first; target: as on "
      "the command line, None: this machine.");
}

}  // namespace nestwright::python
