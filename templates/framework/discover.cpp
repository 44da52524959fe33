// Discovery: the template runs once for every reachable combination of choices.
#include "templates/framework/discover.h"

#include <algorithm>

#include "support/error.h"
#include "templates/framework/recording.h"
#include "templates/framework/template.h"

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

std::string describe(const Branch& branch) {
  std::string text;
  for (const Knob& knob : branch.knobs) {
    if (knob.kind == KnobKind::kChoice) text += (text.empty() ? "" : " ") + knob.name + "=" + knob.labels[0];
  }
  return text.empty() ? "no choices" : text;
}

/// What the template defines when its choices are made by `chooser`.
Branch run(const Template& t, const Workload& workload, const Target& target, RecordingTuning::Chooser chooser) {
  RecordingTuning tuning(std::move(chooser));
  try {
    Definition definition = workload.op->define(workload);
    t.schedule(tuning, workload, definition, target);
  } catch (const UnknownOption&) {
    throw;
  } catch (const InternalError& error) {
    throw InternalError("template " + t.name + " for " + workload.str() + ": " + error.what());
  } catch (const Error& error) {
    throw InternalError("template " + t.name + " for " + workload.str() + ": its first candidates under " +
                        describe(tuning.branch()) + " give no legal schedule: " + error.what());
  }
  return tuning.branch();
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

ConfigSpace discover_space(const Template& t, const Workload& workload, const Target& target) {
  std::vector<Branch> branches;
  // The options taken, as the digits of a counter whose length and radices the template decides as it runs.
  std::vector<TakenOption> path;
  do {
    std::size_t depth = 0;
    branches.push_back(run(t, workload, target, [&](const std::string&, const std::vector<std::string>& options) {
      if (depth == path.size()) path.push_back({0, options.size()});
      return path[depth++].taken;
    }));
    if (branches.size() > kMaxBranches) {
      throw InternalError("template " + t.name + " for " + workload.str() +
                          " has more than 10,000 combinations of choices: make knobs of those that define no others");
    }
    while (!path.empty() && path.back().taken + 1 == path.back().options) path.pop_back();
    if (!path.empty()) ++path.back().taken;
  } while (!path.empty());
  return ConfigSpace(std::move(branches));
}

ConfigSpace discover_branch(const Template& t, const Workload& workload, const Target& target, const Config& config) {
  return ConfigSpace({run(t, workload, target, [&](const std::string& name, const std::vector<std::string>& options) {
    return option_of(config, name, options);
  })});
}

}  // namespace nestwright
