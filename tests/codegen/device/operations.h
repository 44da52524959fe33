// Device programs with every operation of the IR on every type, element by element and on vectors of all lengths.
// Thread rule: pure functions and values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::testing {

/// The layout of a thread's elements in memory.
enum class Rows {
  kScalars,
  kAligned,    ///< vectors of 16 bytes and, for the rest, of fewer
  kUnaligned,  ///< vectors that have to be moved element by element
};

/// One kernel for all operations, or one for each: GPU compilers prefer small kernels, PoCL takes a third of a second
/// for each.
enum class Kernels { kOne, kEach };

/// B_k[i] = f_k(A[i], C[i]) for each k. Its parameters are A, C, then each B_k.
class OperationProgram {
 public:
  OperationProgram(ir::Type type, Rows rows, Kernels kernels);

  using Operation = std::function<ir::Expr(ir::Expr, ir::Expr)>;
  void add(const std::string& name, const Operation& f);
  ir::Program program() const;
  /// The number of elements of each parameter.
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

/// Arithmetic, comparisons, selections, and division of integers.
ir::Program operations_on(ir::Type type, Rows rows, Kernels kernels);
/// Floating-point functions that every library rounds as IEEE 754 requires, so that results are equal.
ir::Program rounded_functions_on(ir::Type type, Rows rows, Kernels kernels);
/// exp, log, tanh ..., in whose last bits libraries differ.
ir::Program transcendental_functions_on(ir::Type type, Rows rows, Kernels kernels);
/// Casts between the type and all others, which also load and store vectors of each type.
ir::Program casts_of(ir::Type type, Rows rows, Kernels kernels);
/// Functions on int32 words of bytes and halves.
ir::Program word_functions(Rows rows, Kernels kernels);

}  // namespace nestwright::testing
