#include "cli/throughput.h"

#include <fmt/format.h>

#include "support/error.h"
#include "templates/registry.h"

namespace nestwright::cli {

Work work_of(const Workload& workload) {
  const Definition definition = find_operator(workload.op).define(workload);
  return {definition.flops, definition.bytes};
}

Work work_of(const WorkloadKey& workload) {
  try {
    return work_of(parse_workload(workload.text));
  } catch (const Error&) {
    return {workload.flops, 0};
  }
}

std::string throughput_text(const Work& work, double ns) {
  return fmt::format("{:.1f} {}", work.throughput(ns), work.unit());
}

}  // namespace nestwright::cli
