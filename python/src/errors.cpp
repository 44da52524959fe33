// The library's exceptions as Python's. Each has the sentence that the command line prints, with what to write in
// Python in the place of options.
#include "nestwright/error.h"

#include <nanobind/stl/string.h>

#include <string>

#include "bindings.h"
#include "nestwright/device.h"
#include "nestwright/lower.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

/// Sets Python's error. The sentence is the library's where Python cannot rewrite it, as when the interpreter ends.
void raise(PyObject* type, const char* sentence) {
  std::string text = sentence;
  try {
    text = nb::cast<std::string>(nb::module_::import_("nestwright._sentences").attr("in_python")(text));
  } catch (nb::python_error& e) {
    e.discard_as_unraisable("nestwright");
  }
  PyErr_SetString(type, text.c_str());
}

/// Registers C++'s exception T as a class derived from `bases`.
template <class T>
nb::object add(nb::module_& m, const char* name, const nb::object& bases, const char* doc) {
  const std::string full_name = nb::cast<std::string>(m.attr("__name__")) + "." + name;
  const nb::object type = nb::steal(PyErr_NewExceptionWithDoc(full_name.c_str(), doc, bases.ptr(), nullptr));
  if (!type.is_valid()) throw nb::python_error();
  m.attr(name) = type;
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* python_type) {
        try {
          std::rethrow_exception(thrown);
        } catch (const T& e) {
          raise(static_cast<PyObject*>(python_type), e.what());
        }
      },
      type.ptr());
  return type;
}

}  // namespace

void bind_errors(nb::module_& m) {
  const nb::object runtime_error = nb::borrow(PyExc_RuntimeError), value_error = nb::borrow(PyExc_ValueError);
  const nb::object error = add<Error>(m, "Error", runtime_error,
                                      "Base of everything that nestwright raises. str() is one sentence that says what "
                                      "is wrong, where, and what to do.");
  const auto both = [&] { return nb::make_tuple(error, value_error); };
  add<UsageError>(m, "UsageError", both(), "An argument is unusable: an unknown operator, a size of zero, ....");
  add<ScheduleError>(m, "ScheduleError", both(), "A primitive refused its arguments; the schedule is unchanged.");
  const nb::object lower = add<LowerError>(m, "LowerError", error, "A schedule cannot be lowered for the target.");
  add<UnprovedError>(m, "UnprovedError", lower, "A program cannot be proved sound.");
  add<CompileError>(m, "CompileError", error, "A backend could not make machine code of a program.");
  add<LogError>(m, "LogError", error, "The database cannot be opened, read or written.");
  add<DeviceError>(m, "DeviceError", error, "A GPU or its driver is missing or failed.");
  add<InternalError>(m, "InternalError", error, "A bug of nestwright, or of an operator or a template of the user's.");
}

}  // namespace nestwright::python
