// ConfigSpace::resolve, is_valid and why_invalid: check configurations, with messages that say what is legal.
#include <algorithm>

#include "nestwright/config_space.h"
#include "nestwright/error.h"
#include "space/branch_plan.h"
#include "space/branch_points.h"
#include "space/nearest_name.h"

namespace nestwright {
namespace {

std::string entry_text(const ConfigEntry& entry) { return Config({entry}).str(); }

[[noreturn]] void refuse_missing(const Knob& knob) {
  throw UsageError("the configuration lacks the knob '" + knob.name + "'; give it one of " +
                   join_names(candidate_texts(knob)));
}

[[noreturn]] void refuse_value(const ConfigEntry& entry, const std::vector<std::string>& legal) {
  std::string message = entry_text(entry) + " is not a candidate of the knob '" + entry.knob + "'";
  const std::string meant = entry.label.empty() ? std::string() : nearest_name(entry.label, legal);
  if (!meant.empty()) message += "; did you mean " + meant;
  throw UsageError(message + "; its candidates are " + join_names(legal));
}

[[noreturn]] void refuse_unknown(const ConfigEntry& entry, const Branch& branch) {
  const std::vector<std::string> names = knob_names(branch);
  throw UsageError("there is no knob '" + entry.knob + "' under these choices" + did_you_mean(entry.knob, names) +
                   "; the knobs are " + join_names(names));
}

/// Follows the choices of `parsed` down the tree of branches, one choice at each level.
const Branch& follow_choices(const std::vector<Branch>& branches, const Config& parsed) {
  if (branches.empty()) throw UsageError("the space has no configurations");
  std::vector<const Branch*> alive;
  for (const Branch& branch : branches) alive.push_back(&branch);
  for (std::size_t level = 0;; ++level) {
    if (level >= alive[0]->knobs.size() || alive[0]->knobs[level].kind != KnobKind::kChoice) return *alive[0];
    Knob options{alive[0]->knobs[level].name, KnobKind::kChoice, {}, {}};
    std::vector<std::vector<const Branch*>> takers;
    for (const Branch* branch : alive) {
      const Knob& knob = branch->knobs.at(level);
      check(knob.name == options.name, "branches that agree in their first choices differ in what comes next");
      const auto known = std::find(options.candidates.begin(), options.candidates.end(), knob.candidates[0]);
      const auto at = static_cast<std::size_t>(known - options.candidates.begin());
      if (known == options.candidates.end()) {
        options.candidates.push_back(knob.candidates[0]);
        options.labels.push_back(candidate_texts(knob)[0]);
        takers.emplace_back();
      }
      takers[at].push_back(branch);
    }
    const ConfigEntry* entry = parsed.find(options.name);
    if (entry == nullptr) refuse_missing(options);
    const int taken = candidate_index(options, *entry);
    if (taken < 0) refuse_value(*entry, options.labels);
    alive = std::move(takers[static_cast<std::size_t>(taken)]);
  }
}

}  // namespace

Config ConfigSpace::resolve(const Config& parsed) const {
  // A recorded configuration identifies its branch; otherwise follow it choice by choice to say what is wrong.
  const int named = find_branch(branches_, parsed);
  const Branch& branch = named >= 0 ? branches_[static_cast<std::size_t>(named)] : follow_choices(branches_, parsed);
  for (const ConfigEntry& entry : parsed.entries()) {
    if (find_knob(branch, entry.knob) == nullptr) refuse_unknown(entry, branch);
  }
  CandidateIndices chosen;
  for (const Knob& knob : branch.knobs) {
    const ConfigEntry* entry = parsed.find(knob.name);
    if (entry == nullptr) refuse_missing(knob);
    const int index = candidate_index(knob, *entry);
    if (index < 0) refuse_value(*entry, candidate_texts(knob));
    chosen.push_back(index);
  }
  return make_config(branch, chosen);
}

bool ConfigSpace::is_valid(const Config& config) const {
  const int b = find_branch(branches_, config);
  if (b < 0 || config.entries().size() != branches_[b].knobs.size()) return false;
  const auto chosen = candidate_indices(branches_[b], config);
  return chosen && violated_constraint(branches_[b], plans_->branches[b].positions, *chosen) < 0;
}

std::string ConfigSpace::why_invalid(const Config& config) const {
  Config resolved;
  try {
    resolved = resolve(config);
  } catch (const UsageError& error) {
    return error.what();
  }
  const int b = find_branch(branches_, resolved);
  check(b >= 0, "a resolved configuration is in no branch");
  const Branch& branch = branches_[b];
  const int violated = violated_constraint(branch, plans_->branches[b].positions, *candidate_indices(branch, resolved));
  if (violated < 0) return {};
  return violation_text(branch.constraints[violated], resolved);
}

}  // namespace nestwright
