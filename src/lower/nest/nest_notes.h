// Notes from the nest builder to later passes: which stages to double-buffer, and the pragmas of loops. Internal to
// lower/. Thread rule: values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nestwright/program.h"
#include "schedule/state/state.h"

namespace nestwright {

/// A double-buffered stage in one branch of the nest.
struct DoubleBuffered {
  std::string stage;
  std::vector<ir::Buffer> buffers;  ///< its results in this branch
  int slots = 2;                    ///< of the storage; at least 2, and equal for all stages of one group
};

/// A pragma on one loop of the nest.
struct LoopPragma {
  ir::Var loop;
  PragmaKind kind;
  std::string stage;   ///< the loop's
  std::int64_t value;  ///< the pragma's
};

struct NestNotes {
  /// The groups of double-buffered stages, one for each branch, loop and number of slots, in the order of computation.
  std::vector<std::vector<DoubleBuffered>> double_buffered;
  std::vector<LoopPragma> pragmas;  ///< inner loops first
};

/// The program with each loop that has a pragma of this kind replaced by `rewrite(loop, pragma)`, inner loops first.
/// `notes` are by kernel.
ir::Program on_pragmas(ir::Program program, const std::vector<NestNotes>& notes, PragmaKind kind,
                       const std::function<ir::Stmt(const ir::Stmt& loop, const LoopPragma&)>& rewrite);

}  // namespace nestwright
