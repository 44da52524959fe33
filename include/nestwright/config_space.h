// Configurations, the spaces that they come from, and the parts of spaces that a search stays within.
//
// A configuration has one value for every knob of one branch of a space. The space of a template is a union of
// branches, one for each reachable combination of choices, each with its own knobs and constraints.
//
// Thread rule:
// values; a ConfigSpace is immutable once built, and any thread may read it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace nestwright {

/// The value of a knob: split factors, a permutation, one number, or the index of a choice's option.
using KnobValue = std::vector<std::int64_t>;

struct ConfigEntry {
  std::string knob;
  KnobValue value;
  std::string label;  ///< the option's name, for choices and annotations; empty otherwise
  friend bool operator==(const ConfigEntry&, const ConfigEntry&) = default;
};

/// The entries are in the order in which the template defines the knobs.
class Config {
 public:
  Config() = default;
  explicit Config(std::vector<ConfigEntry> entries) : entries_(std::move(entries)) {}
  const std::vector<ConfigEntry>& entries() const { return entries_; }
  /// Replaces the entry of `knob`, or appends one.
  void set(std::string_view knob, KnobValue value, std::string label = {});
  /// The entry of `knob`; nullptr where there is none.
  const ConfigEntry* find(std::string_view knob) const;
  /// The text that people read and parse() accepts: "tile_i=[4,2,14] pack_b=yes unroll_k=4".
  std::string str() const;
  /// The inverse of str(), except that labels are left to ConfigSpace::resolve. Throws UsageError that names the
  /// malformed part.
  static Config parse(std::string_view text);
  /// Stable across runs and machines.
  std::uint64_t hash() const;
  friend bool operator==(const Config&, const Config&) = default;

 private:
  std::vector<ConfigEntry> entries_;
};

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
  /// The branches that discovery left out; empty for a part of a space.
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

// A condition over knobs, as users write it for `tune --only`:
//
//   register_rows * register_vectors <= 24 and (pack_b == whole or tile[1] >= 64)
//
// Operands are integers, knobs (those of a stage with a dot, as C.rows), and knob[i] for part i of a knob of
// several parts, combined by + - * / % and parentheses and compared by < <= > >= == !=. / and % round towards minus
// infinity; a comparison of an operand that is divided by 0 does not hold. A knob with options is compared by
// == or != with one of them. Where some branches have options and others numbers, a condition fits those for which it
// has a meaning. `and` binds more tightly than `or`.
class KnobCondition {
 public:
  /// Throws UsageError that names the character where `text` is malformed and what was expected there.
  static KnobCondition parse(std::string_view text);
  const std::string& text() const { return text_; }
  /// Throws UsageError, with the character, where a name is neither a knob of any of the branches nor an option beside
  /// its knob, or a knob lacks its part or is used as a number although it has options in every branch that has it.
  void check(std::span<const Branch* const> branches) const;
  /// The condition as a constraint on `branch`. nullopt where it has no meaning there: the branch lacks one of its
  /// knobs or parts, has options where the condition compares numbers, or numbers where it names an option. A knob with
  /// options is unequal to an option that it does not have in this branch.
  std::optional<Constraint> over(const Branch& branch) const;

  struct Node;

 private:
  std::string text_;
  std::shared_ptr<const Node> root_;
};

struct Restriction {
  Config fixed;                     ///< knobs with the values that they keep; options by their labels
  std::vector<KnobCondition> only;  ///< all of them hold

  bool empty() const { return fixed.entries().empty() && only.empty(); }
  /// As on the command line: --fix unroll_k=4 --only "tile_m <= 64".
  std::string str() const;
};

/// Throws UsageError, which lists the legal names or values, for a knob that no space has, a value that is a candidate
/// of none of its knobs, and a condition that KnobCondition::check refuses.
void check_restriction(const Restriction& restriction, std::span<const ConfigSpace* const> spaces);

/// The points of `space` that keep the fixed values and fulfil the conditions. A branch that lacks one of the knobs has
/// no such points; the result may have no branches. Labels of fixed values need not be resolved; an index without its
/// label denotes no option.
ConfigSpace restrict_space(const ConfigSpace& space, const Restriction& restriction);

}  // namespace nestwright

#pragma GCC visibility pop
