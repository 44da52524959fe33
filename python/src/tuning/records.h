// What the database stores, as dictionaries, of which the package makes its classes. Times are in seconds.
// Thread rule: the caller holds the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "nestwright/database.h"

namespace nestwright::python {

nanobind::dict dict_of(const Timing& timing);
nanobind::dict dict_of(const Measurement& measurement);
nanobind::dict dict_of(const BestRecord& record);
nanobind::dict dict_of(const TrialRecord& trial);

/// The time of a measurement, a number of seconds, or None for a failure.
Measurement measurement_from(nanobind::handle object);

}  // namespace nestwright::python
