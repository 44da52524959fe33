// Programs of devices that do every operation of the IR on every type, element by element and on vectors of all
// lengths.
#pragma once

#include <functional>
#include <vector>

#include "ir/program.h"

namespace nestwright::testing {

/// How the elements that a thread works on lie in memory.
enum class Rows {
  kScalars,
  kAligned,    ///< vectors of 16 bytes and, for the rest, of fewer
  kUnaligned,  ///< vectors that have to be moved element by element
};

/// B_k[i] = f_k(A[i], C[i]) for each k, by a kernel each: parameters A, C, then those.
class OperationProgram {
 public:
  OperationProgram(ir::Type type, Rows rows);

  using Operation = std::function<ir::Expr(ir::Expr, ir::Expr)>;
  void add(const std::string& name, const Operation& f);
  ir::Program program() const;
  /// Of each parameter.
  std::int64_t elements() const;

 private:
  Rows rows_;
  ir::Buffer a_, c_;
  std::vector<ir::Parameter> parameters_;
  std::vector<ir::Kernel> kernels_;
};

/// Arithmetic, comparisons, choices; on integers division, too.
ir::Program operations_on(ir::Type type, Rows rows);
/// What rounds as IEEE 754 has it in every library, so that results are equal; of floating-point types.
ir::Program rounded_functions_on(ir::Type type, Rows rows);
/// exp, log, tanh ...: libraries differ in the last bits.
ir::Program transcendental_functions_on(ir::Type type, Rows rows);
ir::Program casts_of(ir::Type type, Rows rows);
/// Words of bytes and halves: of int32.
ir::Program word_functions(Rows rows);

}  // namespace nestwright::testing
