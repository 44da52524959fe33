// ConfigSpace::mutate and crossover: the moves of the searches, which stay within the valid points.
#include <algorithm>

#include "nestwright/config_space.h"
#include "space/branch_plan.h"
#include "space/branch_points.h"
#include "space/near_candidate.h"
#include "space/random_index.h"

namespace nestwright {
namespace {

constexpr int kAttempts = 64;
constexpr int kRepairs = 16;

/// The candidate that equals `entry`, for an ordinal knob the nearest one, otherwise a random one; `entry` is nullptr
/// where there is none.
int candidate_like(const Knob& knob, const ConfigEntry* entry, std::mt19937_64& random) {
  const int same = entry == nullptr ? -1 : candidate_index(knob, *entry);
  if (same >= 0) return same;
  if (entry != nullptr && is_ordinal(knob)) return nearest_candidate(knob, entry->value);
  return static_cast<int>(random_index(random, knob.candidates.size()));
}

/// Redraws knobs of violated constraints, but not the `kept` ones, until none is violated.
bool repair(const Branch& branch, const std::vector<std::vector<int>>& positions, const std::vector<char>& kept,
            CandidateIndices& chosen, std::mt19937_64& random) {
  for (int step = 0; step < kRepairs; ++step) {
    const int violated = violated_constraint(branch, positions, chosen);
    if (violated < 0) return true;
    std::vector<int> loose;
    for (const int knob : positions[violated]) {
      if (!kept[knob] && branch.knobs[knob].candidates.size() > 1) loose.push_back(knob);
    }
    if (loose.empty()) return false;
    const int knob = loose[random_index(random, loose.size())];
    chosen[knob] = near_candidate(branch.knobs[knob], chosen[knob], random);
  }
  return violated_constraint(branch, positions, chosen) < 0;
}

}  // namespace

std::optional<Config> ConfigSpace::mutate(const Config& config, int changes, std::mt19937_64& random) const {
  const int b = find_branch(branches_, config);
  if (b < 0 || changes < 1) return std::nullopt;
  const Branch& from = branches_[b];
  const auto start = candidate_indices(from, config);
  if (!start) return std::nullopt;
  std::vector<int> movable;
  for (std::size_t i = 0; i < from.knobs.size(); ++i) {
    const bool choice = from.knobs[i].kind == KnobKind::kChoice;
    if (choice ? !plans_->branches[b].points(branches_, b).across[i].empty() : from.knobs[i].candidates.size() > 1) {
      movable.push_back(static_cast<int>(i));
    }
  }
  if (movable.empty()) return std::nullopt;

  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<int> moves = movable;
    for (std::size_t i = 0; i + 1 < moves.size(); ++i)
      std::swap(moves[i], moves[i + random_index(random, moves.size() - i)]);
    moves.resize(std::min(moves.size(), static_cast<std::size_t>(changes)));
    CandidateIndices chosen = *start;
    std::vector<char> kept(from.knobs.size(), 0);
    int switched = -1;
    for (const int move : moves) {
      if (from.knobs[move].kind == KnobKind::kChoice) {
        switched = move;
        continue;
      }
      chosen[move] = near_candidate(from.knobs[move], chosen[move], random);
      kept[move] = 1;
    }
    int into = b;
    if (switched >= 0) {
      // Into another branch: values that exist there are kept or replaced by the nearest, the others are drawn.
      const auto& across = plans_->branches[b].points(branches_, b).across[switched];
      into = across[random_index(random, across.size())];
      const Config moved = make_config(from, chosen);
      CandidateIndices there;
      for (const Knob& knob : branches_[into].knobs) {
        const ConfigEntry* entry = moved.find(knob.name);
        there.push_back(candidate_like(knob, entry, random));
      }
      chosen = std::move(there);
      kept.assign(branches_[into].knobs.size(), 0);
    }
    // The first attempts change nothing else; later ones also redraw knobs that violate a constraint.
    const auto& positions = plans_->branches[into].positions;
    const bool valid = attempt < kAttempts / 2 ? violated_constraint(branches_[into], positions, chosen) < 0
                                               : repair(branches_[into], positions, kept, chosen, random);
    if (!valid) continue;
    Config result = make_config(branches_[into], chosen);
    if (!(result == config)) return result;
  }
  return std::nullopt;
}

std::optional<Config> ConfigSpace::crossover(const Config& a, const Config& b, std::mt19937_64& random) const {
  const int branch_a = find_branch(branches_, a);
  if (branch_a < 0 || branch_a != find_branch(branches_, b)) return std::nullopt;
  const Branch& branch = branches_[branch_a];
  const auto from_a = candidate_indices(branch, a);
  const auto from_b = candidate_indices(branch, b);
  if (!from_a || !from_b) return std::nullopt;
  CandidateIndices chosen(branch.knobs.size(), 0);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    for (std::size_t i = 0; i < chosen.size(); ++i)
      chosen[i] = random_index(random, 2) == 0 ? (*from_a)[i] : (*from_b)[i];
    if (violated_constraint(branch, plans_->branches[branch_a].positions, chosen) < 0)
      return make_config(branch, chosen);
  }
  return std::nullopt;
}

}  // namespace nestwright
