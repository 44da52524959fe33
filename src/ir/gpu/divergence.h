// Divergence analysis of kernels: which expressions are uniform across a warp, and whether its threads reach a
// statement together. A value is uniform if all threads of a warp have the same one, and divergent otherwise.
// Thread rule: an object belongs to one walk over one kernel.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::ir {

/// Threads per warp. Thread n of a block, numbered with threadIdx.x fastest, belongs to warp n / kWarp.
inline constexpr std::int64_t kWarp = 32;

/// The control flow around the statement that a walk over a kernel has reached:
///
///   if (threadIdx.x < 3)     divergent: innermost_divergence() is "a condition"
///     for k in 0..n          uniform
///       C[k] = threadIdx.y   divergent, unless the threads along x are whole warps
///
/// Requires that every variable is defined once.
class DivergenceAnalysis {
 public:
  /// Analyses warps, or groups of `group` threads instead, a multiple of a warp.
  explicit DivergenceAnalysis(std::int64_t group = kWarp) : group_(group) {}

  /// Calls `walk`, which visits the body of the loop, or the branches of the condition.
  void within(const For& loop, const std::function<void()>& walk);
  void within(const IfThenElse& choice, const std::function<void()>& walk);
  /// Records the variable of a let; to be called before its body is visited.
  void define(const Let& let);

  /// Whether the threads of a warp may have different values of `e`: it depends on memory that is private to a thread,
  /// or on a threadIdx that is not constant in a warp. False for an undefined expression.
  bool is_divergent(const Expr& e) const { return is_divergent(dependences(e)); }

  /// The innermost enclosing loop or condition at which the threads of a warp may diverge, as "the loop over k"; empty
  /// where control flow is uniform.
  std::string innermost_divergence() const;

  /// The number of threads of a block along x, y or z (0, 1 or 2): 1 if no enclosing loop is bound to that index, 0 if
  /// its extent is not constant.
  std::int64_t threads(std::size_t dimension) const;

 private:
  /// A bit for each threadIdx that a value depends on, and one for memory that is private to a thread.
  using Dependences = unsigned;
  static constexpr Dependences kPrivateMemory = 8;
  struct ControlFlow {
    Dependences on;
    const For* loop;  ///< nullptr: a condition
  };

  Dependences dependences(const Expr& e) const;
  bool is_divergent(Dependences on) const;

  std::int64_t group_;
  std::array<const For*, 3> threads_{};
  std::vector<ControlFlow> enclosing_;  ///< outermost first
  std::map<Var, Dependences> lets_;
};

}  // namespace nestwright::ir
