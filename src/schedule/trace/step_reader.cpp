#include "schedule/trace/step_reader.h"

#include <fmt/format.h>

#include <charconv>

#include "nestwright/error.h"
#include "schedule/state/stage_operations.h"
#include "schedule/state/state.h"

namespace nestwright {

const std::string& StepReader::word(std::size_t i) const {
  if (i >= count()) throw UsageError(fmt::format("step '{}' of the trace has too few arguments", text()));
  return step_.arguments[i];
}

std::string StepReader::after(std::size_t i, std::string_view prefix) const {
  if (word(i).substr(0, prefix.size()) != prefix) malformed(i);
  return word(i).substr(prefix.size());
}

std::int64_t StepReader::parse_number(std::string_view digits, std::size_t i) const {
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || rest != end) malformed(i);
  return value;
}

SplitSize StepReader::split_size(std::size_t i) const {
  if (word(i).rfind("nparts=", 0) == 0) return nparts(parse_number(after(i, "nparts="), i));
  SplitSize size;
  std::string list = after(i, "factor=");
  for (std::size_t comma; (comma = list.find(',')) != std::string::npos; list.erase(0, comma + 1)) {
    size.factors.push_back(parse_number(list.substr(0, comma), i));
  }
  size.factors.push_back(parse_number(list, i));
  return size;
}

Tensor StepReader::tensor(std::size_t i) const {
  const ScheduleState& state = schedule_.state();
  for (const StageState& stage : state.stages) {
    if (stage.name == word(i)) return stage.origin;
    for (std::size_t r = 0; r < stage.op->results.size(); ++r) {
      const Tensor result(stage.origin.op(), static_cast<int>(r));
      if (tensor_name(state, result) == word(i)) return result;
    }
  }
  for (std::size_t n = 0; n < state.inputs.size(); ++n) {
    if (state.input_names[n] == word(i)) return state.inputs[n];
  }
  for (std::size_t n = 0; n < state.states.size(); ++n) {
    if (state.state_names[n] == word(i)) return state.states[n];
  }
  throw ScheduleError(step_.primitive, word(i), "the trace names a tensor that this schedule does not have");
}

std::pair<Tensor, IterVar> StepReader::find_loop(const std::string& name, std::size_t i) const {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos) malformed(i);
  const std::int64_t number = parse_number(std::string_view(name).substr(dot + 1), i);
  for (const StageState& stage : schedule_.state().stages) {
    if (stage.name != name.substr(0, dot)) continue;
    if (number < 0 || number >= static_cast<std::int64_t>(stage.named.size())) break;
    return {stage.origin, stage.named[static_cast<std::size_t>(number)]};
  }
  throw ScheduleError(step_.primitive, name, "the trace names a loop that this schedule does not have");
}

ir::Scope StepReader::scope(std::size_t i) const {
  for (const ir::Scope s : {ir::Scope::kGlobal, ir::Scope::kShared, ir::Scope::kLocal, ir::Scope::kRegister,
                            ir::Scope::kTile, ir::Scope::kFragment}) {
    if (word(i) == ir::scope_name(s)) return s;
  }
  malformed(i);
}

ir::LoopKind StepReader::thread_axis(std::size_t i) const {
  for (const ir::LoopKind axis :
       {kBlockIdxX, kBlockIdxY, kBlockIdxZ, kThreadIdxX, kThreadIdxY, kThreadIdxZ, kVThread}) {
    if (word(i) == ir::loop_kind_name(axis)) return axis;
  }
  malformed(i);
}

TensorIntrinsic StepReader::intrinsic(std::size_t i) const {
  for (const TensorIntrinsic& candidate : own_) {
    if (candidate.name == word(i)) return candidate;
  }
  return find_tensor_intrinsic(word(i));
}

void StepReader::malformed(std::size_t i) const {
  throw UsageError(fmt::format("step '{}' of the trace: argument '{}' is malformed", text(), word(i)));
}

std::string StepReader::text() const {
  Trace one;
  one.append(step_);
  std::string line = one.str();
  line.pop_back();
  return line;
}

}  // namespace nestwright
