// The texts of an exported library. Everything here is C that builds with `cc` alone and includes nothing of ours.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "codegen/backend.h"
#include "exporter/exporter.h"
#include "lookup/lookup.h"
#include "templates/framework/template.h"

namespace nestwright {

/// What the texts are made from.
struct Exported {
  std::string name;  ///< of the function and the files
  const Task* task = nullptr;
  const Lookup* found = nullptr;
  const Definition* definition = nullptr;
  const CompiledObject* object = nullptr;
  bool is_parallel = false;  ///< the kernel has a parallel loop
  /// For what may lie in place, and alignments; null: of elements. On a device the one with legal names, which is what
  /// CompiledObject::launches holds.
  const ir::Program* program = nullptr;
  const ExportCheck* check = nullptr;  ///< null: it was not run

  /// Threads that run the kernel, the caller's among them.
  int threads() const { return is_parallel ? task->target.threads : 1; }
  /// Bytes, of the address of a tensor of the signature.
  int alignment(std::size_t argument) const;
  /// Of one calling thread, for all of its kernel's threads.
  std::int64_t workspace_bytes() const;
  /// Whether only the preparation reads a tensor of the signature, so that a call does without it.
  bool is_constant(std::size_t argument) const;
  bool has_preparation() const { return !object->prepared_bytes.empty(); }
  /// Of all that is prepared, which lies one after the other.
  std::int64_t prepared_bytes() const;
};

/// "float", "double": of the tensors of the signature. Throws UsageError for a type that C cannot name.
std::string c_type(ir::Type type);
/// The type of a kernel's parameter as a sentence in its header: "bfloat16 as unsigned short".
std::string described_type(ir::Type type);
/// "const float* A, const float* B, float* C". What is prepared of constants stands in their place, after the inputs.
std::string c_parameters(const Exported& e);
/// Of the preparation: "const float* B, void* prepared".
std::string c_preparation_parameters(const Exported& e);

std::string header_source(const Exported& e);     ///< NAME.h: the function and its contract
std::string launcher_source(const Exported& e);   ///< NAME.c: checks, workspace, threads, and the call of the kernel
std::string self_test_source(const Exported& e);  ///< NAME_selftest.c: against values of the reference
std::string manifest_json(const Exported& e);     ///< NAME_manifest.json: where the kernel comes from
std::string cmake_config(const Exported& e);      ///< NAMEConfig.cmake: the targets NAME::NAME and NAME::NAME_static

// Parts of the header.

std::string header_guard(const Exported& e);    ///< the name in capitals
std::string header_time(const Exported& e);     ///< of a call, with its interval, or that it was not measured
std::string header_tensors(const Exported& e);  ///< a line a tensor
std::string header_overlap(const Exported& e);  ///< what may share memory with what

// Parts of the launcher.

/// `static int cpu_serves(void)`: whether this processor and operating system have every instruction of `isa`'s level
/// and of `extensions` (CompiledObject::extensions).
std::string cpu_check_source(CpuIsa isa, const std::vector<std::string>& extensions);
/// Whether they are of tile registers: then that source defines tiles_allowed(), too.
bool uses_tiles(const std::vector<std::string>& extensions);
/// runtime/thread_pool.c, which the library's own pools are of: `struct thread_pool` and `static void pool_run(...)`.
std::string thread_pool_source();

}  // namespace nestwright
