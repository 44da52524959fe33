// The passes of both stages of lowering. passes.cpp has the only table of them. Each is a function in a file of its own
// under lower/passes/, or under lower/select/ if it selects instructions; function, file and table entry have one name.
// Internal to lower/.
// Thread rule: passes are functions of a program and a context; a context belongs to one lowering.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/analysis/ranges.h"
#include "ir/verify/verify.h"
#include "lower/nest/nest_notes.h"
#include "lower/nest/signature.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright {

/// The inputs of one lowering besides the program, and the notes that its passes leave for each other.
struct PassContext {
  const Target& target;
  const ScheduleState* schedule = nullptr;  ///< nullptr in the second stage
  const Signature* signature = nullptr;     ///< nullptr in the second stage
  std::vector<NestNotes> notes{};           ///< by kernel; build_nest makes them
};

enum class LoweringStage { kLoops, kVectors };

/// A set of devices.
enum class PassDevices { kNone, kCpu, kGpu, kAll };
bool includes(PassDevices devices, DeviceKind device);

struct Pass {
  /// The name of its function and file; the argument of --print-after.
  const char* name;
  LoweringStage stage;
  PassDevices devices;   ///< for which it runs
  PassDevices complete;  ///< for which a program meets all rules of its form after this pass, and is verified by them
  ir::Program (*run)(ir::Program, PassContext&);
};

/// All passes, in the order in which they run.
std::span<const Pass> all_passes();

/// Throws for the violations that the verifier found after a pass.
using Refuse = std::function<void(const Pass&, const ir::Program&, const ir::Violations&)>;

/// Runs the passes of a stage. After each that leaves the program complete, verifies it if `options` ask for it or the
/// build is a debug build, and calls `refuse` if there are violations.
ir::Program run_passes(LoweringStage stage, ir::Program program, PassContext& context, const LowerOptions& options,
                       const Refuse& refuse);

/// The program with `pass` applied to the body of each kernel.
template <class F>
ir::Program on_kernels(ir::Program program, const F& pass) {
  for (ir::Kernel& kernel : program.kernels) kernel.body = pass(kernel.body);
  return program;
}

namespace passes {

// --- From a schedule to loops ----------------------------------------------------------------------------------------

/// Builds the loop nest of the schedule (lower/nest/nest_builder.h): a kernel for a call, and one for the preparation
/// if any stage is prepared. Throws LowerError if the schedule has no such nest.
ir::Program build_nest(ir::Program program, PassContext& context);

/// On devices: makes one nest of the loops over threads that a block runs one after the other. Throws LowerError for an
/// extent that is not constant.
ir::Program merge_threads(ir::Program program, PassContext& context);

/// On devices: moves allocations in shared scope around the loops of the threads that share them. Throws LowerError for
/// a loop over blocks inside loops over threads.
ir::Program hoist_shared(ir::Program program, PassContext& context);

/// Applies the pragma auto_unroll: makes serial loops of constant extent unrolled ones, inner loops first, unless a
/// loop would unroll to more statements than the pragma's value.
ir::Program auto_unroll(ir::Program program, PassContext& context);

/// Applies the pragma in_threads: moves the time loop of a scan inside the blocks and threads that its steps are bound
/// to, so that all steps are one launch. Throws LowerError if that is not correct.
ir::Program run_in_threads(ir::Program program, PassContext& context);

/// Applies the pragma estrin: marks the calls whose polynomials vector_math() evaluates in Estrin's form.
ir::Program estrin(ir::Program program, PassContext& context);

/// Splits a serial or unrolled loop over the main bodies and the tail of a partitioned split into one loop for each.
ir::Program split_loops(ir::Program program, PassContext& context);

/// Simplifies the program (ir::simplify()), given the ranges of its symbols.
ir::Program simplify_loops(ir::Program program, PassContext& context);

/// Double-buffers stages: iterations of a loop compute them ahead, into alternating slots of their storage. Throws
/// LowerError for a stage that no loop can compute ahead.
ir::Program double_buffer(ir::Program program, PassContext& context);

/// Marks the inputs that only the preparation reads.
ir::Program find_constants(ir::Program program, PassContext& context);

/// Marks the outputs that may share their memory with an input.
ir::Program find_in_place(ir::Program program, PassContext& context);

/// On devices: makes the bound loops around each statement a kernel, and everything outside of them the host statement.
/// Throws LowerError for a statement outside all bound loops, and for bound loops that are not nested directly.
ir::Program split_launches(ir::Program program, PassContext& context);

/// On devices: throws LowerError if the threads of a warp do not hold each fragment together (ir/verify/fragments.h).
ir::Program check_fragments(ir::Program program, PassContext& context);

/// On devices: inserts barriers between conflicting accesses of a block's threads to shared memory. Throws LowerError
/// for a barrier that not all threads would reach.
ir::Program place_barriers(ir::Program program, PassContext& context);
/// The same for one kernel.
ir::Stmt place_barriers(const ir::Stmt& kernel);

// --- From loops to vectors -------------------------------------------------------------------------------------------

/// On CPUs: replaces an unrolled loop by a copy of its body for each iteration, with the variable's value substituted
/// and branches on it folded. Throws LowerError as limit_unrolling() does (lower/support/unroll_limit.h).
ir::Program unroll(ir::Program program, PassContext& context);

/// On CPUs: unswitches loops on invariant masks of their loads, such as those of padding: a mask is tested before the
/// loop, which gets a version for either outcome.
ir::Program unswitch(ir::Program program, PassContext& context);

/// On CUDA: replaces shared memory through which the threads of a warp exchange elements by warp shuffles, which need
/// no barriers.
ir::Program warp_shuffles(ir::Program program, PassContext& context);

/// On devices: replaces loops over virtual threads by unrolled loops around single statements, inside all barriers.
ir::Program virtual_threads(ir::Program program, PassContext& context);

/// Replaces vectorised loops by vector statements: full vectors of the target, then a partial one. A partial vector,
/// and a guard that differs between lanes, become masks if the target has them, else narrower vectors and single
/// elements. Throws LowerError for an extent that is not constant, for loops that differ between lanes, and for a
/// reduction over the lanes.
ir::Program vectorize(ir::Program program, PassContext& context);

/// On CPUs: gives register and local buffers the form that the backend keeps in registers. Rows are padded, so that a
/// partial vector at the end of a row becomes a full one without a mask. Throws LowerError if an index of a register
/// buffer is not constant.
ir::Program register_tiles(ir::Program program, PassContext& context);

/// On CPUs: divides sums of more than 1,024 terms in register buffers into partial sums of at most 512. Sums of
/// integers and of float64 stay as they are, and so do sums in memory.
ir::Program blocked_sums(ir::Program program, PassContext& context);

/// Simplifies the program (ir::simplify()).
ir::Program simplify_vectors(ir::Program program, PassContext& context);

/// On CPUs: expands the functions of lower/support/vector_math.h into arithmetic on vectors or scalars; values used
/// more than once are bound by lets before the statement. Other devices have functions of their own.
ir::Program vector_math(ir::Program program, PassContext& context);

/// On devices, whose compilers do the unrolling: changes nothing. Throws LowerError as limit_unrolling() does, and if
/// an index of a register buffer depends on anything but variables of unrolled loops.
ir::Program unrolled_registers(ir::Program program, PassContext& context);

/// Assigns every global allocation its offset in the workspace; allocations with disjoint live ranges may overlap.
/// Inside a parallel loop, offsets are relative to the thread's own part. Throws LowerError for a size that depends on
/// a loop variable.
ir::Program plan_storage(ir::Program program, PassContext& context);

// --- Instruction selection (lower/select/) ---------------------------------------------------------------------------
// Each pass leaves explicit nodes, which the verifier checks, the interpreter executes and the emitters spell. It
// throws LowerError for statements that the target has no instruction for.

/// On CPUs: makes loads of adjacent bytes or halves one load of a word, and selects an instruction for dot products.
ir::Program dot_products(ir::Program program, PassContext& context);

/// On CPUs: selects AMX instructions for loop nests over tile registers. Requires dot_products() to have run.
ir::Program amx_tiles(ir::Program program, PassContext& context);

/// On CUDA from sm_80 on: makes stores from global to shared memory asynchronous copies (ir::Store::asynchronous) if
/// that is correct and one access moves all lanes.
ir::Program asynchronous_copies(ir::Program program, PassContext& context);
/// The same for one kernel, which is free of races; `known` has the ranges of its symbols.
ir::Stmt asynchronous_copies(const ir::Stmt& kernel, const ir::Ranges& known);

/// On CUDA: selects warpgroup instructions for products of matrices in shared memory, each awaited before the first use
/// of its sums.
ir::Program wgmma_products(ir::Program program, PassContext& context);

/// On CUDA: selects warp instructions for the other loop nests over fragments.
ir::Program mma_products(ir::Program program, PassContext& context);

}  // namespace passes
}  // namespace nestwright
