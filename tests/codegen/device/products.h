// Matrix products on tensor cores, for the tests of CUDA sources. Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "nestwright/tensor.h"
#include "tests/codegen/device/schedules.h"

namespace nestwright::testing {

struct ProductShape {
  ir::Type type;  ///< of A; B is of int8 beside uint8
  std::int64_t m, n, k;
  bool ta = false, tb = false;
  bool rounds = false;  ///< to tf32
};

/// The operands and the product C, which is float32, or int32 for bytes. `a` and `b` are the factors: A and B, or their
/// rounded values.
struct Product {
  Tensor A, B, a, b, C;
};
Product product(const ProductShape& shape);

/// A product by fragments: blocks of 32 x 32 by two warps, slices of 32 steps, double-buffered in `stages` stages. A is
/// [64, k], transposed if `ta`; B is [k, 96], transposed if `tb`.
NamedProgram fragments(ir::Type type, bool ta, bool tb, std::int64_t k = 64, std::int64_t stages = 2);

/// A product by warpgroups: blocks of 128 x 32 by two warpgroups, slices of 64 steps, double-buffered in `stages`
/// stages. A is [128, k], B is [k, 96], transposed likewise.
NamedProgram warpgroups(ir::Type type, bool ta, bool tb, std::int64_t k = 128, std::int64_t stages = 2);
/// Blocks of 128 x 128 of a product of 128 x 256, with swizzled rows of 128 bytes.
NamedProgram swizzled_warpgroups(ir::Type type, bool ta, bool tb, std::int64_t k = 128, std::int64_t stages = 2);

/// The source of the program for `arch`, verified after each pass.
std::string cuda_source(const NamedProgram& p, const char* arch = "sm_90");

}  // namespace nestwright::testing
