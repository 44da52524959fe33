// The parameters of a row-major float32 transposition, for libraries with the BLAS extension omatcopy.
// Thread rule: values.
#pragma once

#include <cstddef>
#include <optional>

#include "bench/comparison/timing/operation.h"

namespace nestwright::bench {

struct TransposeSizes {
  std::size_t rows = 0, columns = 0;  ///< of the input
};

/// nullopt where the workload is not a transposition of float32.
inline std::optional<TransposeSizes> float32_transpose(const Workload& w) {
  if (w.op->name != "transpose" || w.type("dtype") != kFloat32) return std::nullopt;
  return TransposeSizes{static_cast<std::size_t>(w.size("rows")), static_cast<std::size_t>(w.size("columns"))};
}

}  // namespace nestwright::bench
