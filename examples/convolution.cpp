// A convolution in NCHW of 1x3x32x32 by 16x3x3x3 to 1x16x30x30. 16 divides neither the height nor the width.
#include "example.h"

using namespace nestwright;
using namespace nestwright::examples;

namespace {

constexpr int C = 3, H = 32, W = 32, F = 16, S = 3, OH = H - S + 1, OW = W - S + 1;

Array reference(const Array& image, const Array& weights) {
  const auto x = image.as<const float>(), w = weights.as<const float>();
  return filled({1, F, OH, OW}, [&](std::int64_t at) {
    const std::int64_t f = at / (OH * OW), y = at / OW % OH, z = at % OW;
    double total = 0;
    for (std::int64_t c = 0; c < C; ++c) {
      for (std::int64_t dy = 0; dy < S; ++dy) {
        for (std::int64_t dx = 0; dx < S; ++dx) {
          total += double{x[static_cast<std::size_t>((c * H + y + dy) * W + z + dx)]} *
                   w[static_cast<std::size_t>(((f * C + c) * S + dy) * S + dx)];
        }
      }
    }
    return total;
  });
}

void convolution(Example& example) {
  const Tensor X = placeholder({1, C, H, W}, kFloat32, "X"), Weights = placeholder({F, C, S, S}, kFloat32, "W");
  const IterVar c = reduce_axis(C, "c"), dy = reduce_axis(S, "dy"), dx = reduce_axis(S, "dx");
  const Tensor Y = compute(
      {1, F, OH, OW},
      [&](Expr n, Expr f, Expr h, Expr w) { return sum(X(n, c, h + dy, w + dx) * Weights(f, c, dy, dx), {c, dy, dx}); },
      "Y");

  Schedule s = create_schedule(Y);
  const auto [ho, hi] = s[Y].split(s[Y].axis(2), factor(16));
  const auto [wo, wi] = s[Y].split(s[Y].axis(3), factor(16));
  s[Y].reorder({s[Y].axis(0), s[Y].axis(1), ho, wo, hi, wi, c, dy, dx}).parallel(ho).vectorize(wi);

  const Array image = numbers({1, C, H, W}), weights = numbers({F, C, S, S});
  example.run("convolution", s, {X, Weights, Y}, {&image, &weights}, reference(image, weights));
}

}  // namespace

int main(int argc, char** argv) { return main_of(argc, argv, convolution); }
