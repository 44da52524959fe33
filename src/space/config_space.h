// The space of configurations of a template: a union of branches, one for each reachable combination of choices, each
// with its own knobs and constraints. A mixed-radix index over the knobs addresses the points of a branch. Counting and
// sampling work per group of knobs that constraints connect (knob_group.h) and never enumerate the product of all
// knobs.
// Thread rule: immutable once built; any thread may read it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "space/config.h"

namespace nestwright {

enum class KnobKind : std::uint8_t { kChoice, kSplit, kReorder, kAnnotate, kKnob };

/// A named parameter of a schedule with its candidate values.
struct Knob {
  std::string name;
  KnobKind kind = KnobKind::kKnob;
  std::vector<KnobValue> candidates;
  std::vector<std::string> labels;  ///< one for each candidate, or empty
};

/// A condition on the values of the named knobs, which `holds` takes in that order.
struct Constraint {
  std::vector<std::string> knobs;
  std::function<bool(std::span<const KnobValue>)> holds;
  std::string reason;  ///< what a violation means, e.g. "register tile larger than the register file"
};

/// The knobs that exist under one combination of choices. The choices come first and have one candidate each.
struct Branch {
  std::vector<Knob> knobs;
  std::vector<Constraint> constraints;
};

/// A combination of choices that is no branch of the space, because it has no legal schedule.
struct LeftOutBranch {
  std::string choices;  ///< as "pack_b=block parallel=none"; empty: the template makes none
  std::string reason;   ///< why there is no schedule
};

/// The knob of that name; nullptr where the branch lacks it.
const Knob* find_knob(const Branch& branch, std::string_view name);

struct PointCount {
  double points = 0;
  bool estimated = false;  ///< a connected group is too large to count
};

/// How sampling weights the branches.
enum class BranchWeight : std::uint8_t {
  kPoints,  ///< by its number of valid points, so that the sample is uniform
  kEqual,   ///< equally, if it has valid points, so that a large branch does not hide a small one
};

class ConfigSpace {
 public:
  ConfigSpace() = default;
  /// Throws InternalError for a knob that is defined twice or has no candidates, and for a constraint over a knob that
  /// its branch does not have.
  explicit ConfigSpace(std::vector<Branch> branches, std::vector<LeftOutBranch> left_out = {});
  const std::vector<Branch>& branches() const { return branches_; }
  /// What discovery left out; nothing in a part of a space.
  const std::vector<LeftOutBranch>& left_out() const;
  /// The number of points, valid or not.
  PointCount count_all() const;
  /// The number of valid points.
  PointCount count_valid() const;
  /// A valid point, drawn uniformly from its branch. nullopt where there is none, or where none was found in an
  /// estimated group.
  std::optional<Config> sample(std::mt19937_64& random, BranchWeight weight = BranchWeight::kPoints) const;
  /// The number of points, valid or not, as an exact bound of the index. 128 bits, as spaces have 10^12 points and
  /// more.
  unsigned __int128 size() const;
  /// The point at `index`, valid or not, counted through all branches in order. Throws UsageError where index >=
  /// size().
  Config at(unsigned __int128 index) const;
  bool is_valid(const Config& config) const;
  /// The constraint or knob that `config` violates, as a sentence. Empty where it is valid.
  std::string why_invalid(const Config& config) const;
  /// A valid neighbour in which `changes` knobs have other values; a changed choice redraws the knobs that depend on
  /// it. nullopt where none was found.
  std::optional<Config> mutate(const Config& config, int changes, std::mt19937_64& random) const;
  /// A valid mix of two parents of one branch. nullopt where none was found.
  std::optional<Config> crossover(const Config& a, const Config& b, std::mt19937_64& random) const;
  /// `parsed` with values for its labels. Throws UsageError, naming the knob and its candidates, for an illegal value.
  Config resolve(const Config& parsed) const;

 private:
  struct BranchPlan;  ///< constraint positions and, computed on first use, knob groups and counts
  struct Plans;       ///< those of all branches, and what was left out

  std::vector<Branch> branches_;
  std::shared_ptr<const Plans> plans_;
};

}  // namespace nestwright
