// Scheduled device programs, one for each feature that a kernel's source may have. Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "nestwright/program.h"
#include "nestwright/target.h"

namespace nestwright::testing {

Target device_target(DeviceKind device);

struct NamedProgram {
  std::string name;
  ir::Program program;                ///< in loop form
  std::vector<std::int64_t> symbols;  ///< values to run it with
};

/// Rows of 16 elements, padded with rows of zeros, in vectors of four whose mask is uniform in a row.
ir::Program padded_rows(ir::Type type, DeviceKind device);

/// The programs elementwise, matmul, row_sums, shared_rows, running_sum and two_kernels.
std::vector<NamedProgram> device_programs(DeviceKind device);
NamedProgram device_program(const std::string& name, DeviceKind device);

}  // namespace nestwright::testing
