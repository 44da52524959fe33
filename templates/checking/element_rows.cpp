#include "templates/checking/element_rows.h"

#include <array>
#include <cmath>
#include <numeric>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::size_t kLanes = 4;                        ///< independent sums, which vectors hold
constexpr std::int64_t kPart = std::int64_t{1} << 16;    ///< elements of a part, unless a run is longer
constexpr std::int64_t kMaxRun = std::int64_t{1} << 24;  ///< of which a part is a multiple

std::vector<std::int64_t> consecutive(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(end - begin));
  std::iota(places.begin(), places.end(), begin);
  return places;
}

/// The weighted sum of a line's elements, and its bound.
struct LineSum {
  double sum = 0, bound = 0;
};

LineSum sum_line(const double* weights, const double* expected, const double* bounds, std::size_t length) {
  std::array<double, kLanes> sums{}, squares{}, magnitudes{};
  const auto add = [&](std::size_t e, std::size_t lane) {
    const double term = weights[e] * expected[e], error = weights[e] * bounds[e];
    sums[lane] += term;
    magnitudes[lane] += std::abs(term);
    squares[lane] += error * error;
  };
  std::size_t e = 0;
  for (; e + kLanes <= length; e += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(e + lane, lane);
  }
  for (; e < length; ++e) add(e, 0);
  const auto total = [](const std::array<double, kLanes>& lanes) {
    return std::accumulate(lanes.begin(), lanes.end(), 0.0);
  };
  return {total(sums), line_bound(total(squares), total(magnitudes))};
}

}  // namespace

std::vector<RowPlaces> group_by_rows(std::span<const std::int64_t> places, std::int64_t columns) {
  std::vector<RowPlaces> rows;
  for (std::size_t begin = 0; begin < places.size();) {
    const std::int64_t row = places[begin] / columns;
    const auto first = places.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + std::min<std::ptrdiff_t>(columns, places.end() - first);
    const auto end = static_cast<std::size_t>(std::lower_bound(first, last, (row + 1) * columns) - places.begin());
    rows.push_back({row, begin, end});
    begin = end;
  }
  return rows;
}

void read_places(const TensorValues& tensor, std::span<const std::int64_t> places, std::int64_t offset,
                 std::span<double> values) {
  if (places.empty()) return;
  if (places.back() - places.front() + 1 == static_cast<std::int64_t>(places.size())) {
    tensor.read(static_cast<std::size_t>(places.front() + offset), 1, values);
    return;
  }
  for (std::size_t i = 0; i < places.size(); ++i) values[i] = tensor[static_cast<std::size_t>(places[i] + offset)];
}

void for_parts(std::int64_t elements, std::int64_t run, std::int64_t unit,
               const std::function<void(std::int64_t begin, std::int64_t end)>& f) {
  std::int64_t part = std::max(kPart, unit);
  if (run > 1 && run <= kMaxRun) {
    const std::int64_t step = std::lcm(run, unit);
    // A step that is too large leaves a row in two parts.
    part = step > kMaxRun ? (std::max(run, part) + unit - 1) / unit * unit : (part + step - 1) / step * step;
  }
  tbb::parallel_for(std::int64_t{0}, (elements + part - 1) / part,
                    [&](std::int64_t i) { f(i * part, std::min((i + 1) * part, elements)); });
}

void check_sizes(const Workload& workload, const HostTensors& inputs, const std::vector<std::int64_t>& sizes) {
  const bool fit =
      std::equal(inputs.begin(), inputs.end(), sizes.begin(), sizes.end(),
                 [](const auto& input, auto size) { return input.size() == static_cast<std::size_t>(size); });
  if (!fit) throw UsageError("the inputs of " + workload.str() + " do not have its sizes");
}

std::function<CheckedInputs(const Workload&, const CheckedInputs& uniform)> wide_inputs_of(const LargeChecks& checks) {
  return [wide = checks.wide_inputs](const Workload& workload, const CheckedInputs& uniform) {
    return CheckedInputs{values_of(wide(workload, sources_of(uniform.inputs))), {}};
  };
}

std::function<HostTensors(const Workload&)> integer_inputs_of(const LargeChecks& checks) {
  return [whole = checks.integer_inputs](const Workload& workload) { return values_of(whole(workload)); };
}

Reference whole_reference(const LargeChecks& checks, const Workload& workload, const HostTensors& inputs,
                          std::int64_t elements) {
  Reference reference = one_result(static_cast<std::size_t>(elements));
  const InputValues values = values_of(inputs);
  const std::int64_t run = checks.shared_run ? checks.shared_run(workload) : 1;
  for_parts(elements, run, 1, [&](std::int64_t begin, std::int64_t end) {
    const ElementReference part = checks.reference_at(workload, values, consecutive(begin, end));
    std::copy(part.expected.begin(), part.expected.end(), reference.expected[0].begin() + begin);
    std::copy(part.bound.begin(), part.bound.end(), reference.bound[0].begin() + begin);
  });
  return reference;
}

LineReference line_sums_of_elements(const LargeChecks& checks, const Workload& workload, const InputValues& inputs,
                                    const ir::ElementLines& lines, const LineWeights& weights) {
  const auto count = static_cast<std::size_t>(lines.lines());
  LineReference reference{std::vector(weights.size(), std::vector<double>(count)),
                          std::vector(weights.size(), std::vector<double>(count))};
  const std::int64_t run = checks.shared_run ? checks.shared_run(workload) : 1;
  for_parts(lines.length, run, lines.segment, [&](std::int64_t begin, std::int64_t end) {
    const ElementReference part = checks.reference_at(workload, inputs, consecutive(begin, end));
    const std::int64_t first = begin / lines.segment, last = (end + lines.segment - 1) / lines.segment;
    for (std::int64_t line = first; line < last; ++line) {
      const auto from = static_cast<std::size_t>(lines.first_of(line) - begin);
      const auto length = static_cast<std::size_t>(lines.length_of(line));
      for (std::size_t v = 0; v < weights.size(); ++v) {
        const LineSum found = sum_line(weights[v].data(), &part.expected[from], &part.bound[from], length);
        reference.sums[v][static_cast<std::size_t>(line)] = found.sum;
        reference.bounds[v][static_cast<std::size_t>(line)] = found.bound;
      }
    }
  });
  return reference;
}

double line_bound(double sum_squares, double magnitude) { return 4 * std::sqrt(sum_squares) + 0x1p-50 * magnitude; }

}  // namespace nestwright
