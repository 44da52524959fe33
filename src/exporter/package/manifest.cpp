#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "exporter/source/device_sources.h"
#include "ir/gpu/launch.h"
#include "logs/quality.h"
#include "lookup/task_key.h"
#include "measure/race/process_range.h"
#include "nestwright/tensor.h"
#include "space/config_json.h"
#include "target/description/machine.h"

namespace nestwright {
namespace {

using nlohmann::json;

/// The strides in elements, one per dimension; for a compact tensor those that follow from its shape.
std::vector<std::int64_t> strides_of(const Tensor& tensor) {
  const ir::Buffer& buffer = tensor.buffer();
  if (!buffer->strides.empty()) return ir::constants_of(buffer->strides);
  const std::vector<std::int64_t> shape = ir::constants_of(passed_shape(tensor));
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

json tensors_of(const Exported& e) {
  json tensors = json::array();
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    const std::vector<std::int64_t> shape = ir::constants_of(passed_shape(tensor));
    tensors.push_back({{"name", tensor.name()},
                       {"parameter", e.parameters[i]},
                       {"type", tensor.dtype().str()},
                       {"shape", shape},
                       {"strides", strides_of(tensor)},
                       {"role", e.is_constant(i)                             ? "constant"
                                : static_cast<int>(i) < e.definition->inputs ? "input"
                                                                             : "output"}});
  }
  return tensors;
}

/// Null if the host computes them.
json sizes_of(const std::array<Expr, 3>& sizes) {
  json numbers = json::array();
  for (const Expr& size : sizes) {
    const std::int64_t* value = ir::as_const_int(size);
    if (value == nullptr) return nullptr;
    numbers.push_back(*value);
  }
  return numbers;
}

/// The kernels of a device, in the order of the program. Only CUDA's compiler reports resources.
json kernels_of(const Exported& e) {
  json kernels = json::array();
  for (std::size_t k = 0; k < e.program->kernels.size(); ++k) {
    const ir::Kernel& kernel = e.program->kernels[k];
    const ir::LaunchShape shape = ir::launch_shape(kernel);
    json described = {{"name", kernel.name},
                      {"blocks", sizes_of(shape.grid)},
                      {"threads", sizes_of(shape.block)},
                      {"shared_bytes", ir::shared_layout(kernel).bytes}};
    if (k < e.object->resources.size()) {
      const KernelResources& resources = e.object->resources[k];
      described["registers"] = resources.registers;
      described["spill_bytes"] = resources.spill_bytes;
    }
    kernels.push_back(std::move(described));
  }
  return kernels;
}

/// The arguments of a call, in order; prepared data replaces the constants, after the inputs.
json arguments_of(const Exported& e) {
  json names = json::array();
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    if (static_cast<int>(i) == e.definition->inputs && e.has_preparation()) names.push_back("prepared");
    if (!e.is_constant(i)) names.push_back(e.parameters[i]);
  }
  return names;
}

/// The arguments of the preparation, in order; null if there is none.
json preparation_arguments_of(const Exported& e) {
  if (!e.has_preparation()) return nullptr;
  json names = json::array();
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    if (e.is_constant(i)) names.push_back(e.parameters[i]);
  }
  names.push_back("prepared");
  return names;
}

/// The fields that depend on the kind of device.
json details_of(const Exported& e) {
  if (e.task->target.device == DeviceKind::kCpu) {
    json returns = {{"0", "done"},
                    {"1", "this CPU lacks instructions that the kernel needs"},
                    {"2", "no memory for the workspace"},
                    {"3", "a null or misaligned pointer was passed"}};
    if (uses_tiles(e.object->extensions)) returns["4"] = "the operating system refuses the registers of AMX";
    return {{"kernel_symbol", e.object->symbol},
            {"arguments", arguments_of(e)},
            {"preparation_arguments", preparation_arguments_of(e)},
            {"extensions", e.object->extensions},
            {"parallel", e.is_parallel},
            {"threads", e.threads()},
            {"workspace_bytes", e.workspace_bytes()},
            {"prepared_bytes", e.prepared_bytes()},
            {"returns", returns}};
  }
  return {{"kernels", kernels_of(e)},
          {"workspace_bytes", device_workspace_bytes(e)},
          {"returns",
           {{"0", "done, or queued"},
            {"1", "the device cannot run the kernels"},
            {"2", "no memory for the handle or the workspace"},
            {"3", "an argument cannot be used"},
            {"4", "the driver failed otherwise"}}}};
}

/// The check of the exported object on this machine; null if it was not run.
json check_of(const Exported& e) {
  if (e.check == nullptr || !e.check->why_not_run.empty()) return nullptr;
  json checked = {{"verified", true}, {"time_ns", nullptr}};
  if (e.check->median_ns > 0) {
    checked["time_ns"] = {{"median", e.check->median_ns}, {"low", e.check->low_ns}, {"high", e.check->high_ns}};
  }
  return checked;
}

/// Adds what was measured, under the names of `query --json`. A record of another shape says nothing about the time of
/// this one, so it is stored separately. The kernel that a hint was verified with may have been another one.
void add_record(json& manifest, const BestRecord& record, const std::string& hint) {
  const ProcessRange range = process_range(record.process_medians_ns);
  const json measured = {
      {"time_ns",
       {{"median", record.timing.median_ns}, {"low", record.timing.low_ns}, {"high", record.timing.high_ns}}},
      {"processes", {{"timed", range.processes}, {"slow", range.slow}, {"slow_ratio", range.slow_ratio}}},
      {"drift", record.drift},
      {"gflops", record.gflops()},
      {"verified", record.evidence.verified && hint.empty()},
      {"trials", record.trials},
      {"machine", record.task.machine},
      {"backend", record.task.backend},
      {"quality", quality_name(quality_of(record))},
      {"disturbance", record.timing.is_disturbed() ? json(record.timing.disturbance) : json()},
      {"evidence",
       {{"recorded_at", record.recorded_at},
        {"from_race", record.source == BestSource::kRace},
        {"source", best_source_name(record.source)},
        {"by_old_rule", record.by_old_rule},
        {"code_generator", record.made_by.code_generator},
        {"kernel", record.made_by.kernel},
        {"microcode", record.made_by.microcode},
        {"huge_pages", record.made_by.huge_pages},
        {"plugins", record.made_by.plugins},
        {"tied", record.tied},
        {"pipeline", record.pipeline == Pipeline::kFinal ? "final" : "search"},
        {"samples_ns", record.timing.samples_ns},
        {"largest_error", record.evidence.largest_error},
        {"largest_error_ratio", record.evidence.largest_error_ratio}}}};
  if (record.match != MatchKind::kNearest) {
    manifest.update(measured);
  } else {
    manifest["recorded_for"] = record.task.workload.text;
    manifest["record"] = measured;
  }
}

}  // namespace

std::string manifest_json(const Exported& e) {
  json manifest = {{"function", e.name},
                   {"workload", e.task->workload.str()},
                   {"target", e.task->target.str()},
                   {"caches", caches_of(*e.task)},
                   {"tensors", tensors_of(e)},
                   {"template", e.found->source->name},
                   {"version", e.found->source->version},
                   {"match", match_name(e.found->match)},
                   {"hint", e.found->hint.empty() ? json() : json(e.found->hint)},
                   {"config", json::parse(to_json(e.found->config))},
                   {"config_text", e.found->config.str()},
                   {"time_ns", nullptr},
                   {"gflops", nullptr},
                   {"verified", false},
                   {"quality", quality_name(Quality::kDefault)},
                   {"disturbance", nullptr},
                   {"trials", 0},
                   {"machine", nullptr},
                   {"evidence", nullptr},
                   {"exported",
                    {{"by", "nestwright " NESTWRIGHT_VERSION},
                     {"backend", backend_version(e.task->target.device)},
                     {"pipeline", "final"},
                     {"on", Machine::host().fingerprint()},
                     {"checked", check_of(e)}}}};
  manifest.update(details_of(e));
  if (e.found->record) add_record(manifest, *e.found->record, e.found->hint);
  return manifest.dump(2) + "\n";
}

}  // namespace nestwright
