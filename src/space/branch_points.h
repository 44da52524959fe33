// From configurations to the candidate indices of a branch and back: what the parts of ConfigSpace share.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "space/config_space.h"
#include "space/knob_group.h"

namespace nestwright {

/// The branch whose choices `config` makes, or -1.
int find_branch(std::span<const Branch> branches, const Config& config);

/// Position of the candidate that an entry stands for, by its value or, where that is absent, its label. -1 where there
/// is none.
int candidate_index(const Knob& knob, const ConfigEntry& entry);

/// nullopt where a knob of the branch is missing from `config` or has a value that is no candidate.
std::optional<CandidateIndices> candidate_indices(const Branch& branch, const Config& config);

Config make_config(const Branch& branch, const CandidateIndices& chosen);

/// Positions of the knobs of each constraint.
std::vector<std::vector<int>> all_constraint_positions(const Branch& branch);

/// The first constraint that `chosen` violates, or -1. `positions` are all_constraint_positions of the branch.
int violated_constraint(const Branch& branch, const std::vector<std::vector<int>>& positions,
                        const CandidateIndices& chosen);

/// Candidates as text: labels, or values as Config::str prints them.
std::vector<std::string> candidate_texts(const Knob& knob);

std::vector<std::string> knob_names(const Branch& branch);

}  // namespace nestwright
