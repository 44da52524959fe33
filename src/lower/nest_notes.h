// What the nest of a schedule leaves to later passes, beside its statement. Internal to lower/.
// Thread rule: values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/core/program.h"
#include "schedule/state.h"

namespace nestwright {

/// A double-buffered stage as one branch of the nest has it, and where it keeps its results there.
struct DoubleBuffered {
  std::string stage;
  std::vector<ir::Buffer> buffers;
  int slots = 2;  ///< of the storage; at least 2, the same for all that is computed together
};

/// A pragma on one loop of the nest.
struct LoopPragma {
  ir::Var loop;
  PragmaKind kind;
  std::string stage;   ///< whose loop it is
  std::int64_t value;  ///< of the pragma
};

struct NestNotes {
  /// For each branch and loop, the stages that are computed there and double-buffered, in order.
  std::vector<std::vector<DoubleBuffered>> double_buffered;
  std::vector<LoopPragma> pragmas;  ///< of inner loops first
};

/// `rewrite` of each loop of the kernels that a pragma of this kind is on, inner loops first. `notes` are by kernel.
ir::Program on_pragmas(ir::Program program, const std::vector<NestNotes>& notes, PragmaKind kind,
                       const std::function<ir::Stmt(const ir::Stmt& loop, const LoopPragma&)>& rewrite);

}  // namespace nestwright
