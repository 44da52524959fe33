#include "templates/conv2d/winograd_transform.h"

#include "nestwright/error.h"
#include "nestwright/tensor.h"

namespace nestwright {
namespace {

void check_outputs(std::int64_t outputs, std::size_t given, std::size_t wanted) {
  check((outputs == 2 || outputs == 4) && given == wanted, "there are transforms of F(2, 3) and of F(4, 3)");
}

}  // namespace

double winograd_scale(std::int64_t outputs) { return outputs == 2 ? 1 : 15 * 15; }

std::vector<Expr> winograd_inputs(std::int64_t outputs, const std::vector<Expr>& d) {
  check_outputs(outputs, d.size(), static_cast<std::size_t>(outputs) + 2);
  if (outputs == 2) return {d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3]};
  const Expr even = d[4] - d[2], odd = d[3] - d[1];
  return {even + (d[0] - d[2]) - 1.5 * odd,
          1.5 * (d[2] + d[3]) - (even + odd),
          1.5 * (d[2] - d[3]) + (even - odd),
          even + 0.5 * odd,
          2.0 * odd - even,
          d[5] - d[3] - odd - 1.5 * even};
}

std::vector<Expr> winograd_weights(std::int64_t outputs, const std::vector<Expr>& g) {
  check_outputs(outputs, g.size(), 3);
  const Expr ends = g[0] + g[2];
  if (outputs == 2) return {g[0], 0.5 * (ends + g[1]), 0.5 * (ends - g[1]), g[2]};
  return {15.0 * g[0],
          5.0 * (ends + g[1]),
          5.0 * (ends - g[1]),
          g[0] + 2.0 * g[1] + 4.0 * g[2],
          16.0 * g[0] - 8.0 * g[1] + 4.0 * g[2],
          15.0 * g[2]};
}

std::vector<Expr> winograd_outputs(std::int64_t outputs, const std::vector<Expr>& m) {
  check_outputs(outputs, m.size(), static_cast<std::size_t>(outputs) + 2);
  if (outputs == 2) return {m[0] + m[1] + m[2], m[1] - m[2] - m[3]};
  const Expr sum = m[1] + m[2], difference = m[1] - m[2];
  return {m[0] + sum + (m[3] + m[4]), difference + 2.0 * m[3] - 0.5 * m[4], sum + 4.0 * m[3] + 0.25 * m[4],
          difference + 8.0 * m[3] - 0.125 * m[4] + m[5]};
}

Expr winograd_element(const Expr& index, const std::vector<Expr>& values) {
  Expr element = values.back();
  for (std::size_t i = values.size() - 1; i-- > 0;) {
    element = select(index == Expr(static_cast<std::int64_t>(i)), values[i], element);
  }
  return element;
}

}  // namespace nestwright
