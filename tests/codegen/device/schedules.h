// Programs for devices that show what their sources look like: one for each thing that a kernel may have.
#pragma once

#include <string>
#include <vector>

#include "ir/program.h"
#include "target/target.h"

namespace nestwright::testing {

Target device_target(DeviceKind device);

struct NamedProgram {
  std::string name;
  ir::Program program;                ///< in loop form
  std::vector<std::int64_t> symbols;  ///< values to run it with
};

/// Rows of 16 with rows of zeros around them, by vectors of four: the mask is that of a row.
ir::Program padded_rows(ir::Type type, DeviceKind device);

/// A product of matrices of the type on tensor cores: blocks of 32 x 32 by two warps, slices of 32 steps ahead. A is
/// [64, 64], or transposed where `ta` is set, B [64, 96], or transposed; C is of float32.
NamedProgram fragments(ir::Type type, bool ta, bool tb);

/// A product by warpgroups: blocks of 128 x 32 by two of them, slices of 64 steps ahead. A is [128, 128], or transposed
/// where `ta` is set, B [128, 96], or transposed; C is of float32, or of int32 for bytes.
NamedProgram warpgroups(ir::Type type, bool ta, bool tb);

/// elementwise, matmul, row_sums, running_sum, two_kernels.
std::vector<NamedProgram> device_programs(DeviceKind device);
NamedProgram device_program(const std::string& name, DeviceKind device);

}  // namespace nestwright::testing
