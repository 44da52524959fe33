#include "text_operator/unscheduled.h"

namespace nestwright {

Template unscheduled_template() {
  Template unscheduled;
  unscheduled.name = "expression.unscheduled";
  unscheduled.schedule = [](Tuning&, const Workload&, Definition& definition, const Target&) {
    const auto first_output = definition.args.begin() + definition.inputs;
    return create_schedule(std::vector<Tensor>(first_output, definition.args.end()));
  };
  return unscheduled;
}

}  // namespace nestwright
