// Whether the threads of a warp, or of a group of warps, are of one mind at a point of a kernel: about the value of an
// expression, and about being there at all. Thread rule: none; one belongs to one walk.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ir/core/stmt.h"

namespace nestwright::ir {

/// Threads of a warp: those of a block whose numbers, threadIdx.x first, have the same quotient by it.
inline constexpr std::int64_t kWarp = 32;

/// What is around the point that a walk of a kernel has reached. Requires that a variable is defined once.
class DivergenceAnalysis {
 public:
  /// Of warps, or of so many threads instead, a multiple of these.
  explicit DivergenceAnalysis(std::int64_t together = kWarp) : together_(together) {}

  /// Calls `walk` for what is inside.
  void within(const For& loop, const std::function<void()>& walk);
  void within(const IfThenElse& choice, const std::function<void()>& walk);
  /// To be called before its body is walked.
  void define(const Let& let);

  /// Whether threads of one warp may have different values of it: where it depends on what a thread keeps for itself,
  /// or on a threadIdx that is not the same in a whole warp, as that of y is where there are whole warps along x.
  /// Undefined: no.
  bool differs(const Expr& e) const { return differ(dependences(e)); }

  /// The innermost loop or condition around that not all threads of a warp may take together, as "the loop over k";
  /// empty where there is none.
  std::string innermost_divergence() const;

  /// Along x, y or z (0, 1 or 2) of a block, as far as the loops around say: 1 without a loop, 0 where it is not
  /// constant.
  std::int64_t threads(std::size_t dimension) const;

 private:
  /// A bit for each threadIdx that something depends on, and one for what a thread keeps for itself.
  using Dependences = unsigned;
  static constexpr Dependences kOwn = 8;
  struct Divergence {
    Dependences on;
    const For* loop;  ///< nullptr: a condition
  };

  Dependences dependences(const Expr& e) const;
  bool differ(Dependences on) const;

  std::int64_t together_;
  std::array<const For*, 3> threads_{};
  std::vector<Divergence> divergences_;
  std::map<Var, Dependences> lets_;
};

}  // namespace nestwright::ir
