// The search space of a task: the tagged union of the spaces of all its templates.
// Thread rule: immutable once built; any thread may read it.
#pragma once

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/config_space.h"
#include "nestwright/lookup.h"
#include "nestwright/records.h"
#include "nestwright/template.h"
#include "search/space/point.h"

namespace nestwright {

class SearchSpace {
 public:
  struct Member {
    const Template* source;
    const ConfigSpace& space;         ///< all points of the template; the task's context keeps it
    std::optional<ConfigSpace> part;  ///< those that the search stays within; nullopt: all
    const ConfigSpace& searched() const { return part ? *part : space; }
    /// The number of valid points that are searched, perhaps estimated.
    double valid_points() const { return searched().count_valid().points; }
  };
  /// The space of one of several templates.
  struct Part {
    std::string template_name;
    std::unique_ptr<SearchSpace> space;
  };

  /// Discovers the spaces of all templates of the task's operator, or of the template `only`, and restricts them.
  /// Templates without a legal schedule are left out. Throws UsageError where none is left, as check_restriction does,
  /// and where the restriction leaves nothing.
  explicit SearchSpace(const TaskContext& context, std::string_view only = {}, const Restriction& restriction = {});
  virtual ~SearchSpace() = default;

  const TaskContext& context() const { return context_; }
  const Task& task() const { return context_.task(); }
  const std::vector<Member>& members() const { return members_; }
  /// The spaces of the members, in order.
  std::vector<ConfigSpace> config_spaces() const {
    std::vector<ConfigSpace> spaces;
    for (const Member& member : members_) spaces.push_back(member.space);
    return spaces;
  }
  /// The valid seeds of all templates, interleaved, the best guesses first; those outside of a restriction are replaced
  /// by points near them.
  const std::vector<Point>& seeds() const { return seeds_; }
  /// The default where nothing was tuned, which is the first seed. nullopt where the restriction excludes it.
  std::optional<Point> default_point() const;
  bool is_restricted() const { return members_.front().part.has_value(); }
  /// The spaces of the single templates, so that each is searched for itself; empty where there is one template only.
  virtual std::vector<Part> parts() const;
  /// Draws a template, each with equal probability, so that a large space does not hide a small one; then one of its
  /// valid points, uniformly or, for a generic template, uniformly from a branch that is drawn with equal probability.
  /// nullopt if there is none.
  virtual std::optional<Point> sample(std::mt19937_64& random) const;
  /// A valid neighbour with `changes` other knob values. nullopt where none was found.
  virtual std::optional<Point> mutate(const Point& point, int changes, std::mt19937_64& random) const;
  /// A valid mix of both points. nullopt where none was found, or for points of different templates or branches.
  virtual std::optional<Point> crossover(const Point& a, const Point& b, std::mt19937_64& random) const;
  /// The number of points, valid or not; at() gives each of them by its index, as a grid search visits them.
  virtual unsigned __int128 size() const;
  virtual Point at(unsigned __int128 index) const;
  virtual bool is_valid(const Point& point) const;
  /// The number of valid points; nullopt where only an estimate is known.
  virtual std::optional<double> exact_valid_points() const;
  /// The point that a log or a user specifies, with its labels resolved. nullopt where it is not in this space, for
  /// example because it is of another version of the template, or outside of the restriction.
  std::optional<Point> find(const Point& point) const;
  /// The same, whatever the restriction, also of a template of the operator that is not searched.
  std::optional<Point> find_anywhere(const Point& point) const;

 protected:
  std::vector<Point> seeds_;

 private:
  /// The space of `member` alone, one of those of `whole`.
  SearchSpace(const SearchSpace& whole, const Member& member);

  const Member& member(const Point& point) const;
  void restrict_to(const Restriction& restriction);
  void add_seed(const Member& member, const Config& seed);

  TaskContext context_;
  std::vector<Member> members_;
  bool has_default_ = true;  ///< the first seed is the default
};

}  // namespace nestwright
