// The texts of an exported library. Everything here is C that builds with `cc` alone and includes nothing of ours.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "codegen/backend.h"
#include "lookup/lookup.h"
#include "templates/template.h"

namespace nestwright {

/// What the texts are made from.
struct Exported {
  std::string name;  ///< of the function and the files
  const Task* task = nullptr;
  const Lookup* found = nullptr;
  const Definition* definition = nullptr;
  const CompiledObject* object = nullptr;
  bool is_parallel = false;  ///< the kernel has a parallel loop
};

/// "float", "double": of the tensors of the signature. Throws UsageError for a type that C cannot name.
std::string c_type(ir::Type type);
/// "const float* A, const float* B, float* C".
std::string c_parameters(const Exported& e);

std::string header_source(const Exported& e);     ///< NAME.h: the function and its contract
std::string launcher_source(const Exported& e);   ///< NAME.c: checks, workspace, threads, and the call of the kernel
std::string self_test_source(const Exported& e);  ///< NAME_selftest.c: against a plain loop in double, made from the expression
std::string manifest_json(const Exported& e);
std::string cmake_config(const Exported& e);      ///< NAMEConfig.cmake: the imported targets NAME::NAME and NAME::NAME_static

}  // namespace nestwright
