// The space of configurations of one template: a union of branches, one for every reachable combination of choices,
// each with its own knobs and constraints. Points of a branch are addressed by a mixed-radix index over its knobs.
// Nothing here enumerates a product of knobs: counting and sampling work per group of knobs that constraints connect
// (knob_group.h). Thread rule: immutable once built; any thread may read it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "space/config.h"

namespace nestwright {

enum class KnobKind : std::uint8_t { kChoice, kSplit, kReorder, kAnnotate, kKnob };

struct Knob {
  std::string name;
  KnobKind kind = KnobKind::kKnob;
  std::vector<KnobValue> candidates;
  std::vector<std::string> labels;  ///< one a candidate, or none
};

/// Over the values of the named knobs, in that order.
struct Constraint {
  std::vector<std::string> knobs;
  std::function<bool(std::span<const KnobValue>)> holds;
  std::string reason;  ///< what a refused point violates, e.g. "register tile larger than the register file"
};

/// The knobs that exist under one combination of choices; the choices come first, with one candidate each.
struct Branch {
  std::vector<Knob> knobs;
  std::vector<Constraint> constraints;
};

struct PointCount {
  double points = 0;
  bool estimated = false;  ///< a connected group was too large to count
};

class ConfigSpace {
 public:
  ConfigSpace() = default;
  /// Throws InternalError for a knob that is defined twice or has no candidates, and for a constraint over a knob that
  /// its branch does not have.
  explicit ConfigSpace(std::vector<Branch> branches);
  const std::vector<Branch>& branches() const { return branches_; }
  PointCount count_all() const;
  PointCount count_valid() const;
  /// Uniform over the valid points. nullopt where there is none (or, in an estimated group, none was found).
  std::optional<Config> sample(std::mt19937_64& random) const;
  /// The index-th valid-or-not point, over all branches in order; `size()` bounds it. 128 bits: spaces of 10^12 and
  /// more.
  unsigned __int128 size() const;
  /// Throws UsageError for an index that is not below size().
  Config at(unsigned __int128 index) const;
  bool is_valid(const Config& config) const;
  /// The constraint or knob that `config` violates, as a sentence; empty where it is valid.
  std::string why_invalid(const Config& config) const;
  /// A valid neighbour: `changes` knobs take another value (a choice's change re-samples what depends on it).
  std::optional<Config> mutate(const Config& config, int changes, std::mt19937_64& random) const;
  /// A valid mix of two parents of the same branch, or nullopt.
  std::optional<Config> crossover(const Config& a, const Config& b, std::mt19937_64& random) const;
  /// Replaces labels by values and checks every knob. Throws UsageError that names knob and candidates.
  Config resolve(const Config& parsed) const;

 private:
  struct BranchPlan;  ///< the positions of constraints and, once they are asked for, groups and numbers of points

  std::vector<Branch> branches_;
  std::shared_ptr<const std::vector<BranchPlan>> plans_;
};

}  // namespace nestwright
