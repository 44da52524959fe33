#include "space/feasibility.h"

#include <algorithm>
#include <optional>

#include "space/branch_points.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxResults = 1 << 16;  // of a constraint that are kept
constexpr std::int64_t kMaxChecks = 100'000;  // of constraints in one search: some milliseconds
constexpr std::size_t kMaxPaired = 24;        // reasons of which pairs are tried

}  // namespace

/// A search for values of some knobs, depth first. The values of a point that was found come first: most other points
/// differ from it in few.
struct BranchFeasibility::Search {
  BranchFeasibility& of;
  const std::vector<bool>& removed;
  std::vector<int> order;
  std::vector<std::vector<std::size_t>> checks;  ///< constraints that can be checked after each knob of `order`
  CandidateIndices chosen;
  std::int64_t left = kMaxChecks;

  Search(BranchFeasibility& feasibility, const std::vector<bool>& removed_reasons, std::vector<int> knobs)
      : of(feasibility),
        removed(removed_reasons),
        order(std::move(knobs)),
        checks(order.size()),
        chosen(feasibility.branch_.knobs.size(), 0) {
    std::vector<std::size_t> depth(of.branch_.knobs.size(), order.size());
    for (std::size_t d = 0; d < order.size(); ++d) depth[static_cast<std::size_t>(order[d])] = d;
    for (std::size_t c = 0; c < of.constraints_.size(); ++c) {
      if (removed[of.constraints_[c].reason]) continue;
      std::size_t last = 0;
      for (const int knob : of.constraints_[c].knobs) last = std::max(last, depth[static_cast<std::size_t>(knob)]);
      if (last < order.size()) checks[last].push_back(c);
    }
  }

  /// Whether the chosen values of the first `depth` + 1 knobs can be completed; nullopt: it takes too long to tell.
  std::optional<bool> completes(std::size_t depth) {
    for (const std::size_t c : checks[depth]) {
      if (left-- <= 0) return std::nullopt;
      if (!of.holds(c, chosen)) return false;
    }
    if (depth + 1 == order.size()) return true;
    const auto next = static_cast<std::size_t>(order[depth + 1]);
    const auto count = static_cast<int>(of.branch_.knobs[next].candidates.size());
    for (int i = 0; i < count; ++i) {
      chosen[next] = (of.valid_[next] + i) % count;
      const std::optional<bool> found = completes(depth + 1);
      if (!found || *found) return found;
    }
    return false;
  }
};

BranchFeasibility::BranchFeasibility(const Branch& branch) : branch_(branch), valid_(branch.knobs.size(), 0) {
  for (const Knob& knob : branch.knobs) is_known_.emplace_back(knob.candidates.size(), false);
  for (const Constraint& constraint : branch.constraints) {
    Known& known = constraints_.emplace_back();
    known.knobs = constraint_positions(branch, constraint);
    std::size_t size = 1;
    for (const int knob : known.knobs) {
      known.strides.push_back(size);
      size = std::min(size * branch.knobs[static_cast<std::size_t>(knob)].candidates.size(), kMaxResults + 1);
    }
    if (size <= kMaxResults) known.results.assign(size, -1);
    const auto found = std::find(reasons_.begin(), reasons_.end(), constraint.reason);
    known.reason = static_cast<std::size_t>(found - reasons_.begin());
    if (found == reasons_.end()) reasons_.push_back(constraint.reason);
  }
}

bool BranchFeasibility::holds(std::size_t constraint, const CandidateIndices& chosen) {
  Known& known = constraints_[constraint];
  const auto compute = [&] { return constraint_holds(branch_, branch_.constraints[constraint], known.knobs, chosen); };
  if (known.results.empty()) return compute();
  std::size_t index = 0;
  for (std::size_t i = 0; i < known.knobs.size(); ++i) {
    index += known.strides[i] * static_cast<std::size_t>(chosen[static_cast<std::size_t>(known.knobs[i])]);
  }
  std::int8_t& result = known.results[index];
  if (result < 0) result = compute() ? 1 : 0;
  return result == 1;
}

std::vector<int> BranchFeasibility::connected_order(const std::vector<bool>& removed, int first) const {
  std::vector<int> order{first};
  const auto is_placed = [&](int knob) { return std::find(order.begin(), order.end(), knob) != order.end(); };
  while (true) {
    // The constraint with the fewest knobs that are still to be placed can be checked first.
    std::vector<int> next;
    for (const Known& constraint : constraints_) {
      if (removed[constraint.reason]) continue;
      std::vector<int> missing;
      for (const int knob : constraint.knobs) {
        if (!is_placed(knob) && std::find(missing.begin(), missing.end(), knob) == missing.end()) {
          missing.push_back(knob);
        }
      }
      const bool is_connected = missing.size() < constraint.knobs.size();
      if (is_connected && !missing.empty() && (next.empty() || missing.size() < next.size())) next = std::move(missing);
    }
    if (next.empty()) return order;
    order.insert(order.end(), next.begin(), next.end());
  }
}

bool BranchFeasibility::is_possible_without(const std::vector<bool>& removed, int knob, int candidate) {
  std::vector<bool> is_searched(branch_.knobs.size(), false);
  CandidateIndices point(branch_.knobs.size(), 0);
  const auto search_from = [&](int first, std::size_t begin, std::size_t end) -> std::optional<bool> {
    Search search(*this, removed, connected_order(removed, first));
    for (const int each : search.order) is_searched[static_cast<std::size_t>(each)] = true;
    for (std::size_t i = begin; i < end; ++i) {
      search.chosen[static_cast<std::size_t>(first)] = static_cast<int>(i);
      const std::optional<bool> found = search.completes(0);
      if (!found || *found) {
        for (const int each : search.order)
          point[static_cast<std::size_t>(each)] = search.chosen[static_cast<std::size_t>(each)];
        return found;
      }
    }
    return false;
  };
  const auto fixed = static_cast<std::size_t>(candidate);
  std::optional<bool> is_possible = search_from(knob, fixed, fixed + 1);
  // Knobs that no constraint connects with this one have values of their own.
  for (std::size_t other = 0; other < branch_.knobs.size() && is_possible.value_or(false); ++other) {
    if (is_searched[other]) continue;
    is_possible = search_from(static_cast<int>(other), 0, branch_.knobs[other].candidates.size());
  }
  if (is_possible.value_or(false) && std::find(removed.begin(), removed.end(), true) == removed.end()) {
    for (std::size_t k = 0; k < point.size(); ++k) is_known_[k][static_cast<std::size_t>(point[k])] = true;
    valid_ = point;
  }
  if (is_possible) return *is_possible;
  Branch part = branch_;
  Knob& of_part = part.knobs[static_cast<std::size_t>(knob)];
  of_part.candidates = {of_part.candidates[fixed]};
  if (!of_part.labels.empty()) of_part.labels = {of_part.labels[fixed]};
  std::vector<Constraint> kept;
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    if (!removed[constraints_[c].reason]) kept.push_back(branch_.constraints[c]);
  }
  part.constraints = std::move(kept);
  return ConfigSpace({std::move(part)}).count_valid().points > 0;
}

bool BranchFeasibility::is_possible(int knob, int candidate) {
  if (is_known_[static_cast<std::size_t>(knob)][static_cast<std::size_t>(candidate)]) return true;
  return is_possible_without(std::vector<bool>(reasons_.size(), false), knob, candidate);
}

std::vector<std::vector<std::string>> BranchFeasibility::excluded_by(int knob, int candidate) {
  const std::size_t count = reasons_.size();
  std::vector<std::vector<std::string>> sets;
  std::vector<bool> removed(count, false);
  for (std::size_t a = 0; a < count; ++a) {
    removed[a] = true;
    if (is_possible_without(removed, knob, candidate)) sets.push_back({reasons_[a]});
    removed[a] = false;
  }
  if (!sets.empty()) return sets;
  for (std::size_t a = 0; a < count && count <= kMaxPaired; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      removed[a] = removed[b] = true;
      if (is_possible_without(removed, knob, candidate)) return {{reasons_[a], reasons_[b]}};
      removed[a] = removed[b] = false;
    }
  }
  // Without any constraint every point is valid: constraints are put back as long as one is.
  removed.assign(count, true);
  std::vector<std::string> needed;
  for (std::size_t a = 0; a < count; ++a) {
    removed[a] = false;
    if (is_possible_without(removed, knob, candidate)) continue;
    removed[a] = true;
    needed.push_back(reasons_[a]);
  }
  return {needed};
}

}  // namespace nestwright
