// The template generated.cpu: the rules of templates/generated/rules.h, applied to the stages of the operator's
// definition. Each combination of what the rules choose is a sketch; numbers inside of a sketch are knobs.
#include "templates/generated/far_rows.h"
#include "templates/generated/generated.h"
#include "templates/generated/merge_axes.h"
#include "templates/generated/rules.h"
#include "templates/generated/seeds.h"

namespace nestwright {
namespace {

Schedule schedule_generated(Tuning& t, Definition& definition, const Target& target) {
  merge_axes(definition);
  const std::int64_t far_rows = may_take_far_rows(definition, target) ? take_far_rows(t, definition, target) : 0;
  Sketch sketch(t, definition, target);
  sketch.far_rows = far_rows;
  sketch.parallel = target.threads > 1 && sketch.choose("parallel", {"none", "loops"}) == "loops";
  inline_cheap(sketch);
  inline_padding(sketch);
  apply_rules(sketch, cpu_rules());
  prepare_constants(sketch);
  return std::move(sketch.schedule);
}

}  // namespace

Template generated_cpu_template() {
  Template result;
  result.name = "generated.cpu";
  result.version = 2;
  result.is_generic = true;
  result.schedule = [](Tuning& t, const Workload&, Definition& definition, const Target& target) {
    return schedule_generated(t, definition, target);
  };
  // By value: templates are copied into lists, and the copies outlive `result`.
  result.seeds = [plain = result](const Workload& workload, const Target& target) {
    return generated_seeds(plain, workload, target);
  };
  return result;
}

}  // namespace nestwright
