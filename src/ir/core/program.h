// Programs: what a schedule is lowered to, and what a worker or another machine receives (ir/serialize/serialize.h).
// Thread rule: values. Units: sizes are in bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/core/stmt.h"

namespace nestwright::ir {

/// DO NOT CHANGE THESE VALUES: they are part of the byte format.
enum class Role : std::uint8_t {
  kInput = 0,
  kOutput = 1,
  kPrepared = 2,  ///< stored by the preparation, read by every call; uninitialised, owned by the caller
};

/// A tensor that the caller passes. The parameters of the operator's definition come first, in their order, inputs
/// before outputs; then the prepared ones.
struct Parameter {
  Buffer buffer;
  Role role = Role::kInput;
  /// For an output, the number of the input that may be the same memory (ir/analysis/in_place.h); -1 for none.
  int in_place_of = -1;
  /// For an input, whether only the preparation reads it, so that calls do not need it.
  bool is_constant = false;
  /// The extents of the caller's tensor if they are not the buffer's: it holds the same elements in the same order, and
  /// both are compact. nullopt: they are the buffer's.
  std::optional<std::vector<std::int64_t>> shape = {};
};

/// The number of elements of a tensor with these extents; nullopt if one is negative or their product exceeds int64.
std::optional<std::int64_t> count_elements(const std::vector<std::int64_t>& shape);

struct Kernel {
  std::string name;
  Stmt body;
};

/// The alignment of a workspace, of the buffers in it and of each thread's part of it.
inline constexpr std::int64_t kWorkspaceAlignment = 64;
/// `bytes` rounded up to a multiple of kWorkspaceAlignment.
std::int64_t aligned_workspace_bytes(std::int64_t bytes);
Expr aligned_workspace_bytes(const Expr& bytes);

/// Memory that the caller provides besides the tensors, in bytes, aligned to kWorkspaceAlignment. Buffers whose size
/// depends on the program's symbols follow those of constant size; their total size, an expression of the symbols, is
/// added to the constant one (undefined: there are none).
struct Workspace {
  std::int64_t shared_bytes = 0;
  std::int64_t per_thread_bytes = 0;
  Expr symbolic_shared_bytes, symbolic_per_thread_bytes;

  bool is_symbolic() const { return symbolic_shared_bytes.defined() || symbolic_per_thread_bytes.defined(); }
};

/// A condition on the symbols, beyond that they are at least 1: `slack` >= 0. The caller must guarantee it.
struct Requirement {
  Expr slack;
  std::string why;  ///< what fails otherwise, as a message says it
};

/// `host` is a statement of loops and launches; on the CPU it is often the launch of one kernel. `preparation` is such
/// a statement that runs once, before any number of calls: it reads constant inputs and stores prepared parameters
/// (packed weights, for example). All kernels can access all parameters.
struct Program {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Var> symbols;  ///< symbolic extents and strides, bound at the call, in this order
  std::vector<Requirement> requirements;
  Workspace workspace;  ///< filled in by lower::expand
  Stmt preparation;     ///< undefined where nothing is prepared
  Stmt host;
  std::vector<Kernel> kernels;
};

}  // namespace nestwright::ir
