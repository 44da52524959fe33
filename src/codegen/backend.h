// A backend turns a program in vector form into machine code (or source) for a target.
// Thread rule: a Backend may be used by several threads at once; compile() shares nothing between calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/core/program.h"
#include "target/target.h"

namespace nestwright {

/// How much work goes into the code. Frozen numbers: they are part of the log's keys.
enum class Pipeline : std::uint8_t {
  kSearch = 0,  ///< a few passes, about 15 ms a candidate
  kFinal = 1,   ///< stronger, for winners and exports
};

struct CompileOptions {
  Pipeline pipeline = Pipeline::kSearch;
  bool keep_ir = false;        ///< fill in `ir`
  bool keep_assembly = false;  ///< fill in `assembly`; for CUDA it is PTX
};

/// What a kernel needs of a multiprocessor, as the device's compiler reports it.
struct KernelResources {
  std::string kernel;
  int registers = 0;              ///< a thread
  std::int64_t spill_bytes = 0;   ///< stored and loaded by a thread because registers did not suffice
  std::int64_t stack_bytes = 0;   ///< a thread
  std::int64_t shared_bytes = 0;  ///< a block, static and dynamic, without what the system reserves
  int threads = 0;                ///< a block; 0: its size is not known before the call
  double occupancy = 0;           ///< resident warps of the most (target/occupancy.h); 0: none, or not known
};

struct CompiledObject {
  /// On a CPU a relocatable object file, position-independent; for CUDA a cubin; for OpenCL the source, which the
  /// driver builds where it runs.
  std::string object;
  std::string symbol;       ///< of the entry, a nestwright_kernel (runtime/kernel_abi.h)
  std::string preparation;  ///< of what fills the prepared parameters, likewise; empty: there are none
  /// Of each prepared parameter, a multiple of 64; they are to be aligned to 64. They follow the others in a call.
  std::vector<std::int64_t> prepared_bytes;
  /// Equal where machine code and workspace are, whatever the symbols are called.
  std::string code;
  ir::Workspace workspace;
  /// What the code may use beyond the instruction set of the target, because of its llvm_cpu: names as host_features()
  /// (target/host.h) has them.
  std::vector<std::string> extensions;
  std::vector<ir::Var> symbols;  ///< what the sizes of the workspace may depend on, in the order of the call
  /// On a device, what a launcher follows (ir/analysis/launch.h): the program in vector form as ir::serialize gives it.
  /// Its kernels go by their names.
  std::string launches;
  std::string source;                      ///< on a device: CUDA C++ or OpenCL C
  std::vector<KernelResources> resources;  ///< for CUDA, one a kernel; none where the compiler did not tell them
  std::string ir;                          ///< LLVM IR after optimisation, where asked for
  std::string assembly;                    ///< where asked for
};

class Backend {
 public:
  virtual ~Backend() = default;
  /// Why it cannot compile for the target, one sentence that says what to do; empty where it can.
  virtual std::string why_not(const Target&) const { return {}; }
  /// Requires vector form (lower/lower.h: expand). Throws CompileError.
  virtual CompiledObject compile(const ir::Program& program, const Target& target, const CompileOptions& options) = 0;
  /// Name and version, e.g. "LLVM 19.1.7": part of the log's keys.
  virtual std::string version() const = 0;
};

/// The backend for the target's kind of device. Throws CompileError where this build has none.
std::unique_ptr<Backend> make_backend(DeviceKind device);

/// Machine code linked into this process.
class LoadedObject {
 public:
  virtual ~LoadedObject() = default;
  /// Address of a nestwright_kernel; valid as long as this object lives.
  virtual void* entry() const = 0;
  /// The same of what fills the prepared parameters; null where there are none.
  virtual void* preparation() const = 0;
};

/// Links an object for the host. Throws CompileError.
std::unique_ptr<LoadedObject> load_object(const CompiledObject& object);

}  // namespace nestwright
