#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/pictures/sections.h"

namespace nestwright::report {
namespace {

int disturbed_trials(const TaskData& data, SessionId session) {
  int count = 0;
  for (std::size_t i = 0; i < data.trials.size(); ++i) {
    count += data.trials.session[i] == session && data.trials.has(i, kIsDisturbed) ? 1 : 0;
  }
  return count;
}

}  // namespace

Section provenance_section(const TaskData& data) {
  const TaskKey& key = data.task.key;
  Table made{"Task", "", {"what", "value"}, {}};
  const auto add = [&](const char* what, std::string value) {
    if (!value.empty()) made.rows.push_back({what, std::move(value)});
  };
  add("workload", key.workload.text);
  add("target", key.target);
  add("caches", key.cache);
  add("machine", key.machine);
  add("compiler", key.backend);
  add("recorded by", key.workload.source);
  if (data.flops > 0) add("operations of one run", fmt::format("{:.6g}", data.flops));
  if (data.bytes > 0) add("bytes of its tensors", fmt::format("{:.6g}", data.bytes));
  if (data.limits.fma_gflops > 0) {
    add("highest rates", fmt::format("{:.1f} GFLOP/s of float32 multiply-adds, {:.1f} GB/s from L1, on {} threads",
                                     data.limits.fma_gflops, data.limits.read_gb_s, key.threads));
  }
  Table sessions{"Sessions",
                 "Drift: two readings of one kernel, minutes apart, differed by at most this share.",
                 {"session", "began", "status", "trials", "disturbed", "drift", "strategy", "seed", "within",
                  "code generator", "kernel", "plugins"},
                 {}};
  for (const ListedSession& session : data.sessions) {
    const int disturbed = disturbed_trials(data, session.id);
    const RecordProvenance& by = session.made_by;
    sessions.rows.push_back(
        {fmt::to_string(session.id), session.started_at,
         session.status + (session.reason.empty() ? "" : ": " + session.reason), fmt::to_string(session.trials),
         fmt::to_string(disturbed), session.drift > 0 ? fmt::format("{:.1f}%", 100 * session.drift) : "",
         session.strategy + ", " + session.cost_model, session.seed,
         session.options != "{}"       ? session.options
         : key.workload.source.empty() ? "the whole space"
                                       : "",
         by.code_generator.substr(0, 12), by.kernel, fmt::format("{}", fmt::join(by.plugins, ", "))});
  }
  Section section{"Provenance", "", {std::move(made)}, {}, {}, false};
  if (!sessions.rows.empty()) section.tables.push_back(std::move(sessions));
  if (!data.commands.empty())
    section.texts.push_back({"Commands", "", fmt::format("{}\n", fmt::join(data.commands, "\n"))});
  return section;
}

}  // namespace nestwright::report
