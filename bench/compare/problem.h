// A matrix product of the comparison: C[M,N] = A[M,K] B[K,N], row-major, float32.
// Thread rule: values.
#pragma once

#include <string>
#include <string_view>

namespace nestwright::bench {

struct Problem {
  int m = 0, n = 0, k = 0;

  double flops() const { return 2.0 * m * n * k; }
  std::string str() const;       ///< "512x512x512"
  std::string workload() const;  ///< "matmul m=512 n=512 k=512"
  friend bool operator==(const Problem&, const Problem&) = default;
};

/// Parses MxNxK, or N^3. Throws UsageError for anything else, and for sizes outside 1 .. 16384.
Problem parse_problem(std::string_view text);

}  // namespace nestwright::bench
