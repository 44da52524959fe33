// Conversions between configurations and the points of a branch, which are candidate indices. Internal to space/.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nestwright/config_space.h"
#include "space/knob_group.h"

namespace nestwright {

/// Index of the branch whose choices `config` makes, or -1.
int find_branch(std::span<const Branch> branches, const Config& config);

/// Index of the candidate that an entry denotes: by its label or, without one, by its value; a single number counts as
/// a label if labels are numbers. -1 if there is no such candidate.
int candidate_index(const Knob& knob, const ConfigEntry& entry);

/// The same for an entry that a user wrote: a number without a label is never the index of an option.
int written_candidate(const Knob& knob, const ConfigEntry& entry);

/// nullopt where `config` lacks a knob of the branch or has a value for it that is not a candidate.
std::optional<CandidateIndices> candidate_indices(const Branch& branch, const Config& config);

/// The configuration with the chosen candidates.
Config make_config(const Branch& branch, const CandidateIndices& chosen);

/// For each constraint of the branch, the positions of its knobs.
std::vector<std::vector<int>> all_constraint_positions(const Branch& branch);

/// Index of the first constraint that `chosen` violates, or -1. `positions` are all_constraint_positions(branch).
int violated_constraint(const Branch& branch, const std::vector<std::vector<int>>& positions,
                        const CandidateIndices& chosen);

/// Describes how `config` violates `constraint`: the values of the knobs that it reads, and its reason.
std::string violation_text(const Constraint& constraint, const Config& config);

/// The candidates as text: their labels, or their values as Config::str prints them.
std::vector<std::string> candidate_texts(const Knob& knob);

/// The options that the branch takes, as "pack_b=block parallel=none"; empty where the template makes no choice.
std::string choices_of(const Branch& branch);

std::vector<std::string> knob_names(const Branch& branch);
/// The names of the knobs of any of the branches, each once.
std::vector<std::string> knob_names(std::span<const Branch* const> branches);
/// The message for a name that is not among knob_names(branches).
std::string unknown_knob_text(const std::string& name, std::span<const Branch* const> branches);

/// Appends those of `more` that `list` lacks.
void add_missing(std::vector<std::string>& list, const std::vector<std::string>& more);

}  // namespace nestwright
