// A plugin: Y[i] = min(max(X[i], low), high), with one template for CPUs and GPUs.
#include <algorithm>

#include <nestwright/nestwright.h>
#include <nestwright/plugin.h>

using namespace nestwright;

static Definition define(const Workload& w) {
  const std::int64_t n = w.size("n");
  const Tensor x = placeholder({Expr(n)}, kFloat32, "X");
  const Expr low = Expr(static_cast<float>(w.number("low"))), high = Expr(static_cast<float>(w.number("high")));
  const Tensor y = compute({Expr(n)}, [&](Expr i) { return min(max(x(i), low), high); }, "Y");
  return {.args = {x, y}, .inputs = 1, .flops = 2.0 * static_cast<double>(n), .bytes = 8.0 * static_cast<double>(n)};
}

static Reference reference(const Workload& w, const HostTensors& in) {
  Reference y{{in[0]}, {std::vector<double>(in[0].size())}};  // exact
  const auto low = static_cast<float>(w.number("low")), high = static_cast<float>(w.number("high"));
  for (double& value : y.expected[0]) value = std::min<double>(std::max<double>(value, low), high);
  return y;
}

static Schedule schedule(Tuning& t, const Workload&, Definition& definition, const Target& target) {
  const Tensor y = definition.args[1];
  Schedule s = create_schedule(y);
  if (target.device == DeviceKind::kCpu) {
    const KnobExpr lanes = t.define_knob("lanes", {4, 8, 16, 32}), vectors = t.define_knob("vectors", {1, 16, 256});
    const auto [block, inner] = s[y].split(s[y].axis(0), factor(lanes * vectors), Tail::partition());
    const auto [vector, lane] = s[y].split(inner, factor(lanes), Tail::predicate());
    s[y].parallel(block).vectorize(lane);
  } else {
    const auto [block, thread] = s[y].split(s[y].axis(0), factor(t.define_knob("threads", {64, 128, 256})));
    s[y].bind(block, kBlockIdxX).bind(thread, kThreadIdxX);
  }
  return s;
}

NESTWRIGHT_PLUGIN("clip", "1.0", registry) {
  using Kind = OperatorParameter::Kind;
  registry.add({.name = "clip",
                .summary = "limits to a range",
                .parameters = {{"n", "the number of elements"},
                               {"low", "the least value", Kind::kNumber, "0"},
                               {"high", "the greatest value", Kind::kNumber, "1"}},
                .define = define,
                .reference = reference,
                .templates = {{.name = "clip.any",
                               .devices = {DeviceKind::kCpu, DeviceKind::kCuda, DeviceKind::kOpenCl},
                               .schedule = schedule}}});
}
