#include "bench/comparison/results/comparison.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace nestwright::bench {

using Json = nlohmann::json;

std::string Case::key() const {
  return fmt::format("{} | {} thread{} | {}", workload, threads, threads == 1 ? "" : "s", name_of(weights));
}

Json to_json(const Comparison& c) {
  Json series = Json::array();
  for (const Series& s : c.series) {
    series.push_back({{"name", s.name}, {"detail", s.detail}, {"refused", s.refused}, {"times_ns", s.times_ns}});
  }
  return {{"label", c.subject.label},
          {"workload", c.subject.workload},
          {"threads", c.subject.threads},
          {"weights", name_of(c.subject.weights)},
          {"flops", c.subject.flops},
          {"bytes", c.subject.bytes},
          {"peak_scale", c.subject.peak_scale},
          {"tuning",
           {{"seconds", c.tuning.seconds}, {"trials", c.tuning.trials}, {"earlier_trials", c.tuning.earlier_trials}}},
          {"rounds_asked", c.rounds_asked},
          {"dropped", c.dropped},
          {"launch_ns", c.launch_ns},
          {"peaks_gflops", c.peaks_gflops},
          {"copies_gb_s", c.copies_gb_s},
          {"series", std::move(series)}};
}

Comparison comparison_from_json(const Json& json) {
  Comparison c;
  json.at("label").get_to(c.subject.label);
  json.at("workload").get_to(c.subject.workload);
  json.at("threads").get_to(c.subject.threads);
  c.subject.weights = parse_weights(json.at("weights").get<std::string>());
  json.at("flops").get_to(c.subject.flops);
  json.at("bytes").get_to(c.subject.bytes);
  json.at("peak_scale").get_to(c.subject.peak_scale);
  json.at("tuning").at("seconds").get_to(c.tuning.seconds);
  json.at("tuning").at("trials").get_to(c.tuning.trials);
  json.at("tuning").at("earlier_trials").get_to(c.tuning.earlier_trials);
  json.at("rounds_asked").get_to(c.rounds_asked);
  json.at("dropped").get_to(c.dropped);
  c.launch_ns = json.value("launch_ns", 0.0);  // absent in files of earlier versions
  json.at("peaks_gflops").get_to(c.peaks_gflops);
  json.at("copies_gb_s").get_to(c.copies_gb_s);
  for (const Json& s : json.at("series")) {
    c.series.push_back({s.at("name"), s.at("detail"), s.at("refused"), s.at("times_ns").get<std::vector<double>>()});
  }
  return c;
}

}  // namespace nestwright::bench
