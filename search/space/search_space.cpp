#include "search/space/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "nestwright/error.h"
#include "space/random_index.h"
#include "templates/framework/space/completion.h"
#include "templates/framework/space/discover.h"

namespace nestwright {

SearchSpace::SearchSpace(const TaskContext& context, std::string_view only, const Restriction& restriction)
    : context_(context) {
  std::vector<std::vector<Config>> seeds;
  for (const Template* source : context.templates(only)) {
    const auto has_same_name = [&](const Member& m) { return m.source->name == source->name; };
    check(std::none_of(members_.begin(), members_.end(), has_same_name), "an operator has two templates of one name");
    const ConfigSpace& space = context.space(*source);
    if (space.branches().empty()) continue;
    seeds.push_back(context.seeds(*source));
    members_.push_back({source, space, std::nullopt});
  }
  if (members_.empty()) refuse_without_schedule(context.workload(), context.target(), only);
  if (!restriction.empty()) restrict_to(restriction);
  std::size_t longest = 0;
  for (const auto& list : seeds) longest = std::max(longest, list.size());
  for (std::size_t i = 0; i < longest; ++i) {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      if (i < seeds[m].size()) add_seed(members_[m], seeds[m][i]);
    }
  }
}

void SearchSpace::restrict_to(const Restriction& restriction) {
  std::vector<const ConfigSpace*> spaces;
  for (const Member& m : members_) spaces.push_back(&m.space);
  check_restriction(restriction, spaces);
  double valid = 0;
  for (Member& m : members_) {
    m.part = restrict_space(m.space, restriction);
    valid += m.valid_points();
  }
  if (valid == 0) {
    throw UsageError(fmt::format("no valid configuration of {} is left within {}: see nestwright space",
                                 task().workload.str(), restriction.str()));
  }
}

void SearchSpace::add_seed(const Member& member, const Config& seed) {
  std::optional<Config> config = seed;
  if (!member.searched().is_valid(seed)) {
    if (member.part && seeds_.empty()) has_default_ = false;
    config = member.part ? complete_within(*member.part, seed) : std::nullopt;
  }
  if (!config) return;
  Point point{member.source->name, member.source->version, std::move(*config)};
  if (std::find(seeds_.begin(), seeds_.end(), point) == seeds_.end()) seeds_.push_back(std::move(point));
}

std::optional<Point> SearchSpace::default_point() const {
  return seeds_.empty() || !has_default_ ? std::nullopt : std::optional(seeds_.front());
}

const SearchSpace::Member& SearchSpace::member(const Point& point) const {
  for (const Member& m : members_) {
    if (m.source->name == point.template_name && m.source->version == point.version) return m;
  }
  refuse_template(task(), point);
}

SearchSpace::SearchSpace(const SearchSpace& whole, const Member& member) : context_(whole.context_), members_{member} {
  std::copy_if(whole.seeds_.begin(), whole.seeds_.end(), std::back_inserter(seeds_),
               [&](const Point& seed) { return seed.template_name == member.source->name; });
}

std::vector<SearchSpace::Part> SearchSpace::parts() const {
  std::vector<Part> parts;
  if (members_.size() < 2) return parts;
  for (const Member& m : members_) {
    if (m.part && m.valid_points() == 0) continue;
    parts.push_back({m.source->name, std::unique_ptr<SearchSpace>(new SearchSpace(*this, m))});
  }
  return parts;
}

std::optional<Point> SearchSpace::sample(std::mt19937_64& random) const {
  std::vector<const Member*> filled;
  for (const Member& m : members_) {
    if (m.valid_points() > 0) filled.push_back(&m);
  }
  while (!filled.empty()) {
    const std::size_t drawn = random_index(random, filled.size());
    const Member& m = *filled[drawn];
    // Each sketch of a generated space is a branch.
    const BranchWeight weight = m.source->is_generic ? BranchWeight::kEqual : BranchWeight::kPoints;
    if (auto config = m.searched().sample(random, weight))
      return Point{m.source->name, m.source->version, std::move(*config)};
    filled.erase(filled.begin() + static_cast<std::ptrdiff_t>(drawn));
  }
  return std::nullopt;
}

std::optional<Point> SearchSpace::mutate(const Point& point, int changes, std::mt19937_64& random) const {
  auto config = member(point).searched().mutate(point.config, changes, random);
  if (!config) return std::nullopt;
  return Point{point.template_name, point.version, std::move(*config)};
}

std::optional<Point> SearchSpace::crossover(const Point& a, const Point& b, std::mt19937_64& random) const {
  if (a.template_name != b.template_name) return std::nullopt;
  auto config = member(a).searched().crossover(a.config, b.config, random);
  if (!config) return std::nullopt;
  return Point{a.template_name, a.version, std::move(*config)};
}

unsigned __int128 SearchSpace::size() const {
  unsigned __int128 total = 0;
  for (const Member& m : members_) total += m.searched().size();
  return total;
}

Point SearchSpace::at(unsigned __int128 index) const {
  for (const Member& m : members_) {
    if (index < m.searched().size()) return {m.source->name, m.source->version, m.searched().at(index)};
    index -= m.searched().size();
  }
  throw InternalError("internal error: a point's index is past the end of the space");
}

std::optional<Point> SearchSpace::find(const Point& point) const {
  const auto is_of = [&](const Member& m) {
    return m.source->name == point.template_name && m.source->version == point.version;
  };
  if (std::none_of(members_.begin(), members_.end(), is_of)) return std::nullopt;
  std::optional<Point> found = find_anywhere(point);
  if (found && is_restricted() && !member(*found).searched().is_valid(found->config)) return std::nullopt;
  return found;
}

std::optional<Point> SearchSpace::find_anywhere(const Point& point) const {
  const auto is_it = [&](const Member& m) {
    return m.source->name == point.template_name && m.source->version == point.version;
  };
  const auto member = std::find_if(members_.begin(), members_.end(), is_it);
  if (member == members_.end()) return find_point(context_, point);
  try {
    return Point{point.template_name, point.version, member->space.resolve(point.config)};
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

bool SearchSpace::is_valid(const Point& point) const { return member(point).searched().is_valid(point.config); }

std::optional<double> SearchSpace::exact_valid_points() const {
  double total = 0;
  for (const Member& m : members_) {
    const PointCount count = m.searched().count_valid();
    if (count.estimated) return std::nullopt;
    total += count.points;
  }
  return total;
}

}  // namespace nestwright
