// The signature of a program: the parameters of a call, and the symbols in their shapes and strides. Internal to
// lower/. Thread rule: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "schedule/state/state.h"

namespace nestwright {

/// The parameters' buffers, and the stage that writes each output.
struct Signature {
  std::vector<ir::Parameter> parameters;
  std::vector<ir::Var> symbols;
  std::vector<std::vector<ir::Buffer>> outputs;  ///< by stage and result, as NestBuilder::build() takes them
};

/// The signature that `args` give the schedule; `name` is the program's, for messages. Throws LowerError for arguments
/// that are not those of the schedule, and for symbols whose values do not follow from a call.
Signature make_signature(const ScheduleState& state, const Args& args, std::string_view name);

/// A program with the signature, whose kernels are still empty.
ir::Program make_program(const ScheduleState& state, const Signature& signature, std::string_view name);

}  // namespace nestwright
