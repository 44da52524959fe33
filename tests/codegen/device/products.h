// Products of matrices on tensor cores, for the tests of what CUDA sources make of them.
#pragma once

#include <cstdint>
#include <string>

#include "expression/tensor.h"
#include "tests/codegen/device/schedules.h"

namespace nestwright::testing {

struct ProductShape {
  ir::Type type;  ///< of A; B is of int8 beside uint8
  std::int64_t m, n, k;
  bool ta = false, tb = false;
  bool rounds = false;  ///< to tf32
};

/// C is of float32, or of int32 for bytes. `a` and `b` are what is multiplied: A and B, or what these are rounded to.
struct Product {
  Tensor A, B, a, b, C;
};
Product product(const ProductShape& shape);

/// A product of the type: blocks of 32 x 32 by two warps, slices of 32 steps ahead, in so many stages. A is [64, k], or
/// transposed where `ta` is set, B [k, 96], or transposed.
NamedProgram fragments(ir::Type type, bool ta, bool tb, std::int64_t k = 64, std::int64_t stages = 2);

/// One by warpgroups: blocks of 128 x 32 by two of them, slices of 64 steps ahead, in so many stages. A is
/// [128, k], B [k, 96].
NamedProgram warpgroups(ir::Type type, bool ta, bool tb, std::int64_t k = 128, std::int64_t stages = 2);

/// The verified program's source for that architecture.
std::string cuda_source(const NamedProgram& p, const char* arch = "sm_90");

}  // namespace nestwright::testing
