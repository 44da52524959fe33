// An operator Y[i] = 2 X[i] with the fault that its workload names.
#include "nestwright/plugin.h"

#ifndef EXPECTED
#define EXPECTED 3  // times X, where the expectation is the fault
#endif

using namespace nestwright;

static void fail_in(const Workload& w, const char* function) {
  if (w.choice("fault") == function) throw 5;
}

static Definition define(const Workload& w) {
  fail_in(w, "define");
  const Expr n(w.size("n"));
  const Tensor x = placeholder({n}, kFloat32, "X");
  return {.args = {x, compute({n}, [&](Expr i) { return x(i) * 2.0F; }, "Y")}, .inputs = 1};
}

static Reference reference(const Workload& w, const HostTensors& in) {
  fail_in(w, "reference");
  Reference y{{in[0]}, {std::vector<double>(in[0].size())}};
  for (double& value : y.expected[0]) value *= w.choice("fault") == "expectation" ? EXPECTED : 2;
  if (w.choice("fault") == "bounds") y.bound.clear();
  return y;
}

static Schedule schedule(Tuning& t, const Workload& w, Definition& definition, const Target&) {
  fail_in(w, "schedule");
  std::vector<std::int64_t> candidates{4, 8, 16};
  if (w.choice("fault") == "everywhere") {
    for (std::int64_t factor = 17; factor < 117; ++factor) candidates.push_back(factor);
  }
  const KnobExpr factors = t.define_knob("factor", candidates);
  if (std::int64_t{factors} != 4) fail_in(w, "other_factors");
  const Tensor y = definition.args[1];
  Schedule s = create_schedule(y);
  const auto [outer, inner] = s[y].split(s[y].axis(0), factor(factors));
  if (w.choice("fault") == "everywhere") s[y].bind(outer, kThreadIdxX);  // which CPUs do not have
  const bool has_branches = w.choice("fault") == "branch" || w.choice("fault") == "lowering";
  if (has_branches && t.choose("how", {"bad", "good"}) == "bad") {
    if (w.choice("fault") == "lowering") s[y].bind(outer, kThreadIdxX);  // which CPUs do not have
    fail_in(w, "branch");
  }
  return s;
}

NESTWRIGHT_PLUGIN("faulty", "1.0", registry) {
  using Kind = OperatorParameter::Kind;
  registry.add({.name = "faulty",
                .summary = "has the fault that its workload names",
                .parameters = {{"n", "the number of elements"},
                               {.name = "fault",
                                .meaning = "where it is",
                                .kind = Kind::kChoice,
                                .choices = {"define", "reference", "schedule", "other_factors", "branch", "lowering",
                                            "expectation", "bounds", "everywhere"}}},
                .define = define,
                .reference = reference,
                .templates = {{.name = "faulty.cpu", .schedule = schedule}}});
}
