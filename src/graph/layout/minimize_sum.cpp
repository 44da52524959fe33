#include "graph/layout/minimize_sum.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "nestwright/error.h"

namespace nestwright {
namespace {

/// How to find the value of a variable from those of the variables that were eliminated later.
struct Eliminated {
  std::size_t variable = 0;
  std::vector<std::size_t> others;
  std::vector<std::size_t> best;  ///< for all values of `others`, the last one's running fastest
};

class Elimination {
 public:
  Elimination(const std::vector<std::size_t>& values, std::vector<CostTerm> terms,
              const std::vector<std::size_t>& start, std::size_t max_table)
      : values_(values), terms_(std::move(terms)), start_(start), max_table_(max_table), neighbours_(values.size()) {}

  Minimum run() {
    for (const CostTerm& term : terms_) {
      check(term.costs.size() == table_size(term.variables), "a cost for all values of a term");
      connect(term.variables);
    }
    std::set<std::pair<std::size_t, std::size_t>> queue;  // sizes of tables, and variables
    std::vector<std::size_t> sizes(values_.size());
    const auto enqueue = [&](std::size_t variable) {
      queue.erase({sizes[variable], variable});
      queue.emplace(sizes[variable] = elimination_size(variable), variable);
    };
    for (std::size_t v = 0; v < values_.size(); ++v) enqueue(v);
    while (!queue.empty()) {
      const bool fits = queue.begin()->first <= max_table_;
      const std::size_t variable = fits ? queue.begin()->second : most_connected(queue);
      queue.erase({sizes[variable], variable});
      const std::set<std::size_t> others = neighbours_[variable];
      fits ? eliminate(variable) : fix(variable);
      for (const std::size_t other : others) enqueue(other);
    }
    return result();
  }

 private:
  std::size_t table_size(const std::vector<std::size_t>& variables) const {
    std::size_t size = 1;
    for (const std::size_t variable : variables) size *= values_[variable];
    return size;
  }

  /// The entries that are added up to eliminate a variable, or at least more than `max_table`.
  std::size_t elimination_size(std::size_t variable) const {
    std::size_t size = values_[variable];
    for (const std::size_t other : neighbours_[variable]) {
      if (size <= max_table_) size *= values_[other];
    }
    return size;
  }

  std::size_t most_connected(const std::set<std::pair<std::size_t, std::size_t>>& queue) const {
    const auto connections = [&](const auto& entry) { return neighbours_[entry.second].size(); };
    return std::ranges::max_element(queue, {}, connections)->second;
  }

  void connect(const std::vector<std::size_t>& variables) {
    for (const std::size_t a : variables) {
      for (const std::size_t b : variables) {
        if (a != b) neighbours_[a].insert(b);
      }
    }
  }

  void disconnect(std::size_t variable) {
    for (const std::size_t other : neighbours_[variable]) neighbours_[other].erase(variable);
    neighbours_[variable].clear();
  }

  std::vector<CostTerm> take_terms_of(std::size_t variable) {
    const auto has = [&](const CostTerm& term) {
      return std::ranges::find(term.variables, variable) != term.variables.end();
    };
    const auto first =
        std::stable_partition(terms_.begin(), terms_.end(), [&](const CostTerm& term) { return !has(term); });
    std::vector<CostTerm> taken(std::make_move_iterator(first), std::make_move_iterator(terms_.end()));
    terms_.erase(first, terms_.end());
    return taken;
  }

  void eliminate(std::size_t variable) {
    const std::vector<CostTerm> terms = take_terms_of(variable);
    Eliminated step{.variable = variable, .others = {neighbours_[variable].begin(), neighbours_[variable].end()}};
    CostTerm rest{.variables = step.others, .costs = {}};
    const std::size_t size = table_size(step.others);
    rest.costs.reserve(size);
    step.best.reserve(size);
    std::vector<std::size_t> assignment(values_.size());
    for (std::size_t entry = 0; entry < size; ++entry) {
      assign(assignment, step.others, entry);
      double least = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t value = 0; value < values_[variable]; ++value) {
        assignment[variable] = value;
        double cost = 0;
        for (const CostTerm& term : terms) cost += term.costs[entry_of(term, assignment)];
        if (cost < least) {
          least = cost;
          best = value;
        }
      }
      rest.costs.push_back(least);
      step.best.push_back(best);
    }
    terms_.push_back(std::move(rest));
    steps_.push_back(std::move(step));
    connect(terms_.back().variables);
    disconnect(variable);
  }

  void fix(std::size_t variable) {
    is_exact_ = false;
    for (CostTerm& term : take_terms_of(variable)) {
      CostTerm rest;
      std::ranges::remove_copy(term.variables, std::back_inserter(rest.variables), variable);
      std::vector<std::size_t> assignment(values_.size());
      assignment[variable] = start_[variable];
      for (std::size_t entry = 0; entry < table_size(rest.variables); ++entry) {
        assign(assignment, rest.variables, entry);
        rest.costs.push_back(term.costs[entry_of(term, assignment)]);
      }
      terms_.push_back(std::move(rest));
    }
    steps_.push_back({.variable = variable, .others = {}, .best = {start_[variable]}});
    disconnect(variable);
  }

  void assign(std::vector<std::size_t>& assignment, const std::vector<std::size_t>& variables,
              std::size_t entry) const {
    for (std::size_t i = variables.size(); i-- > 0;) {
      assignment[variables[i]] = entry % values_[variables[i]];
      entry /= values_[variables[i]];
    }
  }

  std::size_t entry_of(const CostTerm& term, const std::vector<std::size_t>& assignment) const {
    std::size_t entry = 0;
    for (const std::size_t variable : term.variables) entry = entry * values_[variable] + assignment[variable];
    return entry;
  }

  Minimum result() const {
    Minimum minimum{.values = std::vector<std::size_t>(values_.size()), .is_exact = is_exact_};
    for (const CostTerm& term : terms_) minimum.cost += term.costs[0];  // no variable is left
    for (std::size_t s = steps_.size(); s-- > 0;) {
      const Eliminated& step = steps_[s];
      const CostTerm others{.variables = step.others, .costs = {}};
      minimum.values[step.variable] = step.best[entry_of(others, minimum.values)];
    }
    return minimum;
  }

  const std::vector<std::size_t>& values_;
  std::vector<CostTerm> terms_;
  const std::vector<std::size_t>& start_;
  const std::size_t max_table_;
  std::vector<std::set<std::size_t>> neighbours_;  // variables that share a term
  std::vector<Eliminated> steps_;
  bool is_exact_ = true;
};

}  // namespace

Minimum minimize_sum(const std::vector<std::size_t>& values, std::vector<CostTerm> terms,
                     const std::vector<std::size_t>& start, std::size_t max_table) {
  return Elimination(values, std::move(terms), start, max_table).run();
}

}  // namespace nestwright
