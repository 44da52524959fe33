// Everything that a search may propose for one task: the tagged union of the spaces of all its templates.
// Thread rule: immutable once built; any thread may read it.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "templates/framework/template.h"

namespace nestwright {

/// A point is (template, version, configuration).
struct Point {
  std::string template_name;
  int version = 0;
  Config config;
  /// Stable text, equal for equal points only.
  std::string key() const;
  friend bool operator==(const Point&, const Point&) = default;
};

class SearchSpace {
 public:
  struct Member {
    const Template* source;
    ConfigSpace space;
    /// The weight of this template in sampling.
    double valid_points() const { return space.count_valid().points; }
  };

  /// Discovers the spaces of all templates of the task's operator, or of the one named `only`. Throws UsageError where
  /// there is none.
  explicit SearchSpace(const Task& task, std::string_view only = {});
  virtual ~SearchSpace() = default;

  const Task& task() const { return task_; }
  const std::vector<Member>& members() const { return members_; }
  /// The templates' seeds that are valid, best guesses first, templates interleaved.
  const std::vector<Point>& seeds() const { return seeds_; }
  /// Uniform over the valid points of all templates. nullopt where there is none.
  virtual std::optional<Point> sample(std::mt19937_64& random) const;
  virtual std::optional<Point> mutate(const Point& point, int changes, std::mt19937_64& random) const;
  /// nullopt for parents of different templates or branches.
  virtual std::optional<Point> crossover(const Point& a, const Point& b, std::mt19937_64& random) const;
  /// Number of points, valid or not, and the index-th of them; what a grid walks.
  virtual unsigned __int128 size() const;
  virtual Point at(unsigned __int128 index) const;
  virtual bool is_valid(const Point& point) const;
  /// Number of valid points; nullopt where that is only known as an estimate.
  virtual std::optional<double> exact_valid_points() const;
  /// A point as the log or a user spells it, its labels resolved. nullopt where it is none of this space: of another
  /// version of the template, say.
  std::optional<Point> find(const std::string& template_name, int version, const Config& config) const;
  /// What the template makes of the point. Throws ScheduleError or UsageError for one that is not valid.
  Instance instantiate(const Point& point) const;

 protected:
  std::vector<Point> seeds_;

 private:
  const Member& member(const Point& point) const;

  Task task_;
  std::vector<Member> members_;
};

}  // namespace nestwright
