// Programs of devices that do every operation of the IR on every type, element by element and on vectors of all
// lengths.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/core/program.h"

namespace nestwright::testing {

/// How the elements that a thread works on lie in memory.
enum class Rows {
  kScalars,
  kAligned,    ///< vectors of 16 bytes and, for the rest, of fewer
  kUnaligned,  ///< vectors that have to be moved element by element
};

/// Whether each operation has a kernel of its own, as compilers for GPUs like it, or all are in one: PoCL takes a third
/// of a second a kernel.
enum class Kernels { kOne, kEach };

/// B_k[i] = f_k(A[i], C[i]) for each k: parameters A, C, then those.
class OperationProgram {
 public:
  OperationProgram(ir::Type type, Rows rows, Kernels kernels);

  using Operation = std::function<ir::Expr(ir::Expr, ir::Expr)>;
  void add(const std::string& name, const Operation& f);
  ir::Program program() const;
  /// Of each parameter.
  std::int64_t elements() const;

 private:
  ir::Type type_;
  Rows rows_;
  Kernels kernels_;
  ir::Buffer a_, c_;
  ir::Var block_{"block"}, thread_{"thread"};
  std::vector<ir::Parameter> parameters_;
  std::vector<ir::Stmt> stores_;
};

/// Arithmetic, comparisons, choices; on integers division, too.
ir::Program operations_on(ir::Type type, Rows rows, Kernels kernels);
/// What rounds as IEEE 754 has it in every library, so that results are equal; of floating-point types.
ir::Program rounded_functions_on(ir::Type type, Rows rows, Kernels kernels);
/// exp, log, tanh ...: libraries differ in the last bits.
ir::Program transcendental_functions_on(ir::Type type, Rows rows, Kernels kernels);
/// Also what tells most of vectors: each type read and written.
ir::Program casts_of(ir::Type type, Rows rows, Kernels kernels);
/// Words of bytes and halves: of int32.
ir::Program word_functions(Rows rows, Kernels kernels);

}  // namespace nestwright::testing
