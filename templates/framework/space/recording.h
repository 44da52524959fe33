// The Tuning of discovery: it records every knob and constraint and returns first candidates.
// Thread rule: one run of one template.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "nestwright/knobs.h"

namespace nestwright {

class RecordingTuning : public Tuning {
 public:
  /// Returns the index of the option that a choice takes.
  using Chooser = std::function<std::size_t(const std::string& name, const std::vector<std::string>& options)>;
  explicit RecordingTuning(Chooser chooser) : chooser_(std::move(chooser)) {}

  PartsKnob define_split(const std::string& name, std::int64_t extent, const SplitOptions& options) override;
  PartsKnob define_reorder(const std::string& name, const std::vector<std::vector<int>>& candidates) override;
  OptionKnob define_annotate(const std::string& name, const std::vector<std::string>& candidates) override;
  KnobExpr define_knob(const std::string& name, const std::vector<std::int64_t>& candidates) override;
  OptionKnob choose(const std::string& name, const std::vector<std::string>& options) override;

  /// What was defined, choices first.
  Branch branch() const;

 protected:
  void add(Constraint constraint) override { constraints_.push_back(std::move(constraint)); }

 private:
  /// Throws InternalError for a name in use and for no candidates.
  const Knob& record(std::vector<Knob>& list, Knob knob);

  Chooser chooser_;
  std::vector<Knob> choices_, knobs_;
  std::vector<Constraint> constraints_;
};

}  // namespace nestwright
