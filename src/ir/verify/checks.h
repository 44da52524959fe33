// The checks of which the verifier consists, and the accesses of a program that several of them analyse. Each check
// returns its violations, one sentence each. Private to ir/.
// Thread rule: pure functions.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "ir/simplify/simplify.h"
#include "nestwright/program.h"

namespace nestwright::ir {

/// One place where a program reads or writes a buffer. Its indices are scalar and contain loop variables only: lets are
/// replaced by their values, the variable of a loop that starts at m is written as m + (a variable from 0), and a
/// vector index is that of one lane, whose number is a variable too.
struct Access {
  struct Enclosing {
    const For* loop;
    Var var;  ///< represents the loop's variable in `indices`
    /// Whether every iteration executes a barrier, so that accesses with a phase in common and the same `var` belong to
    /// the same iteration of all threads of the block.
    bool in_step = false;
  };
  const Stmt* statement = nullptr;
  Buffer buffer;
  std::vector<Expr> indices;
  std::vector<Expr> shape;  ///< of the buffer, with the same substitutions as `indices`
  bool stores = false;
  std::shared_ptr<const Ranges> known;
  std::vector<Enclosing> loops;   ///< outermost first
  std::size_t private_loops = 0;  ///< the number of `loops` around the allocation: each iteration has its own buffer
  Var lane;                       ///< the number of the lane of a vector access, undefined for a scalar one
  /// The barriers that may be the last one before it, by number; 0 is the start. A barrier separates accesses that
  /// have none in common.
  std::set<int> phases = {0};
};

/// Checks definitions, types, scopes and the form.
std::vector<std::string> check_structure(const Program& program, Form form);

/// Checks that shuffles execute in uniform control flow, as kShuffleXor (nestwright/expr_nodes.h) requires. Requires a
/// program that check_structure() accepts.
std::vector<std::string> check_shuffles(const Program& program, Form form);

/// Checks that no thread accesses an element of shared memory whose copy is in flight (CommitCopies). Requires a
/// program that check_structure() accepts.
std::vector<std::string> check_copies(const Program& program);

/// Checks that the form may have the tensor instructions, and that their operands are what their bodies access.
/// Requires a program that check_structure() accepts.
std::vector<std::string> check_instructions(const Program& program, Form form);

// The functions below require a program that check_structure() accepts.

/// All accesses of a program, in program order.
std::vector<Access> collect_accesses(const Program& program);
std::vector<std::string> check_bounds(const std::vector<Access>& accesses);
std::vector<std::string> check_definitions(const Program& program, const std::vector<Access>& accesses);
std::vector<std::string> check_races(const std::vector<Access>& accesses);
std::vector<std::string> check_storage(const Program& program, const std::vector<Access>& accesses);

/// Extends the simplified indices of two accesses to one buffer: where both have x / c and x % c, appends x, since the
/// accesses touch a common element only where both have the same x. Returns whether anything was appended. `first` and
/// `second` may be the same object.
bool add_dividends(std::vector<Expr>& first, std::vector<Expr>& second);

/// The same for an index of both that is x * c + r with 0 <= r < c, such as that of a vector's lane: appends x.
void add_quotients(Access& first, Access& second);

/// Appends the numbers of which the indices are the digits (ir/analysis/digit_sums.h), such as the index in a fused
/// loop that factors split which do not divide it; of two statements, sums of the indices with the weights of digits,
/// which conditions on the paths may have simplified differently.
void add_numbers(Access& first, Access& second);

/// True only where the conditions on the paths to two accesses to one buffer imply that they touch no common element in
/// different iterations of loops[depth], which both share. The slower proof of check_races().
bool are_disjoint_by_paths(const Access& first, const Access& second, std::size_t depth);

}  // namespace nestwright::ir
