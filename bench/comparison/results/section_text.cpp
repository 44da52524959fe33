// to_text for sections: tables for people to read.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bench/comparison/results/roofline.h"
#include "bench/comparison/results/section.h"

namespace nestwright::bench {
namespace {

constexpr std::size_t kMinLabel = 12;

std::string interval_text(const MedianInterval& i) {
  return i.median == 0 ? std::string("-") : fmt::format("{:.3f} [{:.3f} .. {:.3f}]", i.median, i.low, i.high);
}

std::string number(double value, int digits) { return value > 0 ? fmt::format("{:.{}f}", value, digits) : "-"; }

std::string share_text(const Roofline& r) {
  return r.share == 0 ? std::string("-") : fmt::format("{:.1f}% {}", 100 * r.share, name_of(r.bound));
}

/// Our median ratio over this library; "-" where it does not support the workload, "refused" where it should.
std::string ratio_over(const Comparison& comparison, const std::string& library) {
  for (std::size_t i = 1; i < comparison.series.size(); ++i) {
    if (comparison.series[i].name != library) continue;
    return comparison.series[i].refused ? "refused" : number(speed_of(comparison, i).ratio.median, 3);
  }
  return "-";
}

std::string row_text(const Comparison& comparison, const std::vector<std::string>& libraries) {
  const Series& ours = comparison.series.at(0);
  const SeriesSpeed us = speed_of(comparison, 0);
  const auto best = best_library(comparison);
  const SeriesSpeed theirs = best ? speed_of(comparison, *best) : SeriesSpeed{};
  std::string text = fmt::format("{:>9}{:>8}  {:<15}{:<13}{:>9}  {:<25}", number(us.gflops, 1), number(us.gb_s, 1),
                                 share_text(roofline(comparison, ours)), best ? comparison.series[*best].name : "-",
                                 number(theirs.gflops, 1), interval_text(theirs.ratio));
  for (const std::string& library : libraries) {
    text += fmt::format(" {:>{}}", ratio_over(comparison, library), std::max<std::size_t>(7, library.size()));
  }
  const std::size_t rounds = comparison.peaks_gflops.size();
  if (ours.times_ns.empty() && !ours.detail.empty() && rounds > 0) text += "  ours: " + ours.detail;
  if (!comparison.is_complete()) {
    text += fmt::format("  only {} of {} rounds count: the machine is too busy", rounds, comparison.rounds_asked);
  }
  return text;
}

std::string rival_text(const RivalSummary& v) {
  std::string text = fmt::format("  {:<13}{:>7}{:>10}  ", v.rival, v.shapes, number(v.geomean, 3));
  text += v.shapes == 0 ? "-" : fmt::format("{} {}", interval_text(v.worst), v.worst_label);
  if (!v.lost.empty()) text += fmt::format("; wholly below {}: {} ({})", kLost, v.lost.size(), fmt::join(v.lost, ", "));
  return text + '\n';
}

std::string summary_text(const Section& section) {
  const std::vector<Comparison> comparisons = section.comparisons();
  std::string text = fmt::format("  {:<13}{:>7}{:>10}  worst\n", "ours over", "shapes", "geomean");
  text += rival_text(summary_over_best(comparisons));
  for (const std::string& library : section.libraries()) text += rival_text(summary_over(comparisons, library));
  const ShareSummary shares = share_summary(comparisons);
  if (shares.shapes > 0) {
    text += fmt::format("  share of what binds: geomean {:.1f}%, worst {:.1f}% {}\n", 100 * shares.geomean,
                        100 * shares.worst, shares.worst_label);
  }
  return text;
}

std::string refusals_text(const std::vector<Comparison>& comparisons) {
  std::string text;
  for (const Comparison& comparison : comparisons) {
    for (const Series& series : comparison.series) {
      if (!series.refused) continue;
      text += fmt::format("  refused: {} on {}: {}\n", series.name, comparison.subject.label, series.detail);
    }
  }
  return text;
}

}  // namespace

std::string to_text(const Section& section) {
  std::size_t width = kMinLabel;
  for (const Row& row : section.rows) width = std::max(width, row.label.size());
  std::string text = fmt::format("{}\n  {:<{}}{:>9}{:>8}  {:<15}{:<13}{:>9}  {:<25}", section.title(), "", width,
                                 "GFLOP/s", "GB/s", "of what binds", "best library", "GFLOP/s", "ours / best [95%]");
  const std::vector<std::string> libraries = section.libraries();
  for (const std::string& library : libraries) text += fmt::format(" {:>7}", library);
  text += '\n';
  for (const Row& row : section.rows) {
    text += fmt::format("  {:<{}}{}\n", row.label, width,
                        row.comparison ? row_text(*row.comparison, libraries) : "  no template: " + row.workload);
  }
  text += summary_text(section) + refusals_text(section.comparisons());
  if (const int missing = section.without_template(); missing > 0) {
    text += fmt::format("  no template for {} of {} workloads: they are not in these numbers\n", missing,
                        section.rows.size());
  }
  return text;
}

}  // namespace nestwright::bench
