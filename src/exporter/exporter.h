// Exports a tuned kernel as a library that does not depend on Nestwright: header, static and shared library, object,
// LLVM IR, assembly, manifest, CMake package and a self-test in C. The library is built with only `cc` and `ar`. For a
// device it is one C file with the code embedded, which needs the driver's header and library (CUDA or OpenCL) where it
// is built, together with the code as separate files: CUDA C++, PTX and cubin, or OpenCL C.
// Thread rule: one export per directory at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "exporter/source/export_check.h"
#include "lookup/lookup.h"
#include "templates/framework/template/workload.h"

namespace nestwright {

/// Where and under which name to export.
struct ExportOptions {
  std::string directory;  ///< created if it does not exist
  std::string name;       ///< of the function and the files, a C identifier; empty: derived from the workload
  /// Runs the object before anything is written. If empty, it is not run.
  std::function<ExportCheck(const CompiledObject&)> check = {};
};

/// What was exported.
struct ExportResult {
  std::string name;
  std::string symbol;
  std::vector<std::string> files;  ///< relative to the directory
  std::optional<ExportCheck> check;
};

/// Compiles `found` with the final pipeline and writes the library. The names of all files contain the function's name,
/// so that a directory can hold several exports; existing files are replaced. Throws UsageError (a name that is illegal
/// in C, a directory that cannot be written; for a CPU, no C compiler), CompileError (for CUDA, no NVRTC), Error if the
/// check fails, in which case nothing is written.
ExportResult export_kernel(const Task& task, const Lookup& found, const ExportOptions& options);

}  // namespace nestwright
