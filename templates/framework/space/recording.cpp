#include "templates/framework/space/recording.h"

#include "nestwright/error.h"
#include "templates/framework/knobs/split_candidates.h"

namespace nestwright {

const Knob& RecordingTuning::record(std::vector<Knob>& list, Knob knob) {
  for (const auto* known : {&choices_, &knobs_}) {
    for (const Knob& other : *known) {
      if (other.name == knob.name) throw InternalError("the knob '" + knob.name + "' is defined twice");
    }
  }
  if (knob.candidates.empty()) throw InternalError("the knob '" + knob.name + "' has no candidates");
  list.push_back(std::move(knob));
  return list.back();
}

PartsKnob RecordingTuning::define_split(const std::string& name, std::int64_t extent, const SplitOptions& options) {
  return {name, record(knobs_, {name, KnobKind::kSplit, split_candidates(extent, options), {}}).candidates[0]};
}

PartsKnob RecordingTuning::define_reorder(const std::string& name, const std::vector<std::vector<int>>& candidates) {
  Knob knob{name, KnobKind::kReorder, {}, {}};
  for (const auto& permutation : candidates) knob.candidates.emplace_back(permutation.begin(), permutation.end());
  return {name, record(knobs_, std::move(knob)).candidates[0]};
}

OptionKnob RecordingTuning::define_annotate(const std::string& name, const std::vector<std::string>& candidates) {
  Knob knob{name, KnobKind::kAnnotate, {}, candidates};
  for (std::size_t i = 0; i < candidates.size(); ++i) knob.candidates.push_back({static_cast<std::int64_t>(i)});
  record(knobs_, std::move(knob));
  return {name, candidates, 0};
}

KnobExpr RecordingTuning::define_knob(const std::string& name, const std::vector<std::int64_t>& candidates) {
  Knob knob{name, KnobKind::kKnob, {}, {}};
  for (const std::int64_t value : candidates) knob.candidates.push_back({value});
  return PartsKnob(name, record(knobs_, std::move(knob)).candidates[0])[0];
}

OptionKnob RecordingTuning::choose(const std::string& name, const std::vector<std::string>& options) {
  if (options.empty()) throw InternalError("the choice '" + name + "' has no options");
  const std::size_t taken = chooser_(name, options);
  record(choices_, {name, KnobKind::kChoice, {{static_cast<std::int64_t>(taken)}}, {options.at(taken)}});
  return {name, options, taken};
}

Branch RecordingTuning::branch() const {
  Branch branch{choices_, constraints_};
  branch.knobs.insert(branch.knobs.end(), knobs_.begin(), knobs_.end());
  return branch;
}

}  // namespace nestwright
