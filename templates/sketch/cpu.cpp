// The template generated.cpu: the rules of templates/sketch/rules.cpp, applied to the stages of the operator's
// definition. Each combination of what the rules choose is a sketch; numbers inside of a sketch are knobs.
#include "templates/sketch/rules.h"
#include "templates/sketch/seeds/seeds.h"
#include "templates/sketch/sketch_template.h"

namespace nestwright {
namespace {

Schedule schedule_generated(Tuning& t, Definition& definition, const Target& target) {
  NestDraft draft{t, definition, target};
  rewrite_expression(draft, cpu_rules());
  Sketch sketch(draft);
  sketch.parallel = target.threads > 1 && sketch.choose("parallel", {"none", "loops"}) == "loops";
  apply_rules(sketch, cpu_rules());
  return std::move(sketch.schedule);
}

}  // namespace

Template sketch_cpu_template() {
  Template result;
  result.name = "generated.cpu";
  result.version = 4;
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
