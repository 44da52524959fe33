// Uses of a tuned kernel: as a library that does not depend on Nestwright, or as a function in this process.
//
//   AppliedKernel matmul = apply_best(parse_workload("matmul m=512 n=512 k=512"), Target::host(), "nestwright.db");
//   matmul.function(a, b, c);
//   export_kernel(task, matmul.found, {.directory = "out", .name = "matmul_512"});
//
// An exported library has a header, static and shared library, object, LLVM IR, assembly, manifest, CMake package and a
// self-test in C. It is built with only `cc` and `ar`. For a device it is one C file with the code embedded, which
// needs the driver's header and library (CUDA or OpenCL) where it is built, together with the code as separate files:
// CUDA C++, PTX and cubin, or OpenCL C.
//
// Thread rule: one export per directory at a time; apply_best may be called from
// any thread, and an AppliedKernel serves one caller at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/build.h"
#include "nestwright/lookup.h"

namespace nestwright {

struct CompiledObject;  // machine code with its symbols

}  // namespace nestwright

#pragma GCC visibility push(default)

namespace nestwright {

/// The result of running the object that is to be exported. Times are nanoseconds per call.
struct ExportCheck {
  std::string why_not_run;                        ///< one sentence; empty: it ran
  std::string failure;                            ///< what was wrong; empty: nothing
  double median_ns = 0, low_ns = 0, high_ns = 0;  ///< 0: not timed, because the machine was disturbed
};

/// The directory and the name of an export.
struct ExportOptions {
  std::string directory;  ///< created if it does not exist
  std::string name;       ///< of the function and the files, a C identifier; empty: derived from the workload
  /// Runs the object before anything is written. If empty, it is not run.
  std::function<ExportCheck(const CompiledObject&)> check = {};
};

/// The exported library.
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

/// A compiled kernel with its configuration.
struct AppliedKernel {
  Lookup found;  ///< the configuration, and how it matched
  Function function;
};

/// Compiles the best known configuration for this process, of the template named `only` if it is not empty, as it was
/// tuned for `caches` in this state when a call begins. An empty `database` selects the template's default. Throws
/// UsageError if this machine cannot run the target's code or no template serves the workload, LogError, CompileError.
AppliedKernel apply_best(const Workload& workload, const Target& target, const std::string& database,
                         const std::string& only = {}, CacheState caches = CacheState::kWarm);

}  // namespace nestwright

#pragma GCC visibility pop
