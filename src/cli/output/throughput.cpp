#include "cli/output/throughput.h"

#include <fmt/format.h>

#include "nestwright/error.h"

namespace nestwright::cli {

Work work_of(const Workload& workload) {
  const Definition& definition = *workload.definition;
  return {definition.flops, definition.bytes};
}

Work work_of(const WorkloadKey& workload, const std::shared_ptr<const Operator>& op) {
  if (op == nullptr) return {workload.flops, 0};
  try {
    return work_of(parse_workload(workload.text, op));
  } catch (const Error&) {
    return {workload.flops, 0};
  }
}

Work work_of(const WorkloadKey& workload, const Workload& asked) {
  return workload.text == asked.str() ? work_of(asked) : work_of(workload, asked.op);
}

std::string throughput_text(const Work& work, double ns) {
  return fmt::format("{:.1f} {}", work.throughput(ns), work.unit());
}

}  // namespace nestwright::cli
