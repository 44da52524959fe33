// Resolves the arguments of a recorded primitive against the current schedule. Internal to schedule/.
// Thread rule: as for the schedule.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "nestwright/schedule.h"

namespace nestwright {

/// The functions throw UsageError for an argument that is missing or malformed, and ScheduleError for a name that the
/// schedule does not have.
class StepReader {
 public:
  StepReader(Schedule& schedule, const TraceStep& step, std::span<const TensorIntrinsic> own)
      : schedule_(schedule), step_(step), own_(own) {}

  Schedule& schedule() const { return schedule_; }
  std::size_t count() const { return step_.arguments.size(); }
  const std::string& word(std::size_t i) const;
  /// The rest of argument i after `prefix`.
  std::string after(std::size_t i, std::string_view prefix) const;
  std::int64_t number(std::size_t i) const { return parse_number(word(i), i); }
  std::int64_t parse_number(std::string_view digits, std::size_t i) const;
  /// "factor=14,8" or "nparts=3".
  SplitSize split_size(std::size_t i) const;
  Tensor tensor(std::size_t i) const;
  Stage stage(std::size_t i) const { return schedule_[tensor(i)]; }
  IterVar loop(std::size_t i) const { return find_loop(word(i), i).second; }
  /// The stage named by the prefix of a loop's name.
  Stage stage_of_loop(std::size_t i) const { return schedule_[find_loop(word(i), i).first]; }
  std::pair<Tensor, IterVar> find_loop(const std::string& name, std::size_t i) const;
  ir::Scope scope(std::size_t i) const;
  ir::LoopKind thread_axis(std::size_t i) const;
  TensorIntrinsic intrinsic(std::size_t i) const;
  [[noreturn]] void malformed(std::size_t i) const;

 private:
  std::string text() const;

  Schedule& schedule_;
  const TraceStep& step_;
  std::span<const TensorIntrinsic> own_;
};

/// Applies one step, which the schedule records. Throws as Trace::replay does.
void replay_step(Schedule& schedule, const TraceStep& step, std::span<const TensorIntrinsic> own);

}  // namespace nestwright
