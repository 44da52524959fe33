// The check itself: a scheduled program computes what the unscheduled one does, byte for byte, in the interpreter as
// loop form and as vector form, and compiled; and its trace makes it again.
// Thread rule: a Checker belongs to one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "ir/core/program.h"
#include "target/target.h"
#include "tests/property/case.h"
#include "tests/property/data.h"

namespace nestwright::property {

enum class Verdict {
  kAgrees,
  kNotLegal,   ///< the lowering refused: LowerError
  kTooLarge,   ///< more steps than a property test should take
  kUnproved,   ///< the verifier objects, yet the program does what it should: what it could not prove holds
  kReference,  ///< the unscheduled program is broken already
  kUnsound,    ///< the lowering broke down
  kFaulty,     ///< the interpreter objects: out of bounds, a race, a read of what was never written
  kDiffers,    ///< another result
  kNotReplayed,
  kNotSimple,  ///< simplified twice, it is not what it was simplified once, or not the same handle
  kNotCompiled,
  kRefusalChanges,  ///< a primitive refused after it had changed something
};
bool is_failure(Verdict verdict);
const char* verdict_name(Verdict verdict);

struct Outcome {
  Verdict verdict = Verdict::kAgrees;
  std::string message;   ///< of anything but kAgrees
  std::string programs;  ///< printed, of a failure
};

/// Whether the schedule is for a device: its loop form is run by the interpreter, and that is all.
bool has_bound_loops(const Schedule& schedule);

/// How far a case is taken.
struct Depth {
  bool replay = false;  ///< the trace makes the same program again
  bool vector = false;  ///< the vector form in the interpreter as well
  /// Compiled for this instruction set as well, with a final pipeline and two threads, or none of it.
  std::optional<CpuIsa> compile;
  bool final_pipeline = false;
  int threads = 1;
};

/// Instruction sets that this machine has and this build generates for.
const std::vector<CpuIsa>& runnable_isas();

/// Replaces programs after they are lowered, to plant bugs. Identity where absent.
using Tamper = ir::Program (*)(const ir::Program&);

class Checker {
 public:
  /// Lowers the unscheduled program and runs it, for each of several values of its symbols; broken() says what is wrong
  /// with it.
  Checker(const Expression& expression, std::uint64_t data_seed);

  const std::optional<Outcome>& broken() const { return broken_; }
  Outcome check(const Schedule& schedule, const Depth& depth, Tamper tamper = nullptr) const;
  /// Runs a program of this signature, in whatever form, and compares.
  Outcome run(const ir::Program& program, const char* what) const;

 private:
  /// Runs a program to which the verifier had this objection, empty for none.
  Outcome judge(const ir::Program& program, const std::string& objection, const char* what) const;
  Outcome compile_and_run(const ir::Program& vector_form, const Target& target, const Depth& depth) const;

  /// What the unscheduled program gives for some values of the symbols.
  struct Sample {
    std::vector<Symbol> symbols;
    Data expected;
  };
  const Expression& expression_;
  const std::uint64_t data_seed_;
  ir::Program reference_;
  std::vector<Sample> samples_;  ///< the first one has the values that the expression was made with
  std::optional<Outcome> broken_;
};

}  // namespace nestwright::property
