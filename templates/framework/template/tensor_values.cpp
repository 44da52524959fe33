#include "ir/core/elements.h"
#include "nestwright/template.h"

namespace nestwright {

void ValuesInMemory::read(std::size_t begin, std::size_t stride, std::span<double> values) const {
  ir::decode_elements(type_, memory_, begin, stride, values);
}

}  // namespace nestwright
