// A Tuning whose knobs have a common prefix: one function defines the knobs of several loop nests.
//
//   ScopedTuning t(tuning, "C.");
//   t.define_knob("rows", {1, 2});      // the knob C.rows
//
// Thread rule: as Tuning.
#pragma once

#include <string>
#include <vector>

#include "nestwright/knobs.h"

namespace nestwright {

class ScopedTuning : public Tuning {
 public:
  /// `tuning` outlives it.
  ScopedTuning(Tuning& tuning, std::string prefix) : tuning_(tuning), prefix_(std::move(prefix)) {}

  PartsKnob define_split(const std::string& name, std::int64_t extent, const SplitOptions& options) override {
    return tuning_.define_split(prefix_ + name, extent, options);
  }
  PartsKnob define_reorder(const std::string& name, const std::vector<std::vector<int>>& candidates) override {
    return tuning_.define_reorder(prefix_ + name, candidates);
  }
  OptionKnob define_annotate(const std::string& name, const std::vector<std::string>& candidates) override {
    return tuning_.define_annotate(prefix_ + name, candidates);
  }
  KnobExpr define_knob(const std::string& name, const std::vector<std::int64_t>& candidates) override {
    return tuning_.define_knob(prefix_ + name, candidates);
  }
  OptionKnob choose(const std::string& name, const std::vector<std::string>& options) override {
    return tuning_.choose(prefix_ + name, options);
  }

 protected:
  void add(Constraint constraint) override { add_to(tuning_, std::move(constraint)); }

 private:
  Tuning& tuning_;
  std::string prefix_;
};

}  // namespace nestwright
