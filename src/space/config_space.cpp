#include "nestwright/config_space.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "nestwright/error.h"
#include "space/branch_plan.h"
#include "space/branch_points.h"
#include "space/knob_group.h"
#include "space/random_index.h"

namespace nestwright {

namespace {

void check_branch(const Branch& branch) {
  std::set<std::string> names;
  for (const Knob& knob : branch.knobs) {
    if (!names.insert(knob.name).second)
      throw InternalError("the knob '" + knob.name + "' is defined twice in one branch");
    if (knob.candidates.empty()) throw InternalError("the knob '" + knob.name + "' has no candidates");
    if (!knob.labels.empty() && knob.labels.size() != knob.candidates.size()) {
      throw InternalError("the knob '" + knob.name + "' has another number of labels than of candidates");
    }
  }
}

void check_constraints(const Branch& branch, const std::vector<std::vector<int>>& positions) {
  for (std::size_t c = 0; c < positions.size(); ++c) {
    if (positions[c].empty()) {
      throw InternalError("the constraint '" + branch.constraints[c].reason + "' names no knob");
    }
  }
}

/// Groups the knobs that constraints connect, with these constraints, by union-find over the knobs.
std::vector<KnobGroup> connected_groups(const Branch& branch, const std::vector<std::vector<int>>& positions) {
  std::vector<int> root(branch.knobs.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](int knob) {
    while (root[knob] != knob) knob = root[knob] = root[root[knob]];
    return knob;
  };
  for (const std::vector<int>& connected : positions) {
    for (const int knob : connected) root[find(knob)] = find(connected[0]);
  }
  std::vector<KnobGroup> groups;
  for (int knob = 0; knob < static_cast<int>(branch.knobs.size()); ++knob) {
    if (find(knob) != knob) continue;
    std::vector<int> knobs, constraints;
    for (int other = 0; other < static_cast<int>(branch.knobs.size()); ++other) {
      if (find(other) == knob) knobs.push_back(other);
    }
    for (std::size_t c = 0; c < positions.size(); ++c) {
      if (find(positions[c][0]) == knob) constraints.push_back(static_cast<int>(c));
    }
    groups.emplace_back(branch, std::move(knobs), constraints);
  }
  return groups;
}

/// The branches that take another option for choice `knob` of `from` and agree in as many other choices as possible.
std::vector<int> branches_across(const std::vector<Branch>& branches, const Branch& from, const Knob& knob) {
  std::vector<int> nearest;
  int most = -1;
  for (std::size_t b = 0; b < branches.size(); ++b) {
    int agreeing = 0;
    bool differs = false;
    for (const Knob& there : branches[b].knobs) {
      if (there.kind != KnobKind::kChoice) break;
      const Knob* const here = find_knob(from, there.name);
      if (here == nullptr || here->kind != KnobKind::kChoice) continue;
      const bool same = here->candidates == there.candidates;
      if (there.name == knob.name) {
        differs = !same;
      } else if (same) {
        ++agreeing;
      }
    }
    if (!differs || agreeing < most) continue;
    if (agreeing > most) nearest.clear();
    most = agreeing;
    nearest.push_back(static_cast<int>(b));
  }
  return nearest;
}

unsigned __int128 branch_size(const Branch& branch) {
  unsigned __int128 size = 1;
  for (const Knob& knob : branch.knobs) size *= knob.candidates.size();
  return size;
}

}  // namespace

const ConfigSpace::BranchPlan::Points& ConfigSpace::BranchPlan::points(const std::vector<Branch>& branches,
                                                                       std::size_t number) const {
  std::call_once(once_, [&] {
    const Branch& branch = branches[number];
    points_.groups = connected_groups(branch, positions);
    points_.valid.points = 1;
    for (const Knob& knob : branch.knobs) {
      points_.across.push_back(knob.kind == KnobKind::kChoice ? branches_across(branches, branch, knob)
                                                              : std::vector<int>());
    }
    for (const KnobGroup& group : points_.groups) {
      points_.valid.points *= group.count();
      points_.valid.estimated |= group.is_estimated();
    }
  });
  return points_;
}

ConfigSpace::ConfigSpace(std::vector<Branch> branches, std::vector<LeftOutBranch> left_out)
    : branches_(std::move(branches)) {
  const auto plans = std::make_shared<Plans>(std::vector<BranchPlan>(branches_.size()), std::move(left_out));
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    check_branch(branches_[b]);
    plans->branches[b].positions = all_constraint_positions(branches_[b]);
    check_constraints(branches_[b], plans->branches[b].positions);
  }
  plans_ = plans;
}

const std::vector<LeftOutBranch>& ConfigSpace::left_out() const {
  static const std::vector<LeftOutBranch> none;
  return plans_ == nullptr ? none : plans_->left_out;
}

PointCount ConfigSpace::count_all() const {
  PointCount count;
  for (const Branch& branch : branches_) {
    double points = 1;
    for (const Knob& knob : branch.knobs) points *= static_cast<double>(knob.candidates.size());
    count.points += points;
  }
  return count;
}

const Knob* find_knob(const Branch& branch, std::string_view name) {
  const auto found =
      std::find_if(branch.knobs.begin(), branch.knobs.end(), [&](const Knob& knob) { return knob.name == name; });
  return found == branch.knobs.end() ? nullptr : &*found;
}

PointCount ConfigSpace::count_valid() const {
  PointCount count;
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const PointCount& valid = plans_->branches[b].points(branches_, b).valid;
    count.points += valid.points;
    count.estimated |= valid.estimated;
  }
  return count;
}

std::optional<Config> ConfigSpace::sample(std::mt19937_64& random, BranchWeight weight) const {
  std::vector<double> weights;
  for (std::size_t b = 0; b < branches_.size(); ++b) {
    const double points = plans_->branches[b].points(branches_, b).valid.points;
    weights.push_back(weight == BranchWeight::kEqual && points > 0 ? 1 : points);
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(total > 0)) return std::nullopt;
  // An estimated branch may have no valid point; another draw then picks another branch.
  for (int attempt = 0; attempt < 4; ++attempt) {
    double mark = random_unit(random) * total;
    std::size_t pick = 0;
    for (std::size_t b = 0; b < branches_.size(); ++b) {
      if (weights[b] <= 0) continue;
      pick = b;
      mark -= weights[b];
      if (mark < 0) break;
    }
    const Branch& branch = branches_[pick];
    CandidateIndices chosen(branch.knobs.size(), 0);
    const auto& groups = plans_->branches[pick].points(branches_, pick).groups;
    if (std::all_of(groups.begin(), groups.end(),
                    [&](const KnobGroup& group) { return group.sample(branch, random, chosen); })) {
      return make_config(branch, chosen);
    }
  }
  return std::nullopt;
}

unsigned __int128 ConfigSpace::size() const {
  unsigned __int128 size = 0;
  for (const Branch& branch : branches_) size += branch_size(branch);
  return size;
}

Config ConfigSpace::at(unsigned __int128 index) const {
  for (const Branch& branch : branches_) {
    const unsigned __int128 size = branch_size(branch);
    if (index >= size) {
      index -= size;
      continue;
    }
    CandidateIndices chosen(branch.knobs.size(), 0);
    for (std::size_t knob = branch.knobs.size(); knob-- > 0;) {
      const std::size_t radix = branch.knobs[knob].candidates.size();
      chosen[knob] = static_cast<int>(index % radix);
      index /= radix;
    }
    return make_config(branch, chosen);
  }
  throw UsageError("the index of a configuration is past the end of its space");
}

}  // namespace nestwright
