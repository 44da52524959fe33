// Templates that are functions in Python. Thread rule: they run on any thread, one at a time under the interpreter's
// lock.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "nestwright/registry.h"

namespace nestwright::python {

/// The operators that this process knows: the built-in ones, and those that Python adds. Requires the interpreter's
/// lock.
std::shared_ptr<const Registry> registry();

/// Whether the operator and its templates were defined in Python. Needs no lock.
bool is_of_python(const Operator& op);

}  // namespace nestwright::python
