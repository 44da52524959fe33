#include <fmt/format.h>

#include <cstdio>

#include "bench/comparison/results/report.h"
#include "bench/figures/report/report.h"
#include "bench/support/doctor.h"

namespace nestwright::bench {

void publish(const FigureReport& report, const Publication& publication) {
  const Provenance provenance{publication.commit, ask_doctor(), report.conditions};
  fmt::print("{}{}", report_heading(provenance, {}), to_text(report.rows));
  std::fflush(stdout);
  if (publication.json.empty()) return;
  nlohmann::json document = to_json(report);
  document["commit"] = provenance.commit;
  document["doctor"] = provenance.doctor;
  write_document(publication.json, document);
}

}  // namespace nestwright::bench
