// The union of the spaces of made-up templates, whose points are numbered from 0 and all valid.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nestwright/registry.h"
#include "space/random_index.h"

namespace nestwright {

struct SyntheticTemplate {
  std::string name;
  std::int64_t size = 0;
};

class SyntheticTemplates final : public SearchSpace {
 public:
  explicit SyntheticTemplates(std::vector<SyntheticTemplate> templates)
      : SearchSpace(Task{parse_workload("matmul m=1 n=1 k=1"), Target::parse("cpu,isa=avx512,threads=1")}),
        templates_(std::move(templates)) {
    seeds_.clear();
    for (const SyntheticTemplate& t : templates_) seeds_.push_back(point(t, t.size / 2));
  }

  static std::int64_t number(const Point& p) { return p.config.entries()[0].value[0]; }

  std::vector<Part> parts() const override {
    std::vector<Part> parts;
    for (const SyntheticTemplate& t : templates_) {
      parts.push_back({t.name, std::make_unique<SyntheticTemplates>(std::vector<SyntheticTemplate>{t})});
    }
    if (parts.size() < 2) parts.clear();
    return parts;
  }
  std::optional<Point> sample(std::mt19937_64& random) const override {
    const SyntheticTemplate& t = templates_[random_index(random, templates_.size())];
    return point(t, draw(t.size, random));
  }
  /// A point within a hundredth of the template's space.
  std::optional<Point> mutate(const Point& p, int, std::mt19937_64& random) const override {
    const SyntheticTemplate& t = of(p);
    const std::int64_t step = 1 + draw(std::max<std::int64_t>(t.size / 100, 1), random);
    return point(t, (number(p) + (random() % 2 == 0 ? step : t.size - step)) % t.size);
  }
  std::optional<Point> crossover(const Point&, const Point&, std::mt19937_64&) const override { return std::nullopt; }
  unsigned __int128 size() const override {
    unsigned __int128 sum = 0;
    for (const SyntheticTemplate& t : templates_) sum += static_cast<unsigned __int128>(t.size);
    return sum;
  }
  Point at(unsigned __int128 index) const override {
    std::size_t t = 0;
    for (; index >= static_cast<unsigned __int128>(templates_[t].size); ++t) {
      index -= static_cast<unsigned __int128>(templates_[t].size);
    }
    return point(templates_[t], static_cast<std::int64_t>(index));
  }
  bool is_valid(const Point&) const override { return true; }
  std::optional<double> exact_valid_points() const override { return static_cast<double>(size()); }

 private:
  static Point point(const SyntheticTemplate& t, std::int64_t x) {
    Config config;
    config.set("x", {x});
    return {t.name, 1, config};
  }
  static std::int64_t draw(std::int64_t n, std::mt19937_64& random) {
    return static_cast<std::int64_t>(random_index(random, static_cast<std::size_t>(n)));
  }
  const SyntheticTemplate& of(const Point& p) const {
    return *std::find_if(templates_.begin(), templates_.end(),
                         [&](const SyntheticTemplate& t) { return t.name == p.template_name; });
  }

  std::vector<SyntheticTemplate> templates_;
};

}  // namespace nestwright
