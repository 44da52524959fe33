// A tuned kernel as a library that needs nothing of ours: header, static and shared library, object, LLVM IR, assembly,
// manifest, CMake package and a self-test in C. The library is built with `cc` and `ar` alone. For a device it is one C
// file with the code inside, which takes the header and the library of the driver (CUDA or OpenCL) to build, wherever
// they are, beside the code as files: CUDA C++, PTX and cubin, or OpenCL C. Thread rule: one export per directory at a
// time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "lookup/lookup.h"
#include "templates/framework/workload.h"

namespace nestwright {

/// What came of running the object that is to be exported. Times of one call, in nanoseconds.
struct ExportCheck {
  std::string why_not_run;                        ///< one sentence; empty: it ran
  std::string failure;                            ///< what was wrong with it; empty: nothing
  double median_ns = 0, low_ns = 0, high_ns = 0;  ///< 0: not timed, as the machine was disturbed
};

struct ExportOptions {
  std::string directory;  ///< made where it is not there
  std::string name;       ///< of the function and the files, a C identifier; empty: made from the workload
  /// Runs the object before anything is written. Empty: it is not run.
  std::function<ExportCheck(const CompiledObject&)> check = {};
};

struct ExportResult {
  std::string name;
  std::string symbol;
  std::vector<std::string> files;  ///< relative to the directory
  std::optional<ExportCheck> check;
};

/// Compiles `found` with the final pipeline and writes the library. All files have the function's name in theirs, so
/// that a directory may hold several; those of one that was there before are replaced. Throws UsageError (a name that C
/// cannot have, a directory that cannot be written; for a CPU, no C compiler), CompileError (for CUDA, no NVRTC), Error
/// where the check finds it wrong: then nothing is written.
ExportResult export_kernel(const Task& task, const Lookup& found, const ExportOptions& options);

}  // namespace nestwright
