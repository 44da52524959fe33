#include "tests/bench/synthetic.h"

#include <algorithm>

namespace nestwright::bench {

Comparison synthetic(const std::string& label, std::vector<Series> series) {
  Comparison c;
  c.subject = {.label = label, .workload = "matmul of " + label, .flops = 1e9, .bytes = 1e7};
  std::size_t rounds = 0;
  for (const Series& s : series) rounds = std::max(rounds, s.times_ns.size());
  c.rounds_asked = static_cast<int>(rounds);
  c.peaks_gflops.assign(rounds, 2000);
  c.copies_gb_s.assign(rounds, 100);
  c.series = std::move(series);
  return c;
}

}  // namespace nestwright::bench
