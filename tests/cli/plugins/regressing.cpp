// An operator Y[i] = 2 X[i] whose second build has a fault that its workload names, in the configuration lanes=8 alone.
#include <stdexcept>

#include "nestwright/plugin.h"

using namespace nestwright;

#ifdef REGRESSED
static constexpr bool kIsRegressed = true;
#else
static constexpr bool kIsRegressed = false;
#endif

static Tensor multiplied(const Tensor& x, const Workload& w, float by) {
  return compute({Expr(w.size("n"))}, [&](Expr i) { return x(i) * by; }, "Y");
}

static Definition define(const Workload& w) {
  const Tensor x = placeholder({Expr(w.size("n"))}, kFloat32, "X");
  return {.args = {x, multiplied(x, w, 2)}, .inputs = 1};
}

static Reference reference(const Workload&, const HostTensors& in) {
  Reference y{{in[0]}, {std::vector<double>(in[0].size())}};
  for (double& value : y.expected[0]) value *= 2;
  return y;
}

static Schedule schedule(Tuning& t, const Workload& w, Definition& definition, const Target&) {
  const KnobExpr lanes = t.define_knob("lanes", {4, 8});
  if (kIsRegressed && std::int64_t{lanes} == 8) {
    if (w.choice("fault") == "throws") throw std::runtime_error("this build does not have eight lanes");
    definition.args[1] = multiplied(definition.args[0], w, 3);
  }
  const Tensor y = definition.args[1];
  Schedule s = create_schedule(y);
  const auto [outer, inner] = s[y].split(s[y].axis(0), factor(lanes));
  s[y].vectorize(inner);
  return s;
}

NESTWRIGHT_PLUGIN("regressing", "1.0", registry) {
  using Kind = OperatorParameter::Kind;
  registry.add({.name = "regressing",
                .summary = "has a fault in its second build",
                .parameters =
                    {{"n", "the number of elements"},
                     {.name = "fault", .meaning = "what it is", .kind = Kind::kChoice, .choices = {"throws", "wrong"}}},
                .define = define,
                .reference = reference,
                .templates = {{.name = "regressing.cpu", .schedule = schedule}}});
}
