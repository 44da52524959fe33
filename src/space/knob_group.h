// Counts and samples the valid tuples of a group of knobs of a branch that constraints connect, directly or indirectly.
// The knobs are eliminated one after the other (variable elimination): each elimination sums the number of valid
// completions into a table over the knobs that share a constraint with the eliminated one. The cost therefore depends
// on the constraints, not on the product of the candidates. Sampling walks back through the tables and is exactly
// uniform.
// Thread rule: immutable once built; any thread may read it.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "nestwright/config_space.h"

namespace nestwright {

/// The index of the chosen candidate for every knob of a branch.
using CandidateIndices = std::vector<int>;

/// Whether `constraint` holds; the knobs that it reads are at `positions` of the branch.
bool constraint_holds(const Branch& branch, const Constraint& constraint, const std::vector<int>& positions,
                      const CandidateIndices& chosen);

/// The positions in the branch of the knobs of a constraint. Throws InternalError for a knob that is not there.
std::vector<int> constraint_positions(const Branch& branch, const Constraint& constraint);

class KnobGroup {
 public:
  /// Size limit of an elimination's table. Beyond it, the count is an estimate and sampling uses rejection.
  static constexpr double kMaxTableSize = 1e7;

  /// `knobs` are positions in the branch; `constraints` are the indices of the constraints that read them.
  KnobGroup(const Branch& branch, std::vector<int> knobs, const std::vector<int>& constraints);

  const std::vector<int>& knobs() const { return knobs_; }
  double count() const { return count_; }
  bool is_estimated() const { return estimated_; }
  /// Sets the group's knobs in `chosen` to a valid tuple, drawn uniformly. False where there is none, or where 100,000
  /// trials found none in an estimated group. `branch` must be the branch that the group was built from.
  bool sample(const Branch& branch, std::mt19937_64& random, CandidateIndices& chosen) const;

 private:
  /// A function of some knobs: the truth of a constraint, or the number of valid completions after eliminations.
  struct Factor {
    std::vector<int> knobs;  ///< positions in the branch
    std::vector<std::size_t> strides;
    std::vector<std::uint8_t> truth;  ///< of a constraint; empty where counts are set
    std::vector<double> counts;
    double at(const CandidateIndices& chosen) const;
  };
  struct Elimination {
    int knob = 0;
    int candidates = 0;
    std::vector<Factor> factors;  ///< those that read the knob when it was eliminated
  };

  static Factor make_factor(const Branch& branch, std::vector<int> knobs);
  bool eliminate(const Branch& branch, const std::vector<int>& constraints);
  void estimate(const Branch& branch);
  bool reject(const Branch& branch, std::mt19937_64& random, CandidateIndices& chosen, int trials) const;

  std::vector<int> knobs_;
  std::vector<int> constraints_;
  std::vector<std::vector<int>> positions_;  ///< of each constraint's knobs
  std::vector<Elimination> eliminations_;    ///< in order; empty for an estimated group
  double count_ = 0;
  bool estimated_ = false;
};

}  // namespace nestwright
