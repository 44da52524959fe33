// to_json for sections.

#include <nlohmann/json.hpp>

#include "bench/comparison/results/roofline.h"
#include "bench/comparison/results/section.h"

namespace nestwright::bench {
namespace {

using Json = nlohmann::json;

Json interval_json(const MedianInterval& i) { return {{"median", i.median}, {"low", i.low}, {"high", i.high}}; }

Json rival_json(const RivalSummary& v) {
  return {{"rival", v.rival},
          {"shapes", v.shapes},
          {"geomean", v.geomean},
          {"worst", interval_json(v.worst)},
          {"worst_label", v.worst_label},
          {"lost", v.lost}};
}

/// The stored comparison with its statistics.
Json comparison_json(const Comparison& comparison) {
  Json json = to_json(comparison);
  for (std::size_t i = 0; i < comparison.series.size(); ++i) {
    const SeriesSpeed s = speed_of(comparison, i);
    const Roofline r = roofline(comparison, comparison.series[i]);
    json["series"][i].update({{"gflops", s.gflops},
                              {"gb_s", s.gb_s},
                              {"ratio_ours", interval_json(s.ratio)},
                              {"share_of_bound", r.share},
                              {"bound", name_of(r.bound)}});
  }
  const auto best = best_library(comparison);
  json["best_library"] = best ? Json(comparison.series[*best].name) : Json();
  json["ratio_to_best"] = interval_json(best ? speed_of(comparison, *best).ratio : MedianInterval{});
  return json;
}

}  // namespace

Json to_json(const Section& section) {
  Json rows = Json::array(), verdicts = Json::array();
  for (const Row& row : section.rows) {
    rows.push_back(row.comparison ? comparison_json(*row.comparison)
                                  : Json{{"label", row.label}, {"workload", row.workload}, {"no_template", true}});
  }
  const std::vector<Comparison> comparisons = section.comparisons();
  verdicts.push_back(rival_json(summary_over_best(comparisons)));
  for (const std::string& library : section.libraries()) {
    verdicts.push_back(rival_json(summary_over(comparisons, library)));
  }
  const ShareSummary shares = share_summary(comparisons);
  return {{"suite", section.suite},
          {"threads", section.threads},
          {"weights", name_of(section.weights)},
          {"rows", std::move(rows)},
          {"verdicts", std::move(verdicts)},
          {"share_of_bound",
           {{"shapes", shares.shapes},
            {"geomean", shares.geomean},
            {"worst", shares.worst},
            {"worst_label", shares.worst_label}}},
          {"without_template", section.without_template()}};
}

}  // namespace nestwright::bench
