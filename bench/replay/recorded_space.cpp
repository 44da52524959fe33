#include "bench/replay/recorded_space.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "nestwright/error.h"
#include "space/near_candidate.h"

namespace nestwright {
namespace {

constexpr const char* kTemplate = " template";  // a column that no knob has

std::string text_of(const ConfigEntry& entry) { return fmt::format("{}{}", entry.label, entry.value); }

/// The sum of the distances between the values of numeric knobs that both points have.
double distance(const Point& a, const Point& b) {
  double sum = 0;
  for (const ConfigEntry& entry : a.config.entries()) {
    const ConfigEntry* other = b.config.find(entry.knob);
    if (other != nullptr && entry.label.empty()) sum += knob_distance(entry.value, other->value);
  }
  return sum;
}

}  // namespace

RecordedSpace::RecordedSpace(const Task& task, const std::vector<RecordedPoint>& points)
    : RecordedSpace(SearchSpace(task), points) {}

RecordedSpace::RecordedSpace(const SearchSpace& whole, const std::vector<RecordedPoint>& points) : SearchSpace(whole) {
  std::map<std::string, std::vector<std::size_t>> samples;
  for (const RecordedPoint& recorded : points) {
    const Point& given = recorded.point;
    // The log has labels without their values: resolve them.
    const std::optional<Point> point = find(given);
    if (!point || !SearchSpace::is_valid(*point) || !index_.try_emplace(point->key(), points_.size()).second) continue;
    if (recorded.is_sample) samples[point->template_name].push_back(points_.size());
    points_.push_back(*point);
    is_sample_.push_back(recorded.is_sample ? 1 : 0);
  }
  for (auto& [name, list] : samples) samples_.push_back(std::move(list));
  std::erase_if(seeds_, [this](const Point& seed) { return !contains(seed); });

  const auto note = [this](const std::string& knob, const std::string& value) {
    const std::size_t column = columns_.try_emplace(knob, columns_.size()).first->second;
    values_.try_emplace({column, value}, static_cast<int>(values_.size()));
  };
  for (const Point& point : points_) {
    note(kTemplate, point.template_name);
    for (const ConfigEntry& entry : point.config.entries()) note(entry.knob, text_of(entry));
  }
  for (const Point& point : points_) codes_.push_back(encode(point));
}

std::vector<SearchSpace::Part> RecordedSpace::parts() const {
  std::vector<Part> parts;
  for (const Part& whole : SearchSpace::parts()) {
    std::vector<RecordedPoint> of_template;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].template_name == whole.template_name) of_template.push_back({points_[i], is_sample_[i] != 0});
    }
    if (of_template.empty()) continue;
    parts.push_back({whole.template_name, std::unique_ptr<SearchSpace>(new RecordedSpace(*whole.space, of_template))});
  }
  if (parts.size() < 2) parts.clear();
  return parts;
}

RecordedSpace::Code RecordedSpace::encode(const Point& point) const {
  constexpr int kNever = -2;  // a value that no recorded point has
  Code code(columns_.size(), -1);
  const auto put = [&](const std::string& knob, const std::string& value) {
    const auto column = columns_.find(knob);
    if (column == columns_.end()) return;
    const auto number = values_.find({column->second, value});
    code[column->second] = number == values_.end() ? kNever : number->second;
  };
  put(kTemplate, point.template_name);
  for (const ConfigEntry& entry : point.config.entries()) put(entry.knob, text_of(entry));
  return code;
}

std::optional<Point> RecordedSpace::nearest(const Point& wanted, const std::vector<const Point*>& but,
                                            std::mt19937_64& random) const {
  const Code code = encode(wanted);
  std::vector<std::size_t> best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    std::size_t differ = 0;
    for (std::size_t c = 0; c < code.size(); ++c) differ += codes_[i][c] != code[c];
    if (differ > least) continue;
    if (std::any_of(but.begin(), but.end(), [&](const Point* p) { return *p == points_[i]; })) continue;
    if (differ < least) best.clear();
    least = differ;
    best.push_back(i);
  }
  if (best.empty()) return std::nullopt;
  std::vector<double> distances;
  for (const std::size_t i : best) distances.push_back(distance(wanted, points_[i]));
  const double nearest = *std::min_element(distances.begin(), distances.end());
  std::size_t kept = 0;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (distances[i] == nearest) best[kept++] = best[i];
  }
  best.resize(kept);
  return points_[best[random() % best.size()]];
}

std::optional<Point> RecordedSpace::sample(std::mt19937_64& random) const {
  if (samples_.empty()) return std::nullopt;
  const std::vector<std::size_t>& list = samples_[random() % samples_.size()];
  return points_[list[random() % list.size()]];
}

std::optional<Point> RecordedSpace::mutate(const Point& point, int changes, std::mt19937_64& random) const {
  const std::optional<Point> wanted = SearchSpace::mutate(point, changes, random);
  return wanted ? nearest(*wanted, {&point}, random) : std::nullopt;
}

std::optional<Point> RecordedSpace::crossover(const Point& a, const Point& b, std::mt19937_64& random) const {
  const std::optional<Point> wanted = SearchSpace::crossover(a, b, random);
  return wanted ? nearest(*wanted, {&a, &b}, random) : std::nullopt;
}

Point RecordedSpace::at(unsigned __int128 index) const {
  check(index < points_.size(), "a recorded point's index is past the end");
  return points_[static_cast<std::size_t>(index)];
}

}  // namespace nestwright
