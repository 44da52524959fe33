#include <utility>

#include "lower/nest/nest_builder.h"
#include "lower/passes.h"

namespace nestwright::passes {

ir::Program build_nest(ir::Program program, PassContext& context) {
  const ScheduleState& state = *context.schedule;
  std::vector<StageGraph> graphs;
  graphs.reserve(state.stages.size());
  for (std::size_t s = 0; s < state.stages.size(); ++s) graphs.emplace_back(state, static_cast<int>(s));
  const Regions regions(state, graphs);
  Nests nests = NestBuilder(state, graphs, regions).build(context.signature->outputs, context.signature->symbols);
  program.host = ir::make_launch(0);
  program.kernels.push_back({program.name, std::move(nests.call.body)});
  context.notes.push_back(std::move(nests.call.notes));
  if (!nests.preparation.body.defined()) return program;
  program.preparation = ir::make_launch(1);
  program.kernels.push_back({program.name + "_prepare", std::move(nests.preparation.body)});
  context.notes.push_back(std::move(nests.preparation.notes));
  for (const ir::Buffer& buffer : nests.prepared) program.parameters.push_back({buffer, ir::Role::kPrepared});
  return program;
}

}  // namespace nestwright::passes
