// The signature of a program: which tensors a call hands over, and which symbols their shapes have. Internal to lower/.
// Thread rule: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "ir/core/program.h"
#include "lower/argument.h"
#include "schedule/state.h"

namespace nestwright {

/// Buffers of the tensors, and which stage writes which of them.
struct Signature {
  std::vector<ir::Parameter> parameters;
  std::vector<ir::Var> symbols;
  std::vector<std::vector<ir::Buffer>> outputs;  ///< by stage and result; what NestBuilder::build takes
};

/// `name`: of the program, for messages. Throws LowerError for arguments that are not those of the schedule, and for
/// symbols that a call cannot give.
Signature make_signature(const ScheduleState& state, const Args& args, std::string_view name);

/// A program whose kernels are still to be filled.
ir::Program make_program(const ScheduleState& state, const Signature& signature, std::string_view name);

}  // namespace nestwright
