#include "cli/output/network_output.h"

#include <fmt/format.h>

#include "support/base/format_time.h"

namespace nestwright::cli {
namespace {

bool is_changed(const NetworkKernelChoice& kernel) { return kernel.point != kernel.compared.front(); }

}  // namespace

std::string network_text(const NetworkRecord& record, const std::vector<std::string>& variant) {
  const Timing& timing = record.timing;
  std::string text = fmt::format("network   {} a run ({} .. {})", format_time(timing.median_ns),
                                 format_time(timing.low_ns), format_time(timing.high_ns));
  if (record.kernels_ns > 0) {
    text += fmt::format(", of which {:.1f}% outside of its kernels",
                        100 * (timing.median_ns - record.kernels_ns) / timing.median_ns);
  }
  if (timing.is_disturbed()) text += fmt::format("; disturbed: {}", timing.disturbance);
  text += "\n";
  std::size_t changed = 0;
  for (const NetworkKernelChoice& kernel : record.kernels) changed += is_changed(kernel) ? 1 : 0;
  if (!record.kernels.empty()) {
    text += fmt::format("          {} of {} kernels that were compared in it are other ones than the fastest alone\n",
                        changed, record.kernels.size());
  }
  const bool is_default = changed == 0 && record.variant.is_default();
  if (!is_default && record.before_ns > 0) {
    text += fmt::format(
        "          {:.1f}% faster than {} with default groupings and layouts, and kernels that are the fastest alone\n",
        100 * (record.before_ns / timing.median_ns - 1), format_time(record.before_ns));
  }
  for (const std::string& line : variant) text += fmt::format("          {}\n", line);
  return text;
}

Json network_json(const NetworkRecord& record) {
  const Timing& timing = record.timing;
  Json json = {{"graph", record.key.graph},
               {"time_ns", timing.median_ns},
               {"low_ns", timing.low_ns},
               {"high_ns", timing.high_ns},
               {"process_medians_ns", record.process_medians_ns},
               {"default_time_ns", nullptr},
               {"sum_of_kernels_ns", nullptr},
               {"disturbance", timing.disturbance},
               {"groupings", Json::list()},
               {"blocked", Json::list()},
               {"recorded_at", record.recorded_at}};
  if (record.before_ns > 0) json["default_time_ns"] = record.before_ns;
  if (record.kernels_ns > 0) json["sum_of_kernels_ns"] = record.kernels_ns;
  for (const NetworkVariant::Grouping& grouping : record.variant.groupings) {
    json["groupings"].push_back({{"kind", grouping.kind}, {"nodes", grouping.nodes}});
  }
  for (const auto& [block, nodes] : record.variant.blocked) {
    json["blocked"].push_back({{"channels", block}, {"nodes", nodes}});
  }
  json["kernels"] = Json::list();
  for (const NetworkKernelChoice& kernel : record.kernels) {
    json["kernels"].push_back({{"workload", kernel.workload},
                               {"template", kernel.point.template_name},
                               {"config_text", kernel.point.config.str()},
                               {"compared", kernel.compared.size()},
                               {"is_fastest_alone", !is_changed(kernel)},
                               {"saved_ns", kernel.saved_ns}});
  }
  return json;
}

}  // namespace nestwright::cli
