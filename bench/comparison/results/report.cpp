#include "bench/comparison/results/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "bench/comparison/results/roofline.h"
#include "bench/comparison/results/summary.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

constexpr double kLaunchesThatBind = 3;

std::string roof_text(const Comparison& c) {
  const Roof roof = roof_of(c.subject, median_interval(c.peaks_gflops).median, median_interval(c.copies_gb_s).median);
  if (roof.bound == Bound::kUnknown) return "the peak of this type is not known";
  return fmt::format("bound by {}", name_of(roof.bound));
}

std::string series_text(const Comparison& c, std::size_t i) {
  const Series& series = c.series[i];
  if (series.times_ns.empty()) {
    return fmt::format("  {:<13} {}: {}\n", series.name, series.refused ? "refused" : "no times", series.detail);
  }
  const SeriesSpeed s = speed_of(c, i);
  const std::string ratio = i == 0 || s.ratio.median == 0
                                ? std::string()
                                : fmt::format("{:.3f} [{:.3f} .. {:.3f}]", s.ratio.median, s.ratio.low, s.ratio.high);
  const double share = roofline(c, series).share;
  return fmt::format("  {:<13}{:>9.1f}{:>9.1f}{:>9}  {:<24}  {}\n", series.name, s.gflops, s.gb_s,
                     share > 0 ? fmt::format("{:.1f}%", 100 * share) : "-", ratio, series.detail);
}

/// Whether our median time is not much longer than a launch.
bool is_bound_by_launches(const Comparison& c) {
  if (c.series.empty() || c.series.front().times_ns.empty()) return false;
  return median_interval(c.series.front().times_ns).median < kLaunchesThatBind * c.launch_ns;
}

}  // namespace

std::string report_heading(const Provenance& p, const std::vector<std::string>& absent) {
  const auto text = [&](const char* key) { return p.doctor.at(key).get<std::string>(); };
  std::vector<std::string> conditions;
  for (const auto& [key, value] : p.conditions.items()) conditions.push_back(key + " " + value.dump());
  std::string heading =
      fmt::format("cpu         {}, {} cores\ntarget      {}\nsystem      {}, microcode {}\n", text("cpu"),
                  p.doctor.at("cores").get<int>(), text("target"), text("kernel"), text("microcode"));
  heading += fmt::format("commit      {}\nconditions  {}\n", p.commit, fmt::join(conditions, ", "));
  if (!absent.empty()) {
    heading += fmt::format("absent      {}: not compared; bench/peers fetches them\n", fmt::join(absent, ", "));
  }
  return heading;
}

std::string to_text(const Comparison& c) {
  const std::size_t rounds = c.peaks_gflops.size();
  std::string text = fmt::format("{} ({}), {} thread{}, {} weights: {} rounds, {} dropped (the machine was not ours)",
                                 c.subject.label, c.subject.workload, c.subject.threads,
                                 c.subject.threads == 1 ? "" : "s", name_of(c.subject.weights), rounds, c.dropped);
  if (rounds > 0) {
    text += fmt::format("\n  peak {:.1f} GFLOP/s float32, copy {:.1f} GB/s: {}\n  {:<13}{:>9}{:>9}{:>9}  ours / it",
                        median_interval(c.peaks_gflops).median, median_interval(c.copies_gb_s).median, roof_text(c), "",
                        "GFLOP/s", "GB/s", "of bound");
  }
  text += '\n';
  for (std::size_t i = 0; i < c.series.size(); ++i) text += series_text(c, i);
  if (is_bound_by_launches(c)) {
    text += fmt::format("  a launch takes {:.2f} us: what is shorter than {:g} of them is bound by that\n",
                        1e-3 * c.launch_ns, kLaunchesThatBind);
  }
  if (!c.is_complete()) {
    text += fmt::format("  only {} of {} rounds count: the machine is too busy; stop what else runs here\n", rounds,
                        c.rounds_asked);
  }
  return text;
}

nlohmann::json report_document(const Provenance& provenance, const std::vector<Section>& sections) {
  nlohmann::json document = {{"commit", provenance.commit},
                             {"doctor", provenance.doctor},
                             {"conditions", provenance.conditions},
                             {"sections", nlohmann::json::array()}};
  for (const Section& section : sections) document["sections"].push_back(to_json(section));
  return document;
}

void write_document(const std::string& path, const nlohmann::json& document) {
  std::ofstream file(path);
  file << document.dump(2) << '\n';
  if (!file.flush()) throw Error("cannot write " + path + ": check the folder and the space on the disk");
}

}  // namespace nestwright::bench
