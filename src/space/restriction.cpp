#include "nestwright/config_space.h"

#include <algorithm>
#include <optional>

#include "nestwright/error.h"
#include "space/branch_points.h"
#include "space/nearest_name.h"

namespace nestwright {
namespace {

void check_fixed(const ConfigEntry& entry, std::span<const Branch* const> branches) {
  std::vector<std::string> candidates;
  for (const Branch* branch : branches) {
    const Knob* const knob = find_knob(*branch, entry.knob);
    if (knob == nullptr) continue;
    if (written_candidate(*knob, entry) >= 0) return;
    add_missing(candidates, candidate_texts(*knob));
  }
  if (candidates.empty()) throw UsageError(unknown_knob_text(entry.knob, branches));
  const std::string meant = entry.label.empty() ? std::string() : did_you_mean(entry.label, candidates);
  throw UsageError(Config({entry}).str() + " is not a candidate of the knob '" + entry.knob + "'" + meant +
                   "; its candidates are " + join_names(candidates));
}

/// Whether the constraint reads only knobs with one candidate, as choices are, and does not hold for these.
bool never_holds(const Constraint& constraint, const Branch& branch) {
  std::vector<KnobValue> values;
  for (const std::string& name : constraint.knobs) {
    const Knob* const knob = find_knob(branch, name);
    if (knob == nullptr || knob->candidates.size() != 1) return false;
    values.push_back(knob->candidates.front());
  }
  return !constraint.holds(values);
}

/// nullopt where no point of the branch keeps the fixed values, or none fulfils a condition on its choices.
std::optional<Branch> restrict_branch(Branch branch, const Restriction& restriction) {
  for (const ConfigEntry& entry : restriction.fixed.entries()) {
    const auto knob = std::find_if(branch.knobs.begin(), branch.knobs.end(),
                                   [&](const Knob& candidate) { return candidate.name == entry.knob; });
    if (knob == branch.knobs.end()) return std::nullopt;
    const int index = written_candidate(*knob, entry);
    if (index < 0) return std::nullopt;
    knob->candidates = {knob->candidates[static_cast<std::size_t>(index)]};
    if (!knob->labels.empty()) knob->labels = {knob->labels[static_cast<std::size_t>(index)]};
  }
  for (const KnobCondition& condition : restriction.only) {
    std::optional<Constraint> constraint = condition.over(branch);
    if (!constraint || never_holds(*constraint, branch)) return std::nullopt;
    branch.constraints.push_back(std::move(*constraint));
  }
  return branch;
}

}  // namespace

std::string Restriction::str() const {
  std::string text;
  for (const ConfigEntry& entry : fixed.entries())
    text += (text.empty() ? "--fix " : " --fix ") + Config({entry}).str();
  for (const KnobCondition& condition : only) {
    text += (text.empty() ? "--only \"" : " --only \"") + condition.text() + "\"";
  }
  return text;
}

void check_restriction(const Restriction& restriction, std::span<const ConfigSpace* const> spaces) {
  std::vector<const Branch*> branches;
  for (const ConfigSpace* space : spaces) {
    for (const Branch& branch : space->branches()) branches.push_back(&branch);
  }
  for (const ConfigEntry& entry : restriction.fixed.entries()) check_fixed(entry, branches);
  for (const KnobCondition& condition : restriction.only) condition.check(branches);
}

ConfigSpace restrict_space(const ConfigSpace& space, const Restriction& restriction) {
  std::vector<Branch> branches;
  for (const Branch& branch : space.branches()) {
    if (auto part = restrict_branch(branch, restriction)) branches.push_back(std::move(*part));
  }
  return ConfigSpace(std::move(branches));
}

}  // namespace nestwright
