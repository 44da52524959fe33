// The exceptions of the Python functions that threads of the library call in one run: those of templates and of
// intrinsics. The library sees an Error in their place, which costs a trial; who began the run raises the first one if
// the run as a whole fails.
// Thread rule: the functions require the interpreter's lock, unless they say otherwise.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "held.h"
#include "nestwright/workload.h"

namespace nestwright::python {

/// The first exception of a run; null: there was none.
struct RunErrors {
  nanobind::object first = {};
};
using SharedRunErrors = std::shared_ptr<RunErrors>;
inline SharedRunErrors make_run_errors() { return make_held(RunErrors()); }

/// The run that calls a template on this thread; null: there is none, as where Python calls the library itself. Needs
/// no lock.
SharedRunErrors current_run();

/// The workload, whose templates run as a part of the run with these errors. Needs no lock.
Workload with_errors(Workload workload, const SharedRunErrors& errors);

/// Keeps the exception, unless it is a refusal by nestwright or there is one already, and throws an Error for it, which
/// begins with `name`, the function's.
[[noreturn]] void throw_kept(const SharedRunErrors& errors, nanobind::python_error& raised, const std::string& name);

}  // namespace nestwright::python
