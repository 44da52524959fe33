// The template generated.gpu: the rules of templates/sketch/gpu/gpu_rules.cpp, applied to the stages of the
// operator's definition. Each combination of what the rules choose is a sketch; numbers inside of a sketch are knobs.
#include "templates/sketch/gpu/gpu_rules.h"
#include "templates/sketch/gpu/gpu_seeds.h"
#include "templates/sketch/sketch_template.h"

namespace nestwright {
namespace {

Schedule schedule_on_gpu(Tuning& t, Definition& definition, const Target& target) {
  NestDraft draft{t, definition, target};
  rewrite_expression(draft, gpu_rules());
  GpuSketch sketch(draft);
  apply_rules(sketch, gpu_rules());
  sketch.require_shared_memory();
  return std::move(sketch.schedule);
}

}  // namespace

Template sketch_gpu_template() {
  Template result;
  result.name = "generated.gpu";
  result.version = 2;
  result.devices = gpus();
  result.is_generic = true;
  result.schedule = [](Tuning& t, const Workload&, Definition& definition, const Target& target) {
    return schedule_on_gpu(t, definition, target);
  };
  // By value: templates are copied into lists, and the copies outlive `result`.
  result.seeds = [plain = result](const Workload& workload, const Target& target) {
    return generated_gpu_seeds(plain, workload, target);
  };
  return result;
}

}  // namespace nestwright
