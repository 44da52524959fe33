// What the examples share: print a schedule's loops, run it beside the default schedule, hold both against a reference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nestwright.h"

namespace nestwright::examples {

/// What the command line asks for besides the loops and the check of the results.
struct Options {
  bool time = false;     ///< the times of the default and of the given schedule
  std::string database;  ///< of `nestwright tune`: the time of what was tuned beside them, or empty
};

/// One example program's run: prints, and counts what went wrong.
class Example {
 public:
  explicit Example(Options options) : options_(std::move(options)) {}

  /// Prints the loops of `schedule` under `title`.
  void show(const std::string& title, const Schedule& schedule, const Args& args,
            const Target& target = Target::host());

  /// As show(); then runs `schedule` and the default one of the same tensors on `inputs` and holds each result against
  /// `expected` (float32, compared to `tolerance` relative to the largest element). `workload`: what a template calls
  /// the same program, so that what was tuned for it can be run, too; empty where there is no template.
  void run(const std::string& title, const Schedule& schedule, const Args& args,
           const std::vector<const Array*>& inputs, const Array& expected, double tolerance = 1e-5,
           const std::string& workload = "");

  /// Prints the refusal of what `misuse` does, which is required to throw.
  void refused(const std::string& title, const std::function<void()>& misuse);

  /// Counts a result that is not `right`, and says which.
  void check(const std::string& what, bool right);

  /// What main returns: 0 where every result was right.
  int result() const { return failures_ == 0 ? 0 : 1; }

 private:
  /// Calls `function`; the time of a call in microseconds where times are asked for, or 0.
  double call(const Function& function, const std::vector<const Array*>& inputs, const Array& expected,
              double tolerance, const std::string& title);

  Options options_;
  int failures_ = 0;
};

/// A float32 array whose elements are small integers that repeat with no short period, so that sums come out exactly.
Array numbers(std::vector<std::int64_t> shape);
/// A float32 array whose elements `element` gives for each position in memory.
Array filled(std::vector<std::int64_t> shape, const std::function<double(std::int64_t)>& element);

/// main's body: reads the command line, runs `body` and prints what it throws.
int main_of(int argc, char** argv, const std::function<void(Example&)>& body);

}  // namespace nestwright::examples
