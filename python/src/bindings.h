// The parts of the extension module: each adds its classes and functions. Thread rule: called once, while the module is
// imported.
#pragma once

#include <nanobind/nanobind.h>

namespace nestwright::python {

void bind_errors(nanobind::module_& m);
void bind_expressions(nanobind::module_& m);
void bind_intrinsics(nanobind::module_& m);
void bind_schedules(nanobind::module_& m);
void bind_functions(nanobind::module_& m);
void bind_knobs(nanobind::module_& m);
void bind_operators(nanobind::module_& m);
void bind_database(nanobind::module_& m);
void bind_kernels(nanobind::module_& m);
void bind_studies(nanobind::module_& m);
void bind_tuning(nanobind::module_& m);
void bind_graphs(nanobind::module_& m);
void bind_networks(nanobind::module_& m);

}  // namespace nestwright::python
