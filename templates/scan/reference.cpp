#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "templates/checking/element_rows.h"
#include "templates/checking/rounding.h"
#include "templates/scan/scan.h"

namespace nestwright {
namespace {

constexpr std::int64_t kSegment = 1024;   ///< elements of a line
constexpr std::int64_t kFewColumns = 64;  ///< of rows too short for lines of their own
constexpr std::size_t kTogether = 64;     ///< columns that one thread scans at a time

/// Scans some neighbouring columns, one row after the other.
class Columns {
 public:
  Columns(const Workload& workload, const TensorValues& x, std::int64_t first, std::size_t count)
      : function_(workload.choice("function")),
        type_(workload.type("dtype")),
        x_(x),
        columns_(workload.size("columns")),
        first_(first),
        values_(count),
        squares_(count),
        row_(count) {
    least_ = type_ == kFloat64 ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
  }

  /// Computes the next row, starting with the first one: its values and bounds.
  void next(std::span<double> expected, std::span<double> bound) {
    x_.read(static_cast<std::size_t>(step_ * columns_ + first_), 1, row_);
    const double terms = static_cast<double>(++step_);
    const double of_sum = summation_error(terms, type_);
    for (std::size_t j = 0; j < row_.size(); ++j) {
      // In long double, which is more exact than the bounds of float64 are.
      long double& value = values_[j];
      const double x = row_[j];
      bound[j] = 0;
      if (step_ == 1) {
        value = x;
        squares_[j] = value * value;
      } else if (function_ == "sum") {
        value += x;
        squares_[j] += static_cast<long double>(x) * x;
        bound[j] = of_sum * std::sqrt(static_cast<double>(squares_[j]));
      } else if (function_ == "product") {
        value *= x;
        bound[j] = terms * (epsilon_of(type_) * static_cast<double>(std::abs(value)) + least_);
      } else {
        value = function_ == "max" ? std::max<long double>(value, x) : std::min<long double>(value, x);
      }
      expected[j] = static_cast<double>(value);
    }
  }

 private:
  std::string function_;
  Type type_;
  const TensorValues& x_;
  std::int64_t columns_, first_, step_ = 0;
  double least_ = 0;
  std::vector<long double> values_, squares_;
  std::vector<double> row_;
};

/// Calls `f(first, count)` for parts of the columns, from several threads at once.
template <typename Function>
void for_columns(std::int64_t columns, std::size_t together, const Function& f) {
  const auto step = static_cast<std::int64_t>(together);
  tbb::parallel_for(std::int64_t{0}, (columns + step - 1) / step, [&](std::int64_t part) {
    f(part * step, static_cast<std::size_t>(std::min(step, columns - part * step)));
  });
}

}  // namespace

Reference scan_reference(const Workload& workload, const HostTensors& inputs) {
  const std::int64_t steps = workload.size("steps"), columns = workload.size("columns");
  check_sizes(workload, inputs, {steps * columns});
  const InputValues values = values_of(inputs);
  Reference reference = one_result(inputs[0].size());
  for_columns(columns, kTogether, [&](std::int64_t first, std::size_t count) {
    Columns scan(workload, *values[0], first, count);
    for (std::int64_t t = 0; t < steps; ++t) {
      const auto at = static_cast<std::size_t>(t * columns + first);
      scan.next(std::span(reference.expected[0]).subspan(at, count), std::span(reference.bound[0]).subspan(at, count));
    }
  });
  return reference;
}

ElementReference scan_reference_at(const Workload& workload, const InputValues& inputs,
                                   std::span<const std::int64_t> places) {
  const std::int64_t columns = workload.size("columns");
  ElementReference reference = reference_of(places.size());
  std::vector<std::size_t> order(places.size());  // by columns, then by steps
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return places[a] % columns < places[b] % columns; });
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || places[order[i]] % columns != places[order[i - 1]] % columns) starts.push_back(i);
  }
  starts.push_back(order.size());
  tbb::parallel_for(std::size_t{1}, starts.size(), [&](std::size_t part) {
    Columns scan(workload, *inputs[0], places[order[starts[part - 1]]] % columns, 1);
    std::int64_t step = 0;
    double expected = 0, bound = 0;
    for (std::size_t i = starts[part - 1]; i < starts[part]; ++i) {
      for (; step <= places[order[i]] / columns; ++step) scan.next({&expected, 1}, {&bound, 1});
      reference.expected[order[i]] = expected;
      reference.bound[order[i]] = bound;
    }
  });
  return reference;
}

std::optional<ir::ElementLines> scan_lines(const Workload& workload) {
  const std::int64_t steps = workload.size("steps"), columns = workload.size("columns");
  if (columns < kFewColumns)
    return ir::ElementLines{.length = steps, .step = columns, .inner = columns, .segment = kSegment};
  return ir::ElementLines{.outer = steps, .outer_step = columns, .length = columns, .segment = kSegment};
}

LineReference scan_line_sums(const Workload& workload, const InputValues& inputs, const LineWeights& weights,
                             bool /*is_linear*/) {
  const ir::ElementLines lines = *scan_lines(workload);
  const std::int64_t steps = workload.size("steps"), columns = workload.size("columns");
  const auto count = static_cast<std::size_t>(lines.lines());
  LineReference reference{std::vector(weights.size(), std::vector<double>(count)),
                          std::vector(weights.size(), std::vector<double>(count))};
  const bool along_steps = columns < kFewColumns;
  std::vector magnitudes(weights.size(), std::vector<double>(count));
  for_columns(columns, along_steps ? kTogether : kSegment, [&](std::int64_t first, std::size_t width) {
    Columns scan(workload, *inputs[0], first, width);
    std::vector<double> expected(width), bound(width);
    for (std::int64_t t = 0; t < steps; ++t) {
      scan.next(expected, bound);
      for (std::size_t v = 0; v < weights.size(); ++v) {
        for (std::size_t j = 0; j < width; ++j) {
          const std::int64_t column = first + static_cast<std::int64_t>(j);
          const std::int64_t line =
              along_steps ? t / kSegment * columns + column : t * lines.segments() + column / kSegment;
          const double weight = weights[v][static_cast<std::size_t>(along_steps ? t % kSegment : column % kSegment)];
          const double term = weight * expected[j], error = weight * bound[j];
          reference.sums[v][static_cast<std::size_t>(line)] += term;
          reference.bounds[v][static_cast<std::size_t>(line)] += error * error;
          magnitudes[v][static_cast<std::size_t>(line)] += std::abs(term);
        }
      }
    }
  });
  for (std::size_t v = 0; v < weights.size(); ++v) {
    for (std::size_t line = 0; line < count; ++line) {
      reference.bounds[v][line] = line_bound(reference.bounds[v][line], magnitudes[v][line]);
    }
  }
  return reference;
}

}  // namespace nestwright
