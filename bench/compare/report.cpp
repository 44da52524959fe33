#include "bench/compare/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "target/machine.h"

namespace nestwright::bench {
namespace {

nlohmann::json interval_json(const MedianInterval& i) {
  return {{"median", i.median}, {"low", i.low}, {"high", i.high}};
}

const char* plural(int threads) { return threads == 1 ? "" : "s"; }

}  // namespace

nlohmann::json machine_json(const std::string& commit) {
  const Machine machine = Machine::host();
  return {{"cpu", fmt::format("{} family {} model {} stepping {}", machine.cpu.name, machine.cpu.family,
                              machine.cpu.model, machine.cpu.stepping)},
          {"cores", machine.cores},
          {"target", Target::host().str()},
          {"features", machine.features},
          {"kernel", machine.kernel},
          {"microcode", machine.microcode},
          {"commit", commit}};
}

std::string machine_text(const nlohmann::json& machine) {
  const auto text = [&](const char* key) { return machine[key].get<std::string>(); };
  return fmt::format("cpu     {}, {} cores\ntarget  {}\nsystem  {}, microcode {}\ncommit  {}\n", text("cpu"),
                     machine["cores"].get<int>(), text("target"), text("kernel"), text("microcode"), text("commit"));
}

std::string to_text(const Comparison& c, int rounds_asked) {
  const int rounds = static_cast<int>(c.peaks_gflops.size());
  std::string text = fmt::format(
      "{}, {} thread{}: {} rounds, {} dropped (the machine was not ours), peak {:.1f} GFLOP/s\n", c.problem.str(),
      c.threads, plural(c.threads), rounds, c.dropped, median_interval(c.peaks_gflops).median);
  if (rounds < rounds_asked) {
    text += fmt::format("  only {} of {} rounds count: the machine is too busy; stop what else runs here\n", rounds,
                        rounds_asked);
  }
  if (rounds == 0) return text;
  text += fmt::format("  {:<11}{:>8}{:>9}  ours / it\n", "", "GFLOP/s", "of peak");
  for (std::size_t i = 0; i < c.series.size(); ++i) {
    const Standing s = standing(c, i);
    text += fmt::format("  {:<11}{:>8.1f}{:>8.1f}%  ", c.series[i].name, s.gflops, 100 * s.share_of_peak);
    text += i == 0 ? fmt::format("{:20}", "")
                   : fmt::format("{:.3f} [{:.3f} .. {:.3f}]", s.ratio.median, s.ratio.low, s.ratio.high);
    text += fmt::format("  {}\n", c.series[i].detail);
  }
  return text;
}

nlohmann::json to_json(const Comparison& c) {
  nlohmann::json contestants = nlohmann::json::array();
  for (std::size_t i = 0; i < c.series.size(); ++i) {
    const Standing s = standing(c, i);
    contestants.push_back({{"name", c.series[i].name},
                           {"detail", c.series[i].detail},
                           {"gflops", s.gflops},
                           {"share_of_peak", s.share_of_peak},
                           {"ratio_ours", interval_json(s.ratio)},
                           {"times_ns", c.series[i].times_ns}});
  }
  return {{"m", c.problem.m},
          {"n", c.problem.n},
          {"k", c.problem.k},
          {"threads", c.threads},
          {"rounds", c.peaks_gflops.size()},
          {"dropped", c.dropped},
          {"peaks_gflops", c.peaks_gflops},
          {"contestants", std::move(contestants)}};
}

std::string verdicts_text(const std::vector<Verdict>& verdicts) {
  const auto ratio = [](double value) { return value > 0 ? fmt::format("{:.3f}", value) : std::string("-"); };
  std::string text = fmt::format("{:<13}{:>9}{:>11}{:>9}  worst\n", "ours / it", "1 thread", "2 threads", "overall");
  for (const Verdict& v : verdicts) {
    text +=
        fmt::format("  {:<11}{:>9}{:>11}{:>9}  ", v.rival, ratio(v.one_thread), ratio(v.two_threads), ratio(v.overall));
    text += v.worst > 0 ? fmt::format("{:.3f} [{:.3f} .. {:.3f}] {}\n", v.worst, v.worst_interval.low,
                                      v.worst_interval.high, v.worst_where)
                        : "-\n";
  }
  return text;
}

nlohmann::json to_json(const Verdict& v) {
  return {{"rival", v.rival},
          {"one_thread", v.one_thread},
          {"two_threads", v.two_threads},
          {"overall", v.overall},
          {"worst", interval_json(v.worst_interval)},
          {"worst_where", v.worst_where}};
}

}  // namespace nestwright::bench
