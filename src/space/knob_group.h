// The knobs of one branch that constraints connect, directly or through others, and how to count and sample their valid
// tuples. Knobs are eliminated one after the other, as in a Bayesian network: the number of valid completions is summed
// out into a table over the knobs that its constraints share with it, so that the cost follows the constraints and not
// the product of the candidates. Sampling goes back through the tables and is exactly uniform. Thread rule: immutable
// once built; any thread may read it.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "space/config_space.h"

namespace nestwright {

/// Index of the candidate of every knob of a branch.
using CandidateIndices = std::vector<int>;

/// Whether `constraint`, which reads the knobs at `positions` of the branch, holds.
bool constraint_holds(const Branch& branch, const Constraint& constraint, const std::vector<int>& positions,
                      const CandidateIndices& chosen);

/// Positions in the branch of the knobs that a constraint names. Throws InternalError for a knob that is not there.
std::vector<int> constraint_positions(const Branch& branch, const Constraint& constraint);

class KnobGroup {
 public:
  /// No table of an elimination may have more entries than this; beyond, the count is an estimate and sampling rejects.
  static constexpr double kLargestTable = 1e7;

  /// `knobs` are positions in the branch, `constraints` indices of those that read them.
  KnobGroup(const Branch& branch, std::vector<int> knobs, const std::vector<int>& constraints);

  const std::vector<int>& knobs() const { return knobs_; }
  double count() const { return count_; }
  bool estimated() const { return estimated_; }
  /// Sets the group's knobs in `chosen` to a valid tuple, uniformly. False where there is none, or where none was found
  /// in 100,000 trials of an estimated group. `branch` is the one that it was built from.
  bool sample(const Branch& branch, std::mt19937_64& random, CandidateIndices& chosen) const;

 private:
  /// A function of some of the knobs: the truth of a constraint, or the valid completions of what was eliminated.
  struct Factor {
    std::vector<int> knobs;  ///< positions in the branch
    std::vector<std::size_t> strides;
    std::vector<std::uint8_t> truth;  ///< of a constraint; empty for counts
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
