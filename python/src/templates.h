// Templates that are functions in Python. Thread rule: they run on any thread, one at a time under the interpreter's
// lock.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/registry.h"

namespace nestwright::python {

/// The operators that this process knows: the built-in ones, and those that Python adds.
Registry& registry();

/// A parameter's legal kinds are those of a Python annotation: int, bool, float, or "dtype".
struct PythonParameter {
  std::string name;
  OperatorParameter::Kind kind = OperatorParameter::Kind::kSize;
  std::string default_value;  ///< empty: it must be given
};

/// The first exception that a template of Python's raised since it was taken last; null: there was none.
nanobind::object take_template_error();

}  // namespace nestwright::python
