#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "templates/checking/element_rows.h"
#include "templates/checking/rounding.h"
#include "templates/reduce/reduce.h"
#include "templates/reduce/shape.h"

namespace nestwright {
namespace {

constexpr std::size_t kTogether = 1024;                ///< neighbouring results, whose terms are neighbours, too
constexpr std::size_t kFew = 16;                       ///< neighbours that are not worth the vectors
constexpr std::int64_t kTerms = 4096;                  ///< of one result that are read at once
constexpr std::int64_t kPart = std::int64_t{1} << 22;  ///< terms of one result that one thread adds

enum class Function : std::uint8_t { kSum, kMax, kMin };

/// A dimension of the input: its extent, and the distance of its neighbours in memory.
struct Dimension {
  std::int64_t extent = 1, stride = 1;
};

/// Up to N values so far. Sums are Kahan's, as sums of many terms in float64 are held to bounds of that type, too.
template <std::size_t N>
struct Partial {
  std::array<double, N> value, lost{}, squares{};

  explicit Partial(Function function) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    value.fill(function == Function::kSum ? 0 : function == Function::kMax ? -kInfinity : kInfinity);
  }

  /// Adds one term to each of the first n.
  void add(Function function, const double* terms, std::size_t n) {
    if (function == Function::kSum) {
      for (std::size_t i = 0; i < n; ++i) {
        add_part(i, terms[i]);
        squares[i] += terms[i] * terms[i];
      }
    } else if (function == Function::kMax) {
      for (std::size_t i = 0; i < n; ++i) value[i] = std::max(value[i], terms[i]);
    } else {
      for (std::size_t i = 0; i < n; ++i) value[i] = std::min(value[i], terms[i]);
    }
  }

  /// Adds all terms of number `i` of `other` to the first one.
  template <std::size_t M>
  void merge(Function function, const Partial<M>& other, std::size_t i) {
    if (function == Function::kMax) value[0] = std::max(value[0], other.value[i]);
    if (function == Function::kMin) value[0] = std::min(value[0], other.value[i]);
    if (function != Function::kSum) return;
    add_part(0, other.value[i]);
    add_part(0, -other.lost[i]);
    squares[0] += other.squares[i];
  }

 private:
  void add_part(std::size_t i, double part) {
    const double term = part - lost[i], after = value[i] + term;
    lost[i] = (after - value[i]) - term;
    value[i] = after;
  }
};

class ResultReducer {
 public:
  ResultReducer(const Workload& workload, const TensorValues& x)
      : groups_(reduce_groups(workload)), x_(x), type_(workload.type("dtype")) {
    const std::string& name = workload.choice("function");
    function_ = name == "max" ? Function::kMax : name == "min" ? Function::kMin : Function::kSum;
    is_mean_ = name == "mean";
    std::int64_t stride = 1;
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      (group->reduced ? reduced_ : kept_).push_back({group->extent, stride});
      stride *= group->extent;
    }
    for (const Dimension& dimension : reduced_) terms_ *= dimension.extent;
  }

  /// Neighbouring results of so many have neighbouring terms.
  std::int64_t neighbours() const { return groups_.back().reduced ? 1 : kept_.front().extent; }

  /// Computes `count` neighbouring results from result `first` on, at most kTogether.
  void reduce(std::int64_t first, std::size_t count, double* value, double* bound) const {
    const std::int64_t base = place_of(first);
    if (count >= kFew) {
      const Partial<kTogether> found = reduce_together(base, count);
      for (std::size_t i = 0; i < count; ++i) finish(found.value[i], found.squares[i], value[i], bound[i]);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Partial<1> found = reduce_one(base + static_cast<std::int64_t>(i));
      finish(found.value[0], found.squares[0], value[i], bound[i]);
    }
  }

 private:
  /// Where the first term of a result lies.
  std::int64_t place_of(std::int64_t result) const {
    std::int64_t place = 0;
    for (const Dimension& dimension : kept_) {
      place += result % dimension.extent * dimension.stride;
      result /= dimension.extent;
    }
    return place;
  }

  /// Where term `number` lies, relative to the first one: innermost dimension first.
  std::int64_t term_at(std::int64_t number) const {
    std::int64_t place = 0;
    for (const Dimension& dimension : reduced_) {
      place += number % dimension.extent * dimension.stride;
      number /= dimension.extent;
    }
    return place;
  }

  Partial<kTogether> reduce_together(std::int64_t base, std::size_t count) const {
    Partial<kTogether> partial(function_);
    std::array<double, kTogether> terms;
    for (std::int64_t t = 0; t < terms_; ++t) {
      x_.read(static_cast<std::size_t>(base + term_at(t)), 1, std::span(terms).first(count));
      partial.add(function_, terms.data(), count);
    }
    return partial;
  }

  /// The terms of one result, in parts, which several threads add.
  Partial<1> reduce_one(std::int64_t base) const {
    if (terms_ <= kPart) return reduce_part(base, 0, terms_);
    const std::int64_t parts = (terms_ + kPart - 1) / kPart;
    std::vector<Partial<1>> partials(static_cast<std::size_t>(parts), Partial<1>(function_));
    tbb::parallel_for(std::int64_t{0}, parts, [&](std::int64_t part) {
      partials[static_cast<std::size_t>(part)] = reduce_part(base, part * kPart, std::min((part + 1) * kPart, terms_));
    });
    for (std::size_t part = 1; part < partials.size(); ++part) partials[0].merge(function_, partials[part], 0);
    return partials[0];
  }

  Partial<1> reduce_part(std::int64_t base, std::int64_t begin, std::int64_t end) const {
    constexpr std::size_t kLanes = 8;
    const Dimension& inner = reduced_.front();
    Partial<kLanes> lanes(function_);
    Partial<1> result(function_);
    std::array<double, kTerms> terms;
    for (std::int64_t t = begin; t < end;) {
      const std::int64_t count = std::min({kTerms, inner.extent - t % inner.extent, end - t});
      const std::span<double> some = std::span(terms).first(static_cast<std::size_t>(count));
      x_.read(static_cast<std::size_t>(base + term_at(t)), static_cast<std::size_t>(inner.stride), some);
      std::size_t i = 0;
      for (; i + kLanes <= some.size(); i += kLanes) lanes.add(function_, &some[i], kLanes);
      for (; i < some.size(); ++i) result.add(function_, &some[i], 1);
      t += count;
    }
    for (std::size_t lane = 0; lane < kLanes; ++lane) result.merge(function_, lanes, lane);
    return result;
  }

  void finish(double reduced, double squares, double& value, double& bound) const {
    value = reduced;
    bound = 0;
    if (function_ != Function::kSum) return;
    const auto terms = static_cast<double>(terms_);
    bound = summation_error(terms, type_) * std::sqrt(squares);
    if (!is_mean_) return;
    value /= terms;
    bound = bound / terms + 2 * epsilon_of(type_) * std::abs(value);
  }

  std::vector<ReduceGroup> groups_;
  const TensorValues& x_;
  Type type_;
  Function function_ = Function::kSum;
  bool is_mean_ = false;
  std::vector<Dimension> kept_, reduced_;  ///< innermost first
  std::int64_t terms_ = 1;
};

}  // namespace

ElementReference reduce_reference_at(const Workload& workload, const InputValues& inputs,
                                     std::span<const std::int64_t> places) {
  const ResultReducer reducer(workload, *inputs[0]);
  ElementReference reference = reference_of(places.size());
  std::vector<RowPlaces> runs;  // of neighbours
  for (const RowPlaces& row : group_by_rows(places, reducer.neighbours())) {
    for (std::size_t at = row.begin; at < row.end; at = runs.back().end) {
      std::size_t end = at + 1;
      while (end < row.end && end - at < kTogether && places[end] == places[end - 1] + 1) ++end;
      runs.push_back({row.row, at, end});
    }
  }
  tbb::parallel_for(std::size_t{0}, runs.size(), [&](std::size_t r) {
    const std::size_t at = runs[r].begin;
    reducer.reduce(places[at], runs[r].end - at, &reference.expected[at], &reference.bound[at]);
  });
  return reference;
}

}  // namespace nestwright
