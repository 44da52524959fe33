// Draws the runs that show whether budgets are kept, and judges them. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nestwright::bench {

/// A run of `nestwright tune` on a budget.
struct BudgetRun {
  std::vector<std::string> workload;  ///< arguments of the command
  int threads = 1;
  double seconds = 0;
  int busy = 0;  ///< processes that each keep a processor busy beside it
};

/// Run `i` of the figure: a workload of a random operator and size, for one or two threads, with 2 to 30 seconds,
/// beside no, one or two busy processes. The same in every call.
BudgetRun draw_budget_run(std::uint64_t i);
/// The arguments of random expression `i`: a product, convolution, reduction, norm or pointwise chain as text, with
/// random sizes. The same in every call.
std::vector<std::string> draw_expression(std::uint64_t i);

/// What a run of `seconds` may take, as README.md promises.
double allowed_seconds(double seconds);
/// The value below which `share` of them lie (0.95: the 95th percentile). Requires at least one.
double percentile(std::vector<double> values, double share);

}  // namespace nestwright::bench
