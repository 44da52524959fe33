// The parts of the verifier. Private to ir/.
// Thread rule: pure functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/core/program.h"
#include "ir/simplify/simplify.h"
#include "ir/verify/verify.h"

namespace nestwright::ir {

/// One place where a program reads or writes a buffer, its indices scalar and in terms of loop variables only: values
/// of lets are filled in, a loop that starts at m has its variable written m + (a variable from 0), and a vector index
/// is that of one lane, which is a variable too.
struct Access {
  struct Enclosing {
    const For* loop;
    Var var;  ///< what stands for the loop's variable in `indices`
    /// Whether every iteration has a barrier, so that two accesses of one phase by threads of a block are of one
    /// iteration where they have one `var`.
    bool in_step = false;
  };
  const Stmt* statement = nullptr;
  Buffer buffer;
  std::vector<Expr> indices;
  std::vector<Expr> shape;  ///< of the buffer, in the same terms
  bool stores = false;
  std::shared_ptr<const Ranges> known;
  std::vector<Enclosing> loops;   ///< outermost first
  std::size_t private_loops = 0;  ///< so many of `loops` enclose the allocation: their iterations share nothing of it
  Var lane;                       ///< "any lane" of a vector access, undefined for a scalar one
  int phase = 0;                  ///< changes at each barrier
};

/// Definitions, types, scopes and the form.
std::vector<std::string> check_structure(const Program& program, Form form);

/// Where threads tell each other values: kShuffleXor (ir/core/expr.h). Requires a program that check_structure()
/// accepts.
std::vector<std::string> check_shuffles(const Program& program, Form form);

/// That nobody accesses an element of shared memory whose copy is in flight (CommitCopies). Requires a program that
/// check_structure() accepts.
std::vector<std::string> check_copies(const Program& program);

/// Tensor instructions: the form has them, and their operands are what their bodies access. Requires a program that
/// check_structure() accepts.
std::vector<std::string> check_instructions(const Program& program, Form form);

/// Those below require a program that check_structure() accepts.
std::vector<Access> collect_accesses(const Program& program);
std::vector<std::string> check_bounds(const std::vector<Access>& accesses);
std::vector<std::string> check_definitions(const Program& program, const std::vector<Access>& accesses);
std::vector<std::string> check_races(const std::vector<Access>& accesses);
std::vector<std::string> check_storage(const Program& program, const std::vector<Access>& accesses);

/// The indices of two accesses to one buffer, simplified: where both have x / c and x % c, puts x behind them, for they
/// meet only where that is equal, too. Returns whether there was any. `first` and `second` may be one.
bool add_dividends(std::vector<Expr>& first, std::vector<Expr>& second);

/// As add_dividends: where an index of both is x * c and something from 0 to c - 1, as that of a vector's lane, puts x
/// behind them.
void add_leading_digits(Access& first, Access& second);

/// Where the indices of both, in some order, are the digits of one number each, as those are into which threads take a
/// fused loop apart, puts the number behind them. Returns whether they are. Indices that have nothing to do with `var`
/// are no digits of it: which half of a buffer is in use, say.
bool add_numbers_of_digits(Access& first, Access& second, const Var& var);

/// True where two accesses to one buffer are shown to meet in no element when they happen in different iterations of
/// the loop at `depth` of both, by what is known along the paths to both. The slower proof of check_races().
bool never_meet(const Access& first, const Access& second, std::size_t depth);

}  // namespace nestwright::ir
