// The args of a kernel, its tensors, as Python gives them. Thread rule: the caller holds the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include "nestwright/lower.h"

namespace nestwright::python {

/// A list of tensors, inputs first. Throws TypeError.
Args args_from(nanobind::handle object);

}  // namespace nestwright::python
