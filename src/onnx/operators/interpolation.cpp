#include "onnx/operators/interpolation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "onnx/operators/window.h"

namespace nestwright {
namespace {

/// The place in the input, in elements, of element y of the result.
double original_coordinate(const ResizedDimension& d, std::int64_t y) {
  const auto place = static_cast<double>(y), input = static_cast<double>(d.input);
  const double result = d.scale * input;  // may have a fraction
  if (d.coordinates == "align_corners") return result == 1 ? 0 : place * (input - 1) / (result - 1);
  if (d.coordinates == "asymmetric") return place / d.scale;
  if (d.coordinates == "tf_half_pixel_for_nn") return (place + 0.5) / d.scale;
  if (d.coordinates == "tf_crop_and_resize") {
    if (d.result == 1) return (d.start + d.end) * (input - 1) / 2;
    return d.start * (input - 1) + place * (d.end - d.start) * (input - 1) / static_cast<double>(d.result - 1);
  }
  if (d.coordinates == "pytorch_half_pixel" && d.result == 1) return 0;
  const double offset =
      d.coordinates == "half_pixel_symmetric" ? input / 2 * (1 - static_cast<double>(d.result) / result) : 0;
  return offset + (place + 0.5) / d.scale - 0.5;
}

/// Multiples of one half are exact, whatever the rounding of scales: they decide which element is the nearest.
double snapped(double x) {
  const double twice = std::round(2 * x);
  return std::abs(2 * x - twice) < 1e-6 * std::max(1.0, std::abs(x)) ? twice / 2 : x;
}

std::int64_t nearest(const std::string& mode, double scale, double x) {
  // Before opset 11 ONNX does not say how to round: ONNX Runtime rounds up where it reduces.
  if (mode == "simple") return static_cast<std::int64_t>(scale < 1 ? std::ceil(x) : std::floor(x));
  if (mode == "floor") return static_cast<std::int64_t>(std::floor(x));
  if (mode == "ceil") return static_cast<std::int64_t>(std::ceil(x));
  if (mode == "round_prefer_ceil") return static_cast<std::int64_t>(std::floor(x + 0.5));
  return static_cast<std::int64_t>(std::ceil(x - 0.5));
}

double linear_weight(double distance) { return std::max(0.0, 1 - std::abs(distance)); }

double cubic_weight(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

/// Removes taps at both ends whose weight is 0 for all elements.
void remove_empty_taps(Interpolation& interpolation) {
  const std::int64_t taps = interpolation.taps;
  const auto results = static_cast<std::int64_t>(interpolation.first.size());
  const auto is_empty = [&](std::int64_t r) {
    for (std::int64_t y = 0; y < results; ++y) {
      if (interpolation.weights[static_cast<std::size_t>(y * taps + r)] != 0) return false;
    }
    return true;
  };
  std::int64_t begin = 0, end = taps;
  while (begin + 1 < end && is_empty(begin)) ++begin;
  while (begin + 1 < end && is_empty(end - 1)) --end;
  std::vector<double> weights;
  for (std::int64_t y = 0; y < results; ++y) {
    interpolation.first[static_cast<std::size_t>(y)] += begin;
    const auto row = interpolation.weights.begin() + y * taps;
    weights.insert(weights.end(), row + begin, row + end);
  }
  interpolation.taps = end - begin;
  const bool is_plain =
      interpolation.taps == 1 && std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 1; });
  interpolation.weights = is_plain ? std::vector<double>() : std::move(weights);
}

void add_weights(const ResizedDimension& d, double x, Interpolation& interpolation) {
  // Where an antialiasing filter reduces the extent, it is as much wider.
  const double stretch = d.antialias ? std::min(d.scale, 1.0) : 1;
  const bool is_cubic = d.mode == "cubic";
  const auto first = static_cast<std::int64_t>(std::floor(-(is_cubic ? 2 : 1) / stretch)) + 1;
  interpolation.taps = 2 - 2 * first;
  const double floor = std::floor(x);
  interpolation.first.push_back(static_cast<std::int64_t>(floor) + first);
  double sum = 0;
  std::vector<double> weights;
  for (std::int64_t r = 0; r < interpolation.taps; ++r) {
    const double distance = (static_cast<double>(first + r) - (x - floor)) * stretch;
    double weight = is_cubic ? cubic_weight(distance, d.cubic_coefficient) : linear_weight(distance);
    const std::int64_t at = interpolation.first.back() + r;
    if (d.excludes_outside && (at < 0 || at >= d.input)) weight = 0;
    weights.push_back(weight);
    sum += weight;
  }
  const bool is_normalised = d.antialias || d.excludes_outside;
  for (const double weight : weights) {
    interpolation.weights.push_back(is_normalised && sum != 0 ? weight / sum : weight);
  }
}

/// The fraction of the smallest denominator up to 4096 that is nearly `value`, by its continued fraction.
std::pair<std::int64_t, std::int64_t> nearby_fraction(double value) {
  std::int64_t p = 1, q = 0, last_p = 0, last_q = 1;
  double rest = value;
  for (int step = 0; step < 32; ++step) {
    const double whole = std::floor(rest);
    if (whole > 1e9) break;
    const auto next_p = static_cast<std::int64_t>(whole) * p + last_p;
    const auto next_q = static_cast<std::int64_t>(whole) * q + last_q;
    if (next_q > 4096) break;
    last_p = std::exchange(p, next_p);
    last_q = std::exchange(q, next_q);
    const double fraction = rest - whole;
    if (std::abs(static_cast<double>(p) / static_cast<double>(q) - value) < 1e-6 * value || fraction < 1e-9) break;
    rest = 1 / fraction;
  }
  return {p, std::max<std::int64_t>(q, 1)};
}

/// floor((numerator * y + c) / denominator) for the c that is nearest to 0.
std::optional<std::int64_t> summand_of(const std::vector<std::int64_t>& values, std::int64_t numerator,
                                       std::int64_t denominator) {
  constexpr std::int64_t kMax = std::int64_t{1} << 60;
  std::int64_t low = -kMax, high = kMax;
  for (std::size_t y = 0; y < values.size(); ++y) {
    const std::int64_t least = denominator * values[y] - numerator * static_cast<std::int64_t>(y);
    low = std::max(low, least);
    high = std::min(high, least + denominator - 1);
  }
  return low > high ? std::nullopt : std::optional(std::clamp<std::int64_t>(0, low, high));
}

}  // namespace

Interpolation interpolate(const ResizedDimension& d) {
  Interpolation interpolation;
  interpolation.inside_end = d.result;
  bool is_any_inside = false;
  for (std::int64_t y = 0; y < d.result; ++y) {
    // Beyond these limits all elements are those of the edges, or get the value of extrapolation.
    const double x = snapped(original_coordinate(d, y)), limit = static_cast<double>(d.input) + 8;
    if (d.coordinates == "tf_crop_and_resize") {
      const bool is_inside = x >= 0 && x <= static_cast<double>(d.input - 1);
      if (is_inside && !is_any_inside) interpolation.inside_begin = y;
      if (is_inside) interpolation.inside_end = y + 1;
      is_any_inside = is_any_inside || is_inside;
    }
    const double limited = std::clamp(x, -limit, 2 * limit);
    if (d.mode == "nearest") {
      interpolation.first.push_back(nearest(d.nearest_mode, d.scale, limited));
    } else {
      add_weights(d, limited, interpolation);
    }
  }
  if (d.coordinates == "tf_crop_and_resize" && !is_any_inside) interpolation.inside_end = 0;
  if (d.mode != "nearest") remove_empty_taps(interpolation);
  return interpolation;
}

std::optional<std::string> affine_index(const std::vector<std::int64_t>& values, const std::string& y,
                                        const ResizedDimension& dimension) {
  std::vector<std::pair<std::int64_t, std::int64_t>> slopes;
  const auto add = [&](std::int64_t numerator, std::int64_t denominator) {
    if (numerator < 0 || denominator < 1) return;
    const std::int64_t divisor = std::max<std::int64_t>(std::gcd(numerator, denominator), 1);
    slopes.emplace_back(numerator / divisor, denominator / divisor);
  };
  const auto [p, q] = nearby_fraction(1 / dimension.scale);
  add(p, q);
  add(dimension.input, dimension.result);
  add(dimension.input - 1, dimension.result - 1);
  if (values.size() > 1) add(values[1] - values[0], 1);
  for (const std::int64_t refined : {1, 2, 4}) {
    for (const auto& [numerator, denominator] : slopes) {
      const std::int64_t divisor = refined * denominator;
      const std::optional<std::int64_t> summand = summand_of(values, refined * numerator, divisor);
      if (!summand) continue;
      const std::string dividend =
          numerator == 0 ? std::to_string(*summand) : plus(times(refined * numerator, y), *summand);
      if (divisor == 1) return dividend;
      return dividend == y ? fmt::format("{}/{}", y, divisor) : fmt::format("({})/{}", dividend, divisor);
    }
  }
  return std::nullopt;
}

}  // namespace nestwright
