// Trace::replay: applies recorded primitives to a fresh schedule, by one function for each primitive.
#include <fmt/format.h>

#include <map>

#include "nestwright/error.h"
#include "nestwright/schedule.h"
#include "schedule/trace/step_reader.h"

namespace nestwright {
namespace {

void replay_split(const StepReader& r) {
  r.stage_of_loop(0).split(r.loop(0), r.split_size(1), Tail::parse(r.after(2, "tail=")));
}

void replay_tile(const StepReader& r) {
  r.stage_of_loop(0).tile(r.loop(0), r.loop(1), r.number(2), r.number(3), Tail::parse(r.after(4, "tail=")));
}

void replay_reorder(const StepReader& r) {
  std::vector<IterVar> loops;
  for (std::size_t i = 0; i < r.count(); ++i) loops.push_back(r.loop(i));
  r.stage_of_loop(0).reorder(loops);
}

void replay_cache_read(const StepReader& r) {
  std::vector<Tensor> readers;
  for (std::size_t i = 2; i < r.count(); ++i) readers.push_back(r.tensor(i));
  r.schedule().cache_read(r.tensor(0), r.scope(1), readers);
}

void replay_cache_write(const StepReader& r) {
  std::optional<IterVar> below;
  if (r.count() > 2) below = r.find_loop(r.after(2, "below="), 2).second;
  r.schedule().cache_write(r.tensor(0), r.scope(1), below);
}

void replay_rfactor(const StepReader& r) {
  const auto [tensor, loop] = r.find_loop(r.word(0), 0);
  r.schedule().rfactor(tensor, loop, static_cast<int>(r.parse_number(r.after(1, "axis="), 1)));
}

void replay_transform_layout(const StepReader& r) {
  r.schedule().transform_layout(r.tensor(0), [&](std::span<const Expr> axes) {
    std::vector<Expr> indices;
    for (std::size_t i = 1; i < r.count(); ++i) {
      const std::string& word = r.word(i);
      const std::size_t sign = word.find_first_of("/%");
      const std::int64_t axis = r.parse_number(std::string_view(word).substr(0, sign), i);
      if (axis < 0 || axis >= static_cast<std::int64_t>(axes.size())) r.malformed(i);
      const Expr& index = axes[static_cast<std::size_t>(axis)];
      if (sign == std::string::npos) {
        indices.push_back(index);
        continue;
      }
      const Expr by(r.parse_number(std::string_view(word).substr(sign + 1), i));
      indices.push_back(word[sign] == '/' ? index / by : index % by);
    }
    return indices;
  });
}

using Replayer = void (*)(const StepReader&);

const std::map<std::string_view, Replayer>& replayers() {
  static const std::map<std::string_view, Replayer> all = {
      {"split", replay_split},
      {"tile", replay_tile},
      {"fuse", [](const StepReader& r) { r.stage_of_loop(0).fuse(r.loop(0), r.loop(1)); }},
      {"reorder", replay_reorder},
      {"vectorize", [](const StepReader& r) { r.stage_of_loop(0).vectorize(r.loop(0)); }},
      {"unroll", [](const StepReader& r) { r.stage_of_loop(0).unroll(r.loop(0)); }},
      {"parallel", [](const StepReader& r) { r.stage_of_loop(0).parallel(r.loop(0)); }},
      {"bind", [](const StepReader& r) { r.stage_of_loop(0).bind(r.loop(0), r.thread_axis(1)); }},
      {"compute_at", [](const StepReader& r) { r.stage(0).compute_at(r.stage_of_loop(1), r.loop(1)); }},
      {"compute_inline", [](const StepReader& r) { r.stage(0).compute_inline(); }},
      {"compute_root", [](const StepReader& r) { r.stage(0).compute_root(); }},
      {"prepare", [](const StepReader& r) { r.stage(0).prepare(); }},
      {"set_scope", [](const StepReader& r) { r.stage(0).set_scope(r.scope(1)); }},
      {"prefetch", [](const StepReader& r) { r.stage_of_loop(1).prefetch(r.tensor(0), r.loop(1), r.number(2)); }},
      {"storage_align",
       [](const StepReader& r) { r.stage_of_loop(0).storage_align(r.loop(0), r.number(1), r.number(2)); }},
      {"stream", [](const StepReader& r) { r.stage(0).stream(); }},
      {"double_buffer",
       [](const StepReader& r) {
         r.stage(0).double_buffer(r.count() > 1 ? r.parse_number(r.after(1, "stages="), 1) : 2);
       }},
      {"pragma", [](const StepReader& r) { r.stage_of_loop(0).pragma(r.loop(0), r.word(1), r.number(2)); }},
      {"tensorize", [](const StepReader& r) { r.stage_of_loop(0).tensorize(r.loop(0), r.intrinsic(1)); }},
      {"rfactor", replay_rfactor},
      {"cache_read", replay_cache_read},
      {"cache_write", replay_cache_write},
      {"transform_layout", replay_transform_layout},
  };
  return all;
}

}  // namespace

std::vector<std::string> traced_primitives() {
  std::vector<std::string> names;
  for (const auto& [name, replayer] : replayers()) names.emplace_back(name);
  return names;
}

void Trace::replay(Schedule& schedule, std::span<const TensorIntrinsic> own) const {
  if (!schedule.trace().steps().empty()) {
    throw UsageError("a trace is replayed on a schedule to which nothing was done: make a fresh one");
  }
  for (const TraceStep& step : steps_) replay_step(schedule, step, own);
}

void replay_step(Schedule& schedule, const TraceStep& step, std::span<const TensorIntrinsic> own) {
  const auto it = replayers().find(step.primitive);
  if (it == replayers().end())
    throw UsageError(fmt::format("the trace names '{}', which is no primitive", step.primitive));
  it->second(StepReader(schedule, step, own));
}

}  // namespace nestwright
