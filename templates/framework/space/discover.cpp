// Discovery: the template runs once for every reachable combination of choices.
#include "templates/framework/space/discover.h"

#include <algorithm>

#include "nestwright/error.h"
#include "nestwright/template.h"
#include "space/branch_points.h"
#include "support/base/caught_message.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxBranches = 10'000;

/// A configuration takes no option of one of the template's choices: an error of the configuration, not of the
/// template.
class UnknownOption : public UsageError {
 public:
  using UsageError::UsageError;
};

struct TakenOption {
  std::size_t taken = 0;
  std::size_t options = 1;
};

/// The first branch that was left out, and how many more there are.
std::string text_of(const std::vector<LeftOutBranch>& left_out) {
  const LeftOutBranch& first = left_out.front();
  std::string text = (first.choices.empty() ? "" : first.choices + ": ") + first.reason;
  if (left_out.size() > 1) text += " (and " + std::to_string(left_out.size() - 1) + " more)";
  return text;
}

/// The option of the choice `name` that `config` takes.
std::size_t option_of(const Config& config, const std::string& name, const std::vector<std::string>& options) {
  const ConfigEntry* entry = config.find(name);
  if (entry != nullptr) {
    const bool is_number = entry->label.empty() && entry->value.size() == 1;
    const std::string text = is_number ? std::to_string(entry->value[0]) : entry->label;
    const auto named = std::find(options.begin(), options.end(), text);
    if (named != options.end()) return static_cast<std::size_t>(named - options.begin());
  }
  throw UnknownOption("the configuration takes no option of the choice '" + name + "'");
}

}  // namespace

BranchRun run_branch(const Template& t, const Workload& workload, const Target& target,
                     RecordingTuning::Chooser chooser) {
  Definition definition = *workload.definition;
  RecordingTuning tuning(std::move(chooser));
  BranchRun result;
  try {
    t.schedule(tuning, workload, definition, target);
    ConfigSpace({tuning.branch()});  // refuses a constraint over knobs that are not there
  } catch (const UnknownOption&) {
    throw;
  } catch (...) {
    result.refusal = caught_message();
  }
  result.branch = tuning.branch();
  return result;
}

std::unique_ptr<Tuning> first_candidates() {
  return std::make_unique<RecordingTuning>([](const std::string&, const std::vector<std::string>&) { return 0; });
}

ConfigSpace discover_space(const Template& t, const Workload& workload, const Target& target) {
  std::vector<Branch> branches;
  std::vector<LeftOutBranch> left_out;
  // The options taken, as the digits of a counter whose length and radices the template decides as it runs.
  std::vector<TakenOption> path;
  do {
    std::size_t depth = 0;
    BranchRun found = run_branch(t, workload, target, [&](const std::string&, const std::vector<std::string>& options) {
      if (depth == path.size()) path.push_back({0, options.size()});
      return path[depth++].taken;
    });
    if (found.refusal.empty()) {
      branches.push_back(std::move(found.branch));
    } else {
      left_out.push_back({choices_of(found.branch), std::move(found.refusal)});
    }
    if (branches.size() + left_out.size() > kMaxBranches) {
      throw InternalError("template " + t.name + " for " + workload.str() +
                          " has more than 10,000 combinations of choices: make knobs of those that define no others");
    }
    while (!path.empty() && path.back().taken + 1 == path.back().options) path.pop_back();
    if (!path.empty()) ++path.back().taken;
  } while (!path.empty());
  return ConfigSpace(std::move(branches), std::move(left_out));
}

ConfigSpace discover_branch(const Template& t, const Workload& workload, const Target& target, const Config& config) {
  BranchRun found =
      run_branch(t, workload, target, [&](const std::string& name, const std::vector<std::string>& options) {
        return option_of(config, name, options);
      });
  if (found.refusal.empty()) return ConfigSpace({std::move(found.branch)});
  throw UsageError(left_out_text(t, {{choices_of(found.branch), found.refusal}}));
}

std::string left_out_text(const Template& t, const std::vector<LeftOutBranch>& left_out) {
  return left_out.empty() ? std::string() : "template " + t.name + " has no legal schedule with " + text_of(left_out);
}

void refuse_without_schedule(const Workload& workload, const Target& target, std::string_view only) {
  std::string reasons;
  for (const Template* t : templates_for(workload, target, only)) {
    const ConfigSpace space = discover_space(*t, workload, target);
    reasons += (reasons.empty() ? "" : "; ") + t->name + ": ";
    reasons += space.left_out().empty() ? "no configuration is valid" : text_of(space.left_out());
  }
  throw UsageError("no template has a legal schedule for " + workload.str() + " on " + target.str() + " (" + reasons +
                   "): change the workload or the target");
}

}  // namespace nestwright
