// The Tuning of discovery: it notes every knob and constraint and hands out first candidates.
// Thread rule: one run of one template.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "templates/framework/tuning.h"

namespace nestwright {

class RecordingTuning : public Tuning {
 public:
  /// The option that a choice takes.
  using Chooser = std::function<std::size_t(const std::string& name, const std::vector<std::string>& options)>;
  explicit RecordingTuning(Chooser chooser) : chooser_(std::move(chooser)) {}

  std::vector<std::int64_t> define_split(const std::string& name, std::int64_t extent,
                                         const SplitOptions& options) override;
  std::vector<int> define_reorder(const std::string& name, const std::vector<std::vector<int>>& candidates) override;
  std::string define_annotate(const std::string& name, const std::vector<std::string>& candidates) override;
  std::int64_t define_knob(const std::string& name, const std::vector<std::int64_t>& candidates) override;
  std::string choose(const std::string& name, const std::vector<std::string>& options) override;
  void constrain(std::vector<std::string> knobs, std::function<bool(std::span<const KnobValue>)> holds,
                 std::string reason) override;

  /// What was defined, choices first.
  Branch branch() const;

 private:
  /// Throws InternalError for a name in use and for no candidates.
  const Knob& record(std::vector<Knob>& list, Knob knob);

  Chooser chooser_;
  std::vector<Knob> choices_, knobs_;
  std::vector<Constraint> constraints_;
};

}  // namespace nestwright
