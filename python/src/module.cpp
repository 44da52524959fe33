// The extension module nestwright._nestwright: the library's public headers as Python sees them. What needs no C++ is
// in the package's Python files.
#include <dlfcn.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.h"
#include "forks.h"
#include "nestwright/registry.h"

namespace {

/// The path of the library's file, near which its programs are.
std::string library_path() {
  Dl_info found{};
  const void* const address = reinterpret_cast<const void*>(&nestwright::builtin_registry);
  return dladdr(address, &found) == 0 || found.dli_fname == nullptr ? "" : found.dli_fname;
}

}  // namespace

NB_MODULE(_nestwright, m) {
  using namespace nestwright::python;
  nanobind::set_leak_warnings(false);  // a user's interpreter may end while an exception holds its frames
  watch_forks();
  m.attr("_version") = NESTWRIGHT_VERSION;
  m.def("_library_path", library_path);
  bind_errors(m);
  bind_expressions(m);
  bind_intrinsics(m);
  bind_schedules(m);
  bind_functions(m);
  bind_knobs(m);
  bind_operators(m);
  bind_database(m);
  bind_kernels(m);
  bind_studies(m);
  bind_tuning(m);
  bind_graphs(m);
  bind_networks(m);
}
