// An operator Y[i] = 2 X[i] whose template has knobs of several kinds, one of them behind a choice, and values that its
// constraints rule out, for the tests of findings.
// Thread rule: pure functions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "nestwright/lookup.h"
#include "nestwright/template.h"
#include "tests/findings/made_up_trials.h"

namespace nestwright {

inline Schedule tiled_schedule(Tuning& t, const Workload&, Definition& definition, const Target&) {
  const bool packs = t.choose("pack", {"no", "yes"}) == "yes";
  const KnobExpr rows = t.define_knob("rows", {1, 2, 4, 14}), columns = t.define_knob("columns", {4, 8});
  t.define_annotate("order", {"rows", "columns"});
  t.require(rows * columns <= 32, "the tile does not fit into the registers");
  if (packs) {
    const KnobExpr panel = t.define_knob("panel", {8, 16});
    t.require(panel >= 2 * columns, "the panel is smaller than two tiles");
  }
  const Tensor y = definition.args[1];
  Schedule s = create_schedule(y);
  s[y].split(s[y].axis(0), factor(columns));
  return s;
}

/// The task of 64 elements on one thread of a machine with AVX2.
inline TaskContext tiled_task() {
  const auto op = std::make_shared<Operator>();
  op->name = "tiled";
  op->parameters = {{"n", "the number of elements"}};
  op->define = [](const Workload& workload) {
    const Expr n(workload.size("n"));
    const Tensor x = placeholder({n}, kFloat32, "X");
    const Tensor y = compute({n}, [&](const Expr& i) { return x(i) + x(i); }, "Y");
    return Definition{{x, y}, 1, 64, 512};
  };
  op->reference = [](const Workload&, const HostTensors& inputs) { return one_result(inputs[0].size()); };
  op->templates = {{.name = "made_up.cpu", .schedule = tiled_schedule}};
  return Task{parse_workload("tiled n=64", op), Target::parse("cpu,isa=avx2,threads=1")};
}

}  // namespace nestwright
