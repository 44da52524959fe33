#include "ir/core/program.h"

namespace nestwright::ir {

std::optional<std::int64_t> count_elements(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements)) return std::nullopt;
  }
  return elements;
}

}  // namespace nestwright::ir
