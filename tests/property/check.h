// Checks that a scheduled program computes what the unscheduled one does, byte for byte: in the interpreter in loop
// form and in vector form, compiled, and replayed from its trace.
// Thread rule: a Checker belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/program.h"
#include "nestwright/target.h"
#include "tests/property/data.h"
#include "tests/property/draw_schedule.h"

namespace nestwright::property {

enum class Verdict {
  kAgrees,
  kNotLegal,   ///< the lowering refused: LowerError
  kTooLarge,   ///< more steps than a property test should take
  kUnproved,   ///< the verifier objects to a correct program: it cannot prove a property that holds
  kReference,  ///< the unscheduled program is already broken
  kUnsound,    ///< the lowering threw an error other than LowerError
  kFaulty,     ///< the interpreter objects: out of bounds, a race, a read of an unwritten element
  kDiffers,    ///< the result differs
  kNotReplayed,
  kNotSimple,  ///< simplifying a simplified program changes it, or does not return the same handle
  kNotCompiled,
  kRefusalChanges,  ///< a primitive refused after it had changed something
};
bool is_failure(Verdict verdict);
const char* verdict_name(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::kAgrees;
  std::string message;   ///< unless the verdict is kAgrees
  std::string programs;  ///< of a failure, printed
};

/// Whether the schedule is for a device: then only the interpreter runs it, in loop form.
bool has_bound_loops(const Schedule& schedule);

/// How far a case is taken beyond the loop form.
struct Depth {
  bool replay = false;  ///< replays the trace, which must make the same program
  bool vector = false;  ///< also interprets the vector form
  /// Also compiles for this instruction set, with the final pipeline and the threads given below.
  std::optional<CpuIsa> compile;
  bool final_pipeline = false;
  int threads = 1;
  /// What to lower for. None: a target with the instruction set above, or a device.
  std::optional<Target> target = {};
  std::int64_t max_steps = 12000;  ///< that the interpreter takes
  /// The arguments of the schedule, if a template replaced those of the expression. Empty: those.
  std::vector<Tensor> arguments = {};
};

/// The instruction sets that this machine has and this build can compile for.
const std::vector<CpuIsa>& runnable_isas();

/// Changes programs after they are lowered, to plant bugs. Null: leaves them unchanged.
using Tamper = ir::Program (*)(const ir::Program&);

class Checker {
 public:
  /// Lowers the unscheduled program and runs it for several values of its symbols; broken() is the outcome where it
  /// fails.
  Checker(const Expression& expression, std::uint64_t data_seed);

  const std::optional<Outcome>& broken() const { return broken_; }
  Outcome check(const Schedule& schedule, const Depth& depth, Tamper tamper = nullptr) const;
  /// Runs a program with this signature, in any form, and compares its results.
  Outcome run(const ir::Program& program, const char* what) const;

 private:
  /// Runs a program with this objection by the verifier; empty: none.
  Outcome judge(const ir::Program& program, const std::string& objection, const char* what) const;
  Outcome compile_and_run(const ir::Program& vector_form, const Target& target, const Depth& depth) const;

  /// The result of the unscheduled program for some values of the symbols.
  struct Sample {
    std::vector<Symbol> symbols;
    Data expected;
  };
  const Expression& expression_;
  const std::uint64_t data_seed_;
  ir::Program reference_;
  std::vector<Sample> samples_;  ///< the first one has the symbols' values from the construction of the expression
  std::optional<Outcome> broken_;
};

}  // namespace nestwright::property
