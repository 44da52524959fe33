// What a template in Python is given: the knobs and the target of one run.
// Thread rule: one thread, that of the run.
#pragma once

#include "nestwright/knobs.h"
#include "nestwright/target.h"

namespace nestwright::python {

/// Python may keep it longer than the run, whose end forgets the tuning.
class TemplateRun {
 public:
  TemplateRun(Tuning& tuning, Target target) : tuning_(&tuning), target_(std::move(target)) {}

  /// Throws UsageError after the run.
  Tuning& tuning();
  const Target& target() const { return target_; }
  void end() { tuning_ = nullptr; }

 private:
  Tuning* tuning_;
  Target target_;
};

}  // namespace nestwright::python
