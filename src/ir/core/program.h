// What a schedule is lowered to, and what a worker or another machine receives (ir/serialize/serialize.h).
#pragma once

#include <string>
#include <vector>

#include "ir/core/stmt.h"

namespace nestwright::ir {

/// DO NOT CHANGE THESE VALUES: they are part of the byte format.
enum class Role : std::uint8_t {
  kInput = 0,
  kOutput = 1,
  kPrepared = 2,  ///< what the preparation stores and every call reads: memory of the caller's, its contents nobody's
};

/// One tensor that the caller hands over: those of the operator's definition in their order, inputs first, then those
/// that are prepared.
struct Parameter {
  Buffer buffer;
  Role role = Role::kInput;
  /// Of an output: the number of the input that may be the same memory, as lowering found (ir/analysis/in_place.h). -1:
  /// none.
  int in_place_of = -1;
  /// Of an input: only the preparation reads it, so that a call does without.
  bool is_constant = false;
};

struct Kernel {
  std::string name;
  Stmt body;
};

/// Bytes that the caller provides beside the tensors, aligned to 64. Buffers whose size depends on the program's
/// symbols follow those of constant size: what they take, an expression of the symbols, comes on top (undefined:
/// nothing).
struct Workspace {
  std::int64_t shared_bytes = 0;
  std::int64_t per_thread_bytes = 0;
  Expr symbolic_shared_bytes, symbolic_per_thread_bytes;

  bool is_symbolic() const { return symbolic_shared_bytes.defined() || symbolic_per_thread_bytes.defined(); }
};

/// What the program relies on of its symbols, beyond that they are at least 1: `slack` is at least 0. The caller sees
/// to it.
struct Requirement {
  Expr slack;
  std::string why;  ///< what goes wrong otherwise, as a message says it
};

/// `host` holds loops and launches; on the CPU it is often the launch of one kernel. `preparation` is the same for what
/// is done once, before any number of calls: it reads constants and stores what is prepared of them (packed weights,
/// say). All kernels see all parameters.
struct Program {
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<Var> symbols;  ///< symbolic extents and strides, bound at the call, in this order
  std::vector<Requirement> requirements;
  Workspace workspace;  ///< filled in by lower::expand
  Stmt preparation;     ///< undefined: nothing is prepared
  Stmt host;
  std::vector<Kernel> kernels;
};

}  // namespace nestwright::ir
