#include "space/knob_group.h"

#include <algorithm>
#include <limits>
#include <set>

#include "nestwright/error.h"
#include "space/random_index.h"

namespace nestwright {
namespace {

constexpr int kEstimateTrials = 100'000;
constexpr int kSampleTrials = 100'000;

int candidates_of(const Branch& branch, int knob) { return static_cast<int>(branch.knobs[knob].candidates.size()); }

/// Product of the candidates of some knobs.
double product(const Branch& branch, const std::vector<int>& knobs) {
  double size = 1;
  for (const int knob : knobs) size *= candidates_of(branch, knob);
  return size;
}

/// Advances `chosen` to the next tuple of `knobs`, the last knob varying fastest; false after the last tuple.
bool next_tuple(const Branch& branch, const std::vector<int>& knobs, CandidateIndices& chosen) {
  for (std::size_t i = knobs.size(); i-- > 0;) {
    if (++chosen[knobs[i]] < candidates_of(branch, knobs[i])) return true;
    chosen[knobs[i]] = 0;
  }
  return false;
}

}  // namespace

std::vector<int> constraint_positions(const Branch& branch, const Constraint& constraint) {
  std::vector<int> positions;
  for (const std::string& name : constraint.knobs) {
    const Knob* const found = find_knob(branch, name);
    if (found == nullptr) {
      throw InternalError("the constraint '" + constraint.reason + "' names the knob '" + name +
                          "', which its branch does not have");
    }
    positions.push_back(static_cast<int>(found - branch.knobs.data()));
  }
  return positions;
}

bool constraint_holds(const Branch& branch, const Constraint& constraint, const std::vector<int>& positions,
                      const CandidateIndices& chosen) {
  // Reused between calls, since this runs for every entry of a table.
  thread_local std::vector<KnobValue> values;
  values.resize(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    values[i] = branch.knobs[positions[i]].candidates[chosen[positions[i]]];
  }
  return constraint.holds(values);
}

double KnobGroup::Factor::at(const CandidateIndices& chosen) const {
  std::size_t index = 0;
  for (std::size_t i = 0; i < knobs.size(); ++i) index += strides[i] * static_cast<std::size_t>(chosen[knobs[i]]);
  return truth.empty() ? counts[index] : truth[index];
}

KnobGroup::Factor KnobGroup::make_factor(const Branch& branch, std::vector<int> knobs) {
  Factor factor;
  factor.strides.resize(knobs.size());
  std::size_t stride = 1;
  for (std::size_t i = knobs.size(); i-- > 0;) {
    factor.strides[i] = stride;
    stride *= static_cast<std::size_t>(candidates_of(branch, knobs[i]));
  }
  factor.knobs = std::move(knobs);
  return factor;
}

KnobGroup::KnobGroup(const Branch& branch, std::vector<int> knobs, const std::vector<int>& constraints)
    : knobs_(std::move(knobs)), constraints_(constraints) {
  for (const int constraint : constraints_) {
    positions_.push_back(constraint_positions(branch, branch.constraints[constraint]));
  }
  if (!eliminate(branch, constraints_)) estimate(branch);
}

bool KnobGroup::eliminate(const Branch& branch, const std::vector<int>& constraints) {
  std::vector<Factor> factors;
  CandidateIndices chosen(branch.knobs.size(), 0);
  for (std::size_t c = 0; c < constraints.size(); ++c) {
    std::vector<int> scope = positions_[c];
    std::sort(scope.begin(), scope.end());
    scope.erase(std::unique(scope.begin(), scope.end()), scope.end());
    if (product(branch, scope) > kMaxTableSize) return false;
    Factor factor = make_factor(branch, scope);
    factor.truth.reserve(static_cast<std::size_t>(product(branch, scope)));
    do {
      factor.truth.push_back(constraint_holds(branch, branch.constraints[constraints[c]], positions_[c], chosen) ? 1
                                                                                                                 : 0);
    } while (next_tuple(branch, scope, chosen));
    factors.push_back(std::move(factor));
  }

  double total = 1;
  std::vector<int> left = knobs_;
  while (!left.empty()) {
    // Eliminate the knob with the smallest table first.
    std::size_t best = 0;
    std::vector<int> best_scope;
    double best_size = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::set<int> scope{left[i]};
      for (const Factor& factor : factors) {
        if (std::find(factor.knobs.begin(), factor.knobs.end(), left[i]) == factor.knobs.end()) continue;
        scope.insert(factor.knobs.begin(), factor.knobs.end());
      }
      std::vector<int> candidate(scope.begin(), scope.end());
      const double size = product(branch, candidate);
      if (size < best_size) {
        best = i;
        best_size = size;
        best_scope = std::move(candidate);
      }
    }
    if (best_size > kMaxTableSize) {
      eliminations_.clear();
      return false;
    }
    Elimination elimination;
    elimination.knob = left[best];
    elimination.candidates = candidates_of(branch, left[best]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    std::vector<Factor> others;
    for (Factor& factor : factors) {
      const bool reads = std::find(factor.knobs.begin(), factor.knobs.end(), elimination.knob) != factor.knobs.end();
      (reads ? elimination.factors : others).push_back(std::move(factor));
    }
    factors = std::move(others);
    std::erase(best_scope, elimination.knob);
    Factor rest = make_factor(branch, best_scope);
    rest.counts.reserve(static_cast<std::size_t>(best_size / elimination.candidates));
    do {
      double sum = 0;
      for (chosen[elimination.knob] = 0; chosen[elimination.knob] < elimination.candidates;
           ++chosen[elimination.knob]) {
        double completions = 1;
        for (const Factor& factor : elimination.factors) {
          completions *= factor.at(chosen);
          if (completions == 0) break;
        }
        sum += completions;
      }
      chosen[elimination.knob] = 0;
      rest.counts.push_back(sum);
    } while (next_tuple(branch, best_scope, chosen));
    if (best_scope.empty()) {
      total *= rest.counts[0];
    } else {
      factors.push_back(std::move(rest));
    }
    eliminations_.push_back(std::move(elimination));
  }
  count_ = total;
  return true;
}

void KnobGroup::estimate(const Branch& branch) {
  estimated_ = true;
  std::mt19937_64 random(0x6e657374);  // fixed seed: the printed count of a space is the same in every run
  CandidateIndices chosen(branch.knobs.size(), 0);
  int hits = 0;
  for (int i = 0; i < kEstimateTrials; ++i) hits += reject(branch, random, chosen, 1) ? 1 : 0;
  // A group without a hit may still have points; counting half a hit keeps it from being taken for empty.
  count_ = product(branch, knobs_) * std::max(0.5, static_cast<double>(hits)) / kEstimateTrials;
}

bool KnobGroup::reject(const Branch& branch, std::mt19937_64& random, CandidateIndices& chosen, int trials) const {
  for (int trial = 0; trial < trials; ++trial) {
    for (const int knob : knobs_) {
      chosen[knob] = static_cast<int>(random_index(random, branch.knobs[knob].candidates.size()));
    }
    bool valid = true;
    for (std::size_t c = 0; c < constraints_.size() && valid; ++c) {
      valid = constraint_holds(branch, branch.constraints[constraints_[c]], positions_[c], chosen);
    }
    if (valid) return true;
  }
  return false;
}

bool KnobGroup::sample(const Branch& branch, std::mt19937_64& random, CandidateIndices& chosen) const {
  if (estimated_) return reject(branch, random, chosen, kSampleTrials);
  if (count_ <= 0) return false;
  std::vector<double> weights;
  for (std::size_t e = eliminations_.size(); e-- > 0;) {
    const Elimination& elimination = eliminations_[e];
    weights.assign(static_cast<std::size_t>(elimination.candidates), 1);
    double sum = 0;
    for (int i = 0; i < elimination.candidates; ++i) {
      chosen[elimination.knob] = i;
      for (const Factor& factor : elimination.factors) weights[i] *= factor.at(chosen);
      sum += weights[i];
    }
    double mark = random_unit(random) * sum;
    int pick = -1;
    for (int i = 0; i < elimination.candidates; ++i) {
      if (weights[i] <= 0) continue;
      pick = i;  // where rounding leaves a rest of `mark`, the last candidate with a weight is picked
      mark -= weights[i];
      if (mark < 0) break;
    }
    check(pick >= 0, "a knob without a valid candidate was reached while sampling");
    chosen[elimination.knob] = pick;
  }
  return true;
}

}  // namespace nestwright
