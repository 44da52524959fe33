#include <fmt/format.h>

#include <cmath>

#include "codegen/backend.h"
#include "codegen/inspect.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "report/pictures/sections.h"
#include "report/recorded_program.h"
#include "support/base/caught_message.h"
#include "support/base/format_time.h"

namespace nestwright::report {
namespace {

/// "verified, largest error 0.12 of its bound". Records of other tuners do not say how large the error was.
std::string evidence_text(const Evidence& evidence) {
  if (!evidence.verified) return "not verified";
  if (std::isnan(evidence.largest_error_ratio)) return "verified";
  return fmt::format("verified, largest error {:.2g} of its bound", evidence.largest_error_ratio);
}

/// The best time as it is reported.
Table answer_table(const BestRecord& best, double flops) {
  Table table{"Answer", "", {"what", "value"}, {}};
  const auto add = [&](const char* what, std::string value) { table.rows.push_back({what, std::move(value)}); };
  add("time", format_time_range(best.timing.median_ns, best.timing.low_ns, best.timing.high_ns));
  if (flops > 0) add("speed", fmt::format("{:.1f} GFLOP/s", flops / best.timing.median_ns));
  add("evidence", fmt::format("{}, trial {}, {}", best_source_name(best.source), best.trial, best.recorded_at));
  if (best.ties > 0) add("ties", fmt::to_string(best.ties));
  if (best.timing.is_disturbed()) add("disturbance", best.timing.disturbance);
  add("correct", evidence_text(best.evidence));
  add("template", fmt::format("{} version {}", best.point.template_name, best.point.version));
  add("configuration", best.point.config.str());
  return table;
}

void add_code(const TaskContext& context, const BestRecord& best, Section& section) {
  const Target& target = context.target();
  const std::optional<ir::Program> loops =
      recorded_program(context, {best.point.template_name, best.point.version}, best.point.config);
  if (!loops) return;
  section.texts.push_back(
      {"Loops", "As this program lowers the configuration, before vectorization.", ir::to_string(*loops)});
  if (target.device != DeviceKind::kCpu) return;
  const CompiledObject object =
      compile_program(expand(*loops, target), target, {.pipeline = Pipeline::kFinal, .keep_assembly = true});
  const std::string loop = vector_loop(object.assembly);
  if (loop.empty()) return;
  section.texts.push_back(
      {"Innermost loop",
       "The innermost loop with the most vector instructions, as this program compiles it for export.", loop});
}

}  // namespace

Section best_section(const TaskData& data) {
  if (!data.best) return {};
  Section section{"Best", "", {answer_table(*data.best, data.flops)}, {}, {}, false};
  if (!data.context) return section;
  try {
    add_code(*data.context, *data.best, section);
  } catch (...) {
    const std::string why = caught_message();
    section.note = "The kernel cannot be built here any more: " + (data.hides_paths ? without_paths(why) : why);
  }
  return section;
}

}  // namespace nestwright::report
