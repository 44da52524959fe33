// A backend compiles a program in vector form to machine code, or to source, for a target.
// Thread rule: a Backend may be used by several threads at once; compile() shares nothing between calls.
// Units: sizes are in bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright {

struct CompileOptions {
  Pipeline pipeline = Pipeline::kSearch;
  bool keep_ir = false;        ///< fill in `ir`
  bool keep_assembly = false;  ///< fill in `assembly`; for CUDA it is PTX
};

struct CompiledObject {
  /// For CPUs a relocatable, position-independent object file; for CUDA a cubin; for OpenCL the source, which the
  /// driver builds where it runs.
  std::string object;
  std::string symbol;       ///< name of the entry, a nestwright_kernel (nestwright/kernel_abi.h)
  std::string preparation;  ///< name of the entry that fills the prepared parameters; empty: there are none
  /// The size of each prepared parameter, a multiple of 64. They are aligned to 64 and follow the others in a call.
  std::vector<std::int64_t> prepared_bytes;
  /// Equal for two objects if machine code and workspace are equal, whatever the symbols' names.
  std::string code_fingerprint;
  ir::Workspace workspace;
  /// The features beyond the target's instruction set that the code may use because of its llvm_cpu, by their names in
  /// host_features() (target/description/host.h).
  std::vector<std::string> extensions;
  std::vector<ir::Var> symbols;  ///< in the order of a call; the size of the workspace may depend on them
  /// On a device, the serialised program (ir::serialize) in vector form, from which a launcher takes the launches
  /// (ir/gpu/launch.h). Its kernels have the names that they have in the object.
  std::string launches;
  std::string source;                      ///< on a device: CUDA C++ or OpenCL C
  std::vector<KernelResources> resources;  ///< for CUDA, one per kernel; empty if the compiler did not report them
  std::string ir;                          ///< LLVM IR after optimisation, if `keep_ir`
  std::string assembly;                    ///< if `keep_assembly`
};

/// Has no state: what it loads belongs to the process.
class Backend {
 public:
  virtual ~Backend() = default;
  /// The reason why this backend cannot compile for the target, a sentence that says what to do; empty if it can.
  virtual std::string why_not(const Target&) const { return {}; }
  /// Compiles a program. Requires vector form (nestwright/lower.h: expand). Throws CompileError.
  virtual CompiledObject compile(const ir::Program& program, const Target& target, const CompileOptions& options) = 0;
  /// The compiler's name and version, such as "LLVM 19.1.7", which is part of the log's keys.
  virtual std::string version() const = 0;
};

/// The backend for a kind of device. Throws CompileError if this build has none.
std::unique_ptr<Backend> make_backend(DeviceKind device);
/// Backend::version() of that backend. Throws CompileError likewise.
std::string backend_version(DeviceKind device);
/// Backend::why_not() of the backend for the target. Throws CompileError likewise.
std::string why_not_compile(const Target& target);
/// Compiles a program in vector form with the backend for the target. Throws CompileError.
CompiledObject compile_program(const ir::Program& program, const Target& target, const CompileOptions& options);

/// Machine code linked into this process.
class LoadedObject {
 public:
  virtual ~LoadedObject() = default;
  /// The address of the kernel, a nestwright_kernel; valid as long as this object lives.
  virtual void* entry() const = 0;
  /// The address of the entry that fills the prepared parameters, likewise; null if there are none.
  virtual void* preparation() const = 0;
};

/// Links an object for the host. Throws CompileError.
std::unique_ptr<LoadedObject> load_object(const CompiledObject& object);

}  // namespace nestwright
