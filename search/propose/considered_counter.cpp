#include "search/propose/considered_counter.h"

namespace nestwright {

void ConsideredCounter::count(const Point& point, std::int64_t ConsideredPoints::* stage) {
  ++total_;
  OfTemplate& of = templates_[{point.template_name, point.version}];
  ++(of.points.*stage);
  for (const ConfigEntry& entry : point.config.entries()) ++(of.knobs[entry.knob][{entry.label, entry.value}].*stage);
}

void ConsideredCounter::add_sampled(std::span<const Point> points) {
  for (const Point& point : points) count(point, &ConsideredPoints::sampled);
}

void ConsideredCounter::add_ranked(const Point& point) { count(point, &ConsideredPoints::ranked); }

void ConsideredCounter::add_not_lowered(const Point& point) { count(point, &ConsideredPoints::not_lowered); }

SearchFunnel ConsideredCounter::funnel() const {
  SearchFunnel funnel;
  for (const auto& [source, of] : templates_) {
    SearchFunnel::OfTemplate& each = funnel.templates.emplace_back();
    each.source = {source.first, source.second};
    each.points = of.points;
    for (const auto& [knob, values] : of.knobs) {
      auto& of_knob = each.values[knob];
      for (const auto& [value, points] : values) {
        const ConfigEntry entry{knob, value.second, value.first};
        of_knob[Config({entry}).str().substr(knob.size() + 1)] = points;
      }
    }
  }
  return funnel;
}

}  // namespace nestwright
