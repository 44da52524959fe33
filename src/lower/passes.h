// The passes of both stages of lowering. passes.cpp has the one table of them; each is a function in a file of its own
// under lower/passes/, or under lower/select/ where it selects instructions, and the name in the table is that of both.
// Internal to lower/.
// Thread rule: passes are functions of a program and a context; a context belongs to one lowering.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/analysis/ranges.h"
#include "ir/core/program.h"
#include "ir/verify/verify.h"
#include "lower/lower.h"
#include "lower/nest_notes.h"
#include "lower/signature.h"
#include "target/target.h"

namespace nestwright {

/// What the passes of one lowering know beside the program, and tell each other.
struct PassContext {
  const Target& target;
  const ScheduleState* schedule = nullptr;  ///< nullptr in the second stage
  const Signature* signature = nullptr;     ///< nullptr in the second stage
  std::vector<NestNotes> notes{};           ///< by kernel; build_nest makes them
};

enum class LoweringStage { kLoops, kVectors };

/// Whether an entry of the table is for a device.
enum class PassDevices { kNone, kCpu, kGpu, kAll };
bool includes(PassDevices devices, DeviceKind device);

struct Pass {
  /// Of its function and of its file under lower/passes/ or lower/select/; what --print-after takes.
  const char* name;
  LoweringStage stage;
  PassDevices devices;   ///< it runs for
  PassDevices complete;  ///< after it a program for these devices meets the rules of its form, to which it is verified
  ir::Program (*run)(ir::Program, PassContext&);
};

/// In the order in which they run.
std::span<const Pass> all_passes();

/// What the verifier says after a pass; does not return.
using Refuse = std::function<void(const Pass&, const ir::Program&, const std::vector<std::string>& violations)>;

/// Runs the passes of a stage, and the verifier where `options`, or a debug build, ask for it.
ir::Program run_passes(LoweringStage stage, ir::Program program, PassContext& context, const LowerOptions& options,
                       const Refuse& refuse);

/// `pass` applied to the body of each kernel.
template <class F>
ir::Program on_kernels(ir::Program program, const F& pass) {
  for (ir::Kernel& kernel : program.kernels) kernel.body = pass(kernel.body);
  return program;
}

namespace passes {

// --- From a schedule to loops ----------------------------------------------------------------------------------------

/// The loop nest of the schedule, as a kernel for a call and one for the preparation where there is one: regions,
/// storage, initialisation of reductions, guards, and a branch for the tail of every partitioned split. Throws
/// LowerError for what no nest can do.
ir::Program build_nest(ir::Program program, PassContext& context);

/// On devices: what the threads of a block share is allocated around their loops. Throws LowerError for a loop over
/// blocks inside of them.
ir::Program hoist_shared(ir::Program program, PassContext& context);

/// The pragma auto_unroll: serial loops of constant extent become unrolled ones, inner ones first, as long as no more
/// statements come of one than the pragma says.
ir::Program auto_unroll(ir::Program program, PassContext& context);

/// The pragma in_threads: the time of a scan moves inside the blocks and threads that its steps are bound to, so that
/// all steps are one launch. Throws LowerError where it cannot.
ir::Program run_in_threads(ir::Program program, PassContext& context);

/// A serial or unrolled loop over the main bodies and the tail of a partitioned split becomes a loop for each.
ir::Program split_loops(ir::Program program, PassContext& context);

/// ir::simplify() with what is known of the symbols.
ir::Program simplify_loops(ir::Program program, PassContext& context);

/// Storage that the iterations of a loop use in turns. Throws LowerError for a stage that no loop can compute ahead.
ir::Program double_buffer(ir::Program program, PassContext& context);

/// Marks the inputs that only the preparation reads.
ir::Program find_constants(ir::Program program, PassContext& context);

/// Marks the outputs that may have their memory in common with an input.
ir::Program find_in_place(ir::Program program, PassContext& context);

/// On devices: the bound loops around a statement become a kernel, everything outside of them the host. Throws
/// LowerError for a statement outside all bound loops and for bound loops that do not enclose one another directly.
ir::Program split_launches(ir::Program program, PassContext& context);

/// On devices: throws LowerError where the threads of a warp do not hold a fragment together (ir/verify/fragments.h).
ir::Program check_fragments(ir::Program program, PassContext& context);

/// On devices: barriers of a block's threads around what they share. Throws LowerError for a barrier that not all
/// threads would reach.
ir::Program place_barriers(ir::Program program, PassContext& context);
/// The same for one kernel.
ir::Stmt place_barriers(const ir::Stmt& kernel);

// --- From loops to vectors -------------------------------------------------------------------------------------------

/// Statements that unrolling may make of one kernel.
inline constexpr std::int64_t kLargestUnroll = 20000;

/// On CPUs: each iteration of an unrolled loop becomes a copy of its body with the variable's value in place; branches
/// that the value decides go. Throws LowerError for an extent that is not constant and for more than kLargestUnroll
/// statements.
ir::Program unroll(ir::Program program, PassContext& context);
/// The checks of unroll(), whoever does the unrolling.
void limit_unrolling(const ir::Stmt& body);

/// On CUDA: what threads of a warp read of each other's elements in shared memory goes by shuffles of registers,
/// without barriers.
ir::Program warp_shuffles(ir::Program program, PassContext& context);

/// On devices: loops over virtual threads become unrolled loops around single statements, inside of all barriers.
ir::Program virtual_threads(ir::Program program, PassContext& context);

/// Vectorised loops become vector statements: full vectors of the target, then a partial one. A partial vector, and a
/// guard that differs between lanes, become masks where the target has them, else narrower vectors and single elements.
/// Throws LowerError for an extent that is not constant, for loops that differ between lanes, and for a reduction over
/// the lanes.
ir::Program vectorize(ir::Program program, PassContext& context);

/// On CPUs: register and local buffers become what the backend keeps in registers: rows are padded so that a partial
/// vector at the end of a row is a full one, without a mask. Throws LowerError where an index of a register buffer is
/// not constant.
ir::Program register_tiles(ir::Program program, PassContext& context);

/// ir::simplify().
ir::Program simplify_vectors(ir::Program program, PassContext& context);

/// On CPUs: the functions that lower/vector_math.h names become arithmetic on whole vectors (on scalars alike); what is
/// used more than once is held in lets before the statement. Other devices have functions of their own.
ir::Program vector_math(ir::Program program, PassContext& context);

/// On devices unrolled loops stay, for their compilers to unroll. Changes nothing; throws LowerError as
/// limit_unrolling() does, and where an index of a register buffer is made of more than variables of unrolled loops.
ir::Program unrolled_registers(ir::Program program, PassContext& context);

/// Gives every global allocation its place in the workspace; those whose contents are never alive at once may share.
/// Those in parallel loops count from the start of each thread's part. Throws LowerError for a size that is not
/// constant.
ir::Program plan_storage(ir::Program program, PassContext& context);

// --- Instruction selection (lower/select/)
// ---------------------------------------------------------------------------- Each pass leaves explicit nodes, which
// the verifier checks, the interpreter executes and emitters spell. What the target has no instruction for is refused
// by a LowerError.

/// On CPUs: words that are adjacent in memory become one load, dot products the instruction that the target has.
ir::Program dot_products(ir::Program program, PassContext& context);

/// On CPUs: loop nests over tile registers become instructions of AMX. Requires dot_products().
ir::Program amx_tiles(ir::Program program, PassContext& context);

/// On CUDA from sm_80 on: stores from global to shared memory become asynchronous copies (ir::Store::asynchronous)
/// where that is correct and one access moves all lanes.
ir::Program asynchronous_copies(ir::Program program, PassContext& context);
/// The same for one kernel without races; `known` of its symbols.
ir::Stmt asynchronous_copies(const ir::Stmt& kernel, const ir::Ranges& known);

/// On CUDA: products of matrices in shared memory become instructions of warpgroups, each awaited where its sums are
/// needed first.
ir::Program wgmma_products(ir::Program program, PassContext& context);

/// On CUDA: the other loop nests over fragments become instructions of warps.
ir::Program mma_products(ir::Program program, PassContext& context);

}  // namespace passes
}  // namespace nestwright
