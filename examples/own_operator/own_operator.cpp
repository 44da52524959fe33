// An operator and a template of one's own: Y[i, j] = S[i] * X[i, j] is tuned for 5 s, run and exported.
#include <cmath>
#include <cstdio>

#include <nestwright/nestwright.h>

using namespace nestwright;

static Definition define(const Workload& w) {
  const std::int64_t rows = w.size("rows"), columns = w.size("columns");
  const Tensor x = placeholder({Expr(rows), Expr(columns)}, kFloat32, "X"),
               s = placeholder({Expr(rows)}, kFloat32, "S");
  const Tensor y = compute({Expr(rows), Expr(columns)}, [&](Expr i, Expr j) { return s(i) * x(i, j); }, "Y");
  const auto elements = static_cast<double>(rows * columns);
  return {.args = {x, s, y}, .inputs = 2, .flops = elements, .bytes = 8 * elements};
}

static Reference reference(const Workload& w, const HostTensors& in) {
  Reference y{{in[0]}, {in[0]}};
  for (std::size_t e = 0; e < in[0].size(); ++e) {
    y.expected[0][e] = in[1][e / static_cast<std::size_t>(w.size("columns"))] * in[0][e];
    y.bound[0][e] = std::ldexp(std::abs(y.expected[0][e]), -24) + 1e-45;  // rounded once
  }
  return y;
}

static Schedule schedule(Tuning& t, const Workload&, Definition& definition, const Target&) {
  const Tensor y = definition.args[2];
  const KnobExpr rows = t.define_knob("rows", {1, 2, 4, 8}), lanes = t.define_knob("lanes", {4, 8, 16, 32});
  Schedule s = create_schedule(y);
  const auto [block, row] = s[y].split(s[y].axis(0), factor(rows), Tail::partition());
  const auto [vector, lane] = s[y].split(s[y].axis(1), factor(lanes), Tail::predicate());
  s[y].reorder({block, vector, row, lane}).parallel(block).unroll(row).vectorize(lane);
  return s;
}

int main() try {
  Registry registry;
  registry.add({.name = "row_scale",
                .parameters = {{"rows", "the number of rows"}, {"columns", "the number of columns"}},
                .define = define,
                .reference = reference,
                .templates = {{.name = "row_scale.cpu", .schedule = schedule}}});
  const Task task{registry.parse_workload("row_scale rows=500 columns=1000"), Target::host()};
  TuningLog log = TuningLog::open("own_operator.db", OpenMode::kWrite);
  run_session(task, log, {.budget = {.seconds = 5}});
  const Lookup best = look_up(task, &log);
  std::printf("%s: %s\n", match_name(best.match), best.config.str().c_str());

  const Function run = build(program_of(task, *best.source, best.config, "row_scale"), task.target);
  Array x = Array::empty(kFloat32, {500, 1000}), s = Array::empty(kFloat32, {500}),
        y = Array::empty(kFloat32, {500, 1000});
  for (float& value : x.as<float>()) value = 2;
  for (float& value : s.as<float>()) value = 3;
  run(x, s, y);
  std::printf("6 is %g; exported as %s\n", y.as<float>()[499999],
              export_kernel(task, best, {"exported"}).symbol.c_str());
} catch (const Error& e) {
  return std::fprintf(stderr, "%s\n", e.what()), 1;
}
