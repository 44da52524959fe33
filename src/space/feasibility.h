// Decides whether a branch of a space has a valid point with one value of a knob and, if it has none, which constraints
// exclude all of them.
//
//   BranchFeasibility feasibility(branch);
//   if (!feasibility.is_possible(knob, candidate)) feasibility.excluded_by(knob, candidate);
//   // {{"register tile larger than the register file"}}: without this constraint there would be a valid point
//
// A search by backtracking, which ends at the first valid point, so that most answers take microseconds; a point that
// was found answers for all of its values. Counting (ConfigSpace::count_valid) answers where the search takes too long.
// Thread rule: one thread at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "nestwright/config_space.h"
#include "space/knob_group.h"

namespace nestwright {

class BranchFeasibility {
 public:
  /// `branch` outlives this object.
  explicit BranchFeasibility(const Branch& branch);

  /// Whether the branch has a valid point with candidate number `candidate` of knob number `knob`. True where neither
  /// the search nor counting can tell.
  bool is_possible(int knob, int candidate);

  /// The reasons of the constraints that exclude the candidate; constraints of one reason count as one. If the removal
  /// of a single one would make a point valid: all such ones, each by itself. Else the first pair that would, else one
  /// set of which none can be spared. Requires that the candidate is not possible.
  std::vector<std::vector<std::string>> excluded_by(int knob, int candidate);

 private:
  /// A constraint, with those of its results that were computed.
  struct Known {
    std::vector<int> knobs;            ///< positions in the branch, in the order of the constraint
    std::vector<std::size_t> strides;  ///< into `results`
    std::vector<std::int8_t> results;  ///< -1: not computed yet; empty: too many
    std::size_t reason = 0;            ///< an index into reasons_
  };
  struct Search;

  bool holds(std::size_t constraint, const CandidateIndices& chosen);
  /// Whether there is a valid point if the constraints with the marked reasons are removed.
  bool is_possible_without(const std::vector<bool>& removed, int knob, int candidate);
  /// The knobs that constraints which are not removed connect with `first`, in the order of the search: such that
  /// constraints can be checked early.
  std::vector<int> connected_order(const std::vector<bool>& removed, int first) const;

  const Branch& branch_;
  CandidateIndices valid_;  ///< the last valid point that was found; before, the first candidates
  std::vector<Known> constraints_;
  std::vector<std::string> reasons_;         ///< each once
  std::vector<std::vector<bool>> is_known_;  ///< of each candidate of each knob: it is in a valid point that was found
};

}  // namespace nestwright
