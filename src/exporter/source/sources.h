// The generated texts of an exported library. All of them are C that builds with `cc` alone and includes nothing of
// Nestwright.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "nestwright/export.h"
#include "nestwright/lookup.h"
#include "nestwright/template.h"

namespace nestwright {

/// The data that the texts are generated from.
struct Exported {
  std::string name;  ///< of the function and the files
  const Task* task = nullptr;
  const Lookup* found = nullptr;
  const Definition* definition = nullptr;
  const CompiledObject* object = nullptr;
  bool is_parallel = false;  ///< the kernel has a parallel loop
  /// For alignments and in-place outputs; null: alignments are those of elements. For a device, the program with legal
  /// names that CompiledObject::launches holds.
  const ir::Program* program = nullptr;
  const ExportCheck* check = nullptr;  ///< null: not run
  /// The C names of the signature's tensors (parameter_names.h).
  std::vector<std::string> parameters;

  /// The threads that run the kernel, including the caller's.
  int threads() const { return is_parallel ? task->target.threads : 1; }
  /// The alignment of a tensor of the signature, in bytes.
  int alignment(std::size_t argument) const;
  /// The bytes for one calling thread and all threads of its kernel.
  std::int64_t workspace_bytes() const;
  /// Whether only the preparation reads a tensor of the signature, so that calls do not take it.
  bool is_constant(std::size_t argument) const;
  bool has_preparation() const { return !object->prepared_bytes.empty(); }
  /// The bytes of all prepared data, which is contiguous.
  std::int64_t prepared_bytes() const;
};

/// Returns the C type of a tensor's elements, e.g. "float".
std::string c_type(ir::Type type);
/// Returns the type as the header describes it, e.g. "bfloat16".
std::string described_type(ir::Type type);
/// Returns the parameters, e.g. "const float* A, const float* B, float* C". Prepared data replaces constants, after the
/// inputs.
std::string c_parameters(const Exported& e);
/// Returns the parameters of the preparation, e.g. "const float* B, void* prepared".
std::string c_preparation_parameters(const Exported& e);

std::string header_source(const Exported& e);     ///< NAME.h: the function and its contract
std::string launcher_source(const Exported& e);   ///< NAME.c: checks, workspace, threads, and the call of the kernel
std::string self_test_source(const Exported& e);  ///< NAME_selftest.c: against values of the reference
/// NAME_manifest.json: where the kernel comes from. `hint` is the reason why its record is only a hint, null if it is
/// current; a hint is not called `verified`.
std::string manifest_json(const Exported& e);
std::string cmake_config(const Exported& e);  ///< NAMEConfig.cmake: the targets NAME::NAME and NAME::NAME_static

// Parts of the header.

std::string header_includes(const Exported& e);         ///< the includes for the parameters' types; may be empty
std::string header_guard(const std::string& function);  ///< the macro: the name in capitals, and _H
std::string header_time(const Exported& e);     ///< the time of a call with its interval, or that it was not measured
std::string header_tensors(const Exported& e);  ///< one line per tensor
std::string header_overlap(const Exported& e);  ///< which tensors may share memory

// Parts of the launcher.

/// Returns `static int cpu_serves(void)`: whether this processor and operating system support every instruction of the
/// level of `isa` and of `extensions` (CompiledObject::extensions).
std::string cpu_check_source(CpuIsa isa, const std::vector<std::string>& extensions);
/// Whether the extensions include tile registers, in which case that source also defines tiles_allowed().
bool uses_tiles(const std::vector<std::string>& extensions);

}  // namespace nestwright
