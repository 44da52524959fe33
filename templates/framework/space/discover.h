// Runs a template for single branches of its space. Discovering only the branch that contains a given configuration
// suffices to check the configuration, at a small share of the cost of discovering the whole space.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nestwright/template.h"
#include "templates/framework/space/recording.h"

namespace nestwright {

/// One run of a template.
struct BranchRun {
  Branch branch;        ///< what the template defined
  std::string refusal;  ///< why its first candidates have no legal schedule: what was thrown; empty: they have one
};

/// Runs the template once, with the choices that `chooser` makes.
BranchRun run_branch(const Template& t, const Workload& workload, const Target& target,
                     RecordingTuning::Chooser chooser);

/// Runs the template once, with the choices that `config` makes: the space of that branch alone. Throws UsageError
/// where `config` makes a choice that the template does not have, and where the branch has no legal schedule.
ConfigSpace discover_branch(const Template& t, const Workload& workload, const Target& target, const Config& config);

/// "template X has no legal schedule with how=bad: REASON (and 3 more)"; empty where nothing was left out.
std::string left_out_text(const Template& t, const std::vector<LeftOutBranch>& left_out);

/// Throws UsageError, which gives the reason of each template: those that serve the workload, or of these the one named
/// `only`, have no configuration that is valid and has a legal schedule.
[[noreturn]] void refuse_without_schedule(const Workload& workload, const Target& target, std::string_view only = {});

}  // namespace nestwright
