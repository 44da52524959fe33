// The library's exceptions as Python's. Each has the sentence that the command line prints.
#include "nestwright/error.h"

#include "bindings.h"
#include "nestwright/device.h"
#include "nestwright/lower.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

/// Registers C++'s exception T as a class derived from `bases`.
template <class T>
nb::object add(nb::module_& m, const char* name, const nb::object& bases, const char* doc) {
  nb::exception<T> type(m, name, bases);
  type.attr("__doc__") = doc;
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
