// The GPU template of functions element by element:
//
//   blocks of threads: a few vectors a thread, as far apart as the block has threads:
//     Y = f(A, B)
#include "templates/elementwise/elementwise.h"
#include "templates/framework/space/completion.h"
#include "templates/loops/gpu_threads.h"

namespace nestwright {
namespace {

Schedule schedule_elementwise(Tuning& t, const Workload& workload, const Definition& definition, const Target& target) {
  const std::int64_t n = workload.elements("shape");
  const Tensor y = definition.args.back();
  Schedule s = create_schedule(y);
  bind_elements(s[y], {s[y].axis(0)}, define_elements(t, n, n, y.dtype(), target));
  return s;
}

std::vector<Config> elementwise_seeds(const Workload& workload, const Target& target) {
  return complete_seeds(elementwise_gpu_template(), workload, target, element_seeds());
}

}  // namespace

Template elementwise_gpu_template() { return {"elementwise.gpu", 1, gpus(), schedule_elementwise, elementwise_seeds}; }

}  // namespace nestwright
