// Shared by the examples: prints a schedule's loops, runs it beside the default schedule, and checks both results.
// Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nestwright/nestwright.h>

namespace nestwright::examples {

/// The command line's requests in addition to the loops and the check of the results.
struct Options {
  bool time = false;     ///< times the default and the given schedule
  std::string database;  ///< of `nestwright tune`: also times the tuned kernel; empty: none
};

/// One run of an example program: prints its output and counts failures.
class Example {
 public:
  explicit Example(Options options) : options_(std::move(options)) {}

  /// Prints the loops of `schedule` under `title`.
  void show(const std::string& title, const Schedule& schedule, const Args& args,
            const Target& target = Target::host());

  /// Like show(); then runs `schedule` and the default schedule of the same tensors on `inputs` and compares each
  /// result with `expected` (float32, with `tolerance` relative to the largest element). `workload` is the name of the
  /// same program as a template's workload, whose tuned kernel can then run too; empty where there is no template.
  void run(const std::string& title, const Schedule& schedule, const Args& args,
           const std::vector<const Array*>& inputs, const Array& expected, double tolerance = 1e-5,
           const std::string& workload = "");

  /// Prints the message with which `misuse` is refused. It must throw.
  void refused(const std::string& title, const std::function<void()>& misuse);

  /// Reports and counts a result that is not `right`.
  void check(const std::string& what, bool right);

  /// The exit code of main: 0 where every result was right.
  int result() const { return failures_ == 0 ? 0 : 1; }

 private:
  /// Calls `function` and checks the result. Returns the time of a call in microseconds where times are requested, or
  /// 0.
  double call(const Function& function, const std::vector<const Array*>& inputs, const Array& expected,
              double tolerance, const std::string& title);

  Options options_;
  int failures_ = 0;
};

/// A float32 array of small integers that repeat with no short period, so that sums are exact.
Array numbers(std::vector<std::int64_t> shape);
/// A float32 array with element(i) at position i in memory.
Array filled(std::vector<std::int64_t> shape, const std::function<double(std::int64_t)>& element);

/// The body of main: reads the command line, runs `body` and prints the exceptions that it throws.
int main_of(int argc, char** argv, const std::function<void(Example&)>& body);

}  // namespace nestwright::examples
