#include "space/branch_points.h"

#include <algorithm>

#include "space/nearest_name.h"

namespace nestwright {
namespace {

bool is_number(const std::string& label) {
  return !label.empty() && label.find_first_not_of("0123456789") == std::string::npos;
}

/// The position of the option; -1 where there is none.
int option_index(const Knob& knob, const std::string& name) {
  const auto found = std::find(knob.labels.begin(), knob.labels.end(), name);
  return found == knob.labels.end() ? -1 : static_cast<int>(found - knob.labels.begin());
}

}  // namespace

int candidate_index(const Knob& knob, const ConfigEntry& entry) {
  if (!entry.label.empty()) return option_index(knob, entry.label);
  // A number that was typed is the name of an option where options have numbers for names.
  if (entry.value.size() == 1 && std::any_of(knob.labels.begin(), knob.labels.end(), is_number)) {
    return option_index(knob, std::to_string(entry.value[0]));
  }
  const auto found = std::find(knob.candidates.begin(), knob.candidates.end(), entry.value);
  return found == knob.candidates.end() ? -1 : static_cast<int>(found - knob.candidates.begin());
}

int written_candidate(const Knob& knob, const ConfigEntry& entry) {
  if (knob.labels.empty() || !entry.label.empty()) return candidate_index(knob, entry);
  return entry.value.size() == 1 ? option_index(knob, std::to_string(entry.value[0])) : -1;
}

int find_branch(std::span<const Branch> branches, const Config& config) {
  for (std::size_t b = 0; b < branches.size(); ++b) {
    const auto& knobs = branches[b].knobs;
    if (std::all_of(knobs.begin(), knobs.end(), [&](const Knob& knob) {
          if (knob.kind != KnobKind::kChoice) return true;
          const ConfigEntry* entry = config.find(knob.name);
          return entry != nullptr && candidate_index(knob, *entry) >= 0;
        })) {
      return static_cast<int>(b);
    }
  }
  return -1;
}

std::optional<CandidateIndices> candidate_indices(const Branch& branch, const Config& config) {
  CandidateIndices chosen;
  for (const Knob& knob : branch.knobs) {
    const ConfigEntry* entry = config.find(knob.name);
    const int index = entry == nullptr ? -1 : candidate_index(knob, *entry);
    if (index < 0) return std::nullopt;
    chosen.push_back(index);
  }
  return chosen;
}

Config make_config(const Branch& branch, const CandidateIndices& chosen) {
  std::vector<ConfigEntry> entries;
  entries.reserve(branch.knobs.size());
  for (std::size_t i = 0; i < branch.knobs.size(); ++i) {
    const Knob& knob = branch.knobs[i];
    entries.push_back(
        {knob.name, knob.candidates[chosen[i]], knob.labels.empty() ? std::string() : knob.labels[chosen[i]]});
  }
  return Config(std::move(entries));
}

std::vector<std::vector<int>> all_constraint_positions(const Branch& branch) {
  std::vector<std::vector<int>> positions;
  for (const Constraint& constraint : branch.constraints) {
    positions.push_back(constraint_positions(branch, constraint));
  }
  return positions;
}

int violated_constraint(const Branch& branch, const std::vector<std::vector<int>>& positions,
                        const CandidateIndices& chosen) {
  for (std::size_t c = 0; c < positions.size(); ++c) {
    if (!constraint_holds(branch, branch.constraints[c], positions[c], chosen)) return static_cast<int>(c);
  }
  return -1;
}

std::string violation_text(const Constraint& constraint, const Config& config) {
  std::string values;
  for (const std::string& knob : constraint.knobs) {
    values += (values.empty() ? "" : " ") + Config({*config.find(knob)}).str();
  }
  return values + ": " + constraint.reason;
}

std::vector<std::string> candidate_texts(const Knob& knob) {
  if (!knob.labels.empty()) return knob.labels;
  std::vector<std::string> texts;
  for (const KnobValue& value : knob.candidates) {
    Config one;
    one.set("v", value);
    texts.push_back(one.str().substr(2));
  }
  return texts;
}

std::string choices_of(const Branch& branch) {
  std::string text;
  for (const Knob& knob : branch.knobs) {
    if (knob.kind == KnobKind::kChoice) text += (text.empty() ? "" : " ") + knob.name + "=" + knob.labels[0];
  }
  return text;
}

std::vector<std::string> knob_names(const Branch& branch) {
  std::vector<std::string> names;
  for (const Knob& knob : branch.knobs) names.push_back(knob.name);
  return names;
}

std::vector<std::string> knob_names(std::span<const Branch* const> branches) {
  std::vector<std::string> names;
  for (const Branch* branch : branches) add_missing(names, knob_names(*branch));
  return names;
}

std::string unknown_knob_text(const std::string& name, std::span<const Branch* const> branches) {
  const std::vector<std::string> names = knob_names(branches);
  return "there is no knob '" + name + "'" + did_you_mean(name, names) + "; the knobs are " + join_names(names);
}

void add_missing(std::vector<std::string>& list, const std::vector<std::string>& more) {
  for (const std::string& each : more) {
    if (std::find(list.begin(), list.end(), each) == list.end()) list.push_back(each);
  }
}

}  // namespace nestwright
