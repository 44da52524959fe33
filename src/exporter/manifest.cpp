#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "exporter/sources.h"

namespace nestwright {

std::string manifest_json(const Exported& e) {
  nlohmann::json tensors = nlohmann::json::array();
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    nlohmann::json shape = nlohmann::json::array();
    for (const Expr& extent : tensor.shape()) shape.push_back(*ir::as_const_int(extent));
    tensors.push_back({{"name", tensor.name()},
                       {"type", tensor.dtype().str()},
                       {"shape", shape},
                       {"role", static_cast<int>(i) < e.definition->inputs ? "input" : "output"}});
  }
  nlohmann::json json = {{"function", e.name},
                         {"kernel_symbol", e.object->symbol},
                         {"workload", e.task->workload.str()},
                         {"target", e.task->target.str()},
                         {"tensors", tensors},
                         {"template", e.found->source->name},
                         {"version", e.found->source->version},
                         {"config", e.found->config.str()},
                         {"match", match_name(e.found->match)},
                         {"parallel", e.is_parallel},
                         {"workspace_bytes",
                          e.object->workspace.shared_bytes + e.task->target.threads * e.object->workspace.per_thread_bytes},
                         {"made_by", "nestwright " NESTWRIGHT_VERSION}};
  if (const auto& record = e.found->record) {
    json["evidence"] = {{"recorded_for", record->task.workload.text},
                        {"machine", record->task.machine},
                        {"backend", record->task.backend},
                        {"recorded_at", record->recorded_at},
                        {"time_ns",
                         {{"median", record->timing.median_ns},
                          {"low", record->timing.low_ns},
                          {"high", record->timing.high_ns}}},
                        {"gflops", record->gflops()},
                        {"from_race", record->from_race},
                        {"verified", record->evidence.verified},
                        {"largest_error", record->evidence.largest_error},
                        {"largest_error_ratio", record->evidence.largest_error_ratio},
                        {"trials", record->trials}};
  }
  return json.dump(2) + "\n";
}

std::string cmake_config(const Exported& e) {
  return fmt::format(R"(# find_package({0} CONFIG) gives {0}::{0} (shared) and {0}::{0}_static.
find_package(Threads REQUIRED)
foreach(kind IN ITEMS shared static)
  if(kind STREQUAL "shared")
    set(target {0}::{0})
    set(file "${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.so")
  else()
    set(target {0}::{0}_static)
    set(file "${{CMAKE_CURRENT_LIST_DIR}}/lib{0}.a")
  endif()
  if(NOT TARGET ${{target}})
    string(TOUPPER ${{kind}} type)
    add_library(${{target}} ${{type}} IMPORTED)
    set_target_properties(${{target}} PROPERTIES IMPORTED_LOCATION "${{file}}"
                          INTERFACE_INCLUDE_DIRECTORIES "${{CMAKE_CURRENT_LIST_DIR}}"
                          INTERFACE_LINK_LIBRARIES Threads::Threads)
  endif()
endforeach()
)",
                     e.name);
}

}  // namespace nestwright
