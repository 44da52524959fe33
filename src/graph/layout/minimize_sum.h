// Minimizes a sum of functions of few discrete variables each, by elimination of one variable after the other (bucket
// elimination, Dechter, Artificial Intelligence 113, 1999).
//
//   a(x) + b(x, y) + c(y, z)                          over x, y and z
//   b'(y) + c(y, z)                                   over y and z; b'(y) is the least a(x) + b(x, y)
//   b'(y) + c'(y)                                     over y; c'(y) is the least c(y, z)
//
// Thread rule: pure functions.
#pragma once

#include <cstddef>
#include <vector>

namespace nestwright {

/// A function of distinct variables: its costs for all their values, the last variable's running fastest. Costs may be
/// infinite, and are not NaN.
struct CostTerm {
  std::vector<std::size_t> variables;
  std::vector<double> costs;
};

struct Minimum {
  std::vector<std::size_t> values;  ///< of the variables
  double cost = 0;
  bool is_exact = true;
};

/// Entries of the largest table that minimize_sum() makes.
inline constexpr std::size_t kMaxTable = 1'000'000;

/// Variable number v has values from 0 to values[v] - 1, at least one. The next variable to go is the one with the
/// smallest table. Where that would have more than `max_table` entries, the variable that shares terms with the most
/// others gets its value of `start`; then the minimum may not be exact, but its cost is at most that of `start`. Of
/// several minima one with small values is returned.
Minimum minimize_sum(const std::vector<std::size_t>& values, std::vector<CostTerm> terms,
                     const std::vector<std::size_t>& start, std::size_t max_table = kMaxTable);

}  // namespace nestwright
