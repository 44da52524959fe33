// The numbers of a matmul workload.
// Thread rule: plain data.
#pragma once

#include <cstdint>

#include "ir/type.h"
#include "templates/divide.h"
#include "templates/workload.h"

namespace nestwright {

/// The types of a product, by the type that the workload names.
struct MatmulTypes {
  ir::Type a, b, c;
  ir::Type sum;  ///< of the products' sums, before they are rounded to C's
};
MatmulTypes matmul_types(ir::Type dtype);

struct MatmulShape {
  std::int64_t m = 1, n = 1, k = 1;
  bool ta = false, tb = false;
  ir::Type type;  ///< of the sums; what A and B are made into is no wider
  /// Multiply-adds.
  double products() const { return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
};

MatmulShape matmul_shape(const Workload& workload);

}  // namespace nestwright
