// set_scope: where the stage's result is stored.
//
//   global T[...]      ->      local T[...]
//
// Preconditions:
//  1. The stage is no output, whose memory is the caller's; only "global" is accepted for one, and for a scan.
//  2. It is neither init nor update of a scan, which are stored in the scan's memory.
//  3. Registers have no rows: a stage with storage_align is not kept there, nor a double-buffered
//     one, of which the iteration tells the half.
#include "schedule/primitives/primitive.h"

namespace nestwright {

Stage& Stage::set_scope(ir::Scope scope) {
  const Primitive primitive(*state_, "set_scope", origin_);
  StageState& stage = primitive.stage();
  if (stage.is_output && scope != ir::Scope::kGlobal) {
    primitive.refuse(stage.name, "it is an output, whose memory is the caller's: cache_write makes a stage of its own");
  }
  primitive.require_no_part({ScanPart::kInit, ScanPart::kUpdate},
                            "which stores it: cache_write makes a stage of its own");
  if (scope != ir::Scope::kGlobal) {
    primitive.require_no_part({ScanPart::kScan}, "all of whose rows are kept: only global scope has room for them");
  }
  if (is_in_registers(scope) && !stage.alignments.empty()) {
    primitive.refuse(stage.name, "its rows are aligned by storage_align, and registers have none");
  }
  if (is_in_registers(scope) && stage.slots > 0) {
    primitive.refuse(stage.name, "it is double-buffered, and registers cannot be told apart by the iteration");
  }
  stage.scope = scope;
  primitive.record({stage.name, ir::scope_name(scope)});
  return *this;
}

}  // namespace nestwright
