// Programs for devices that show what their sources look like: one for each thing that a kernel may have.
#pragma once

#include <string>
#include <vector>

#include "ir/core/program.h"
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

/// elementwise, matmul, row_sums, running_sum, two_kernels.
std::vector<NamedProgram> device_programs(DeviceKind device);
NamedProgram device_program(const std::string& name, DeviceKind device);

}  // namespace nestwright::testing
