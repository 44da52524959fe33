#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "exporter/sources.h"
#include "space/config_json.h"
#include "target/machine.h"

namespace nestwright {
namespace {

using nlohmann::json;

json tensors_of(const Exported& e) {
  json tensors = json::array();
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    json shape = json::array();
    for (const Expr& extent : tensor.shape()) shape.push_back(*ir::as_const_int(extent));
    tensors.push_back({{"name", tensor.name()},
                       {"type", tensor.dtype().str()},
                       {"shape", shape},
                       {"role", e.is_constant(i)                             ? "constant"
                                : static_cast<int>(i) < e.definition->inputs ? "input"
                                                                             : "output"}});
  }
  return tensors;
}

/// What was measured, under the names that `query --json` has for it. A record of another shape says nothing about this
/// one's time: it is kept apart.
void add_record(json& manifest, const BestRecord& record) {
  const json measured = {
      {"time_ns",
       {{"median", record.timing.median_ns}, {"low", record.timing.low_ns}, {"high", record.timing.high_ns}}},
      {"gflops", record.gflops()},
      {"verified", record.evidence.verified},
      {"trials", record.trials},
      {"machine", record.task.machine},
      {"backend", record.task.backend},
      {"evidence",
       {{"recorded_at", record.recorded_at},
        {"from_race", record.from_race},
        {"tied", record.tied},
        {"pipeline", record.pipeline == Pipeline::kFinal ? "final" : "search"},
        {"samples_ns", record.timing.samples_ns},
        {"largest_error", record.evidence.largest_error},
        {"largest_error_ratio", record.evidence.largest_error_ratio}}}};
  if (record.match == MatchKind::kExact) {
    manifest.update(measured);
  } else {
    manifest["recorded_for"] = record.task.workload.text;
    manifest["record"] = measured;
  }
}

}  // namespace

std::string manifest_json(const Exported& e) {
  json manifest = {{"function", e.name},
                   {"kernel_symbol", e.object->symbol},
                   {"workload", e.task->workload.str()},
                   {"target", e.task->target.str()},
                   {"extensions", e.object->extensions},
                   {"tensors", tensors_of(e)},
                   {"parallel", e.is_parallel},
                   {"threads", e.threads()},
                   {"workspace_bytes", e.workspace_bytes()},
                   {"prepared_bytes", e.prepared_bytes()},
                   {"template", e.found->source->name},
                   {"version", e.found->source->version},
                   {"match", match_name(e.found->match)},
                   {"config", json::parse(to_json(e.found->config))},
                   {"config_text", e.found->config.str()},
                   {"time_ns", nullptr},
                   {"gflops", nullptr},
                   {"verified", false},
                   {"trials", 0},
                   {"machine", nullptr},
                   {"evidence", nullptr},
                   {"exported",
                    {{"by", "nestwright " NESTWRIGHT_VERSION},
                     {"backend", make_backend(e.task->target.device)->version()},
                     {"pipeline", "final"},
                     {"on", Machine::host().fingerprint()}}},
                   {"returns",
                    {{"0", "done"},
                     {"1", "this CPU lacks instructions that the kernel needs"},
                     {"2", "no memory for the workspace"},
                     {"3", "a null or misaligned pointer was passed"}}}};
  if (e.found->record) add_record(manifest, *e.found->record);
  return manifest.dump(2) + "\n";
}

}  // namespace nestwright
