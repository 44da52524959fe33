// Discovery: the template runs once for every reachable combination of choices.
#include "support/error.h"
#include "templates/recording.h"
#include "templates/registry.h"
#include "templates/template.h"

namespace nestwright {
namespace {

constexpr std::size_t kMostBranches = 10'000;

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

}  // namespace

ConfigSpace discover_space(const Template& t, const Workload& workload, const Target& target) {
  const Operator& op = find_operator(t.op);
  std::vector<Branch> branches;
  // The options taken, as the digits of a counter whose length and radices the template decides as it runs.
  std::vector<TakenOption> path;
  do {
    std::size_t depth = 0;
    RecordingTuning tuning([&](const std::string&, const std::vector<std::string>& options) {
      if (depth == path.size()) path.push_back({0, options.size()});
      return path[depth++].taken;
    });
    try {
      Definition definition = op.define(workload);
      t.schedule(tuning, workload, definition, target);
    } catch (const InternalError&) {
      throw;
    } catch (const Error& error) {
      throw InternalError("template " + t.name + " for " + workload.str() + ": its first candidates under " +
                          describe(tuning.branch()) + " give no legal schedule: " + error.what());
    }
    branches.push_back(tuning.branch());
    check(branches.size() <= kMostBranches, "a template has more than 10,000 combinations of choices");
    while (!path.empty() && path.back().taken + 1 == path.back().options) path.pop_back();
    if (!path.empty()) ++path.back().taken;
  } while (!path.empty());
  return ConfigSpace(std::move(branches));
}

}  // namespace nestwright
