// set_scope: chooses the memory in which the stage's result is stored.
//
//   global T[...]      ->      local T[...]
//
// Preconditions:
//  1. An output, whose memory is the caller's, and a scan accept only "global".
//  2. The stage is neither init nor update of a scan, which are stored in the scan's memory.
//  3. A stage in registers has neither storage_align, as registers have no rows, nor a double buffer, whose slot is an
//     index known only at run time.
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
