#include "text/analysis/convolution.h"

#include <gtest/gtest.h>

#include "text/expression.h"

namespace nestwright::text {
namespace {

/// "X W n c k, rows, columns" with the windows as "input-output filter stride dilation before after".
std::string convolution_of(const std::string& text) {
  const Expression expression = Expression::parse(text);
  const Program& program = expression.program();
  const std::optional<ConvolutionStage> c = find_convolution(program, program.stages.front());
  if (!c) return "";
  std::string found = program.tensors[c->x].name + " " + program.tensors[c->w].name;
  for (const std::int64_t size : {c->images, c->channels, c->filters}) found += " " + std::to_string(size);
  for (const ConvolutionWindow& w : {c->rows, c->columns}) {
    found += ", " + std::to_string(w.input) + "-" + std::to_string(w.output);
    for (const std::int64_t size : {w.filter, w.stride, w.dilation, w.before, w.after}) {
      found += " " + std::to_string(size);
    }
  }
  return found;
}

TEST(Convolutions, HaveImagesChannelsAndWindows) {
  EXPECT_EQ(convolution_of("T[n, k, p, q] = sum(c, r, s, X[n, c, p + r - 1, q + s - 1]?0 * W[k, c, r, s]); "
                           "X: float32[2, 4, 8, 9]; W: float32[5, 4, 3, 3] p=8 q=9"),
            "X W 2 4 5, 8-8 3 1 1 1 1, 9-9 3 1 1 1 1");
  EXPECT_EQ(convolution_of("T[n, k, p, q] = sum(r, s, c, W[k, c, r, s] * X[n, c, 2*p + 3*r - 2, q + s]?0); "
                           "X: float32[2, 4, 8, 9]; W: float32[5, 4, 2, 3] p=4 q=8"),
            "X W 2 4 5, 8-4 2 2 3 2 0, 9-8 3 1 1 0 1");
  EXPECT_EQ(convolution_of("T[k, p, q] = sum(c, r, s, X[c, p + r, q + s] * W[k, c, r, s]); "
                           "X: float32[4, 8, 9]; W: float32[5, 4, 3, 3]"),
            "X W 1 4 5, 8-6 3 1 1 0 0, 9-7 3 1 1 0 0");
  EXPECT_EQ(convolution_of("T[n, k, p, q] = sum(r, s, X[n, 0, p + r, q + s] * W[k, 0, r, s]); "
                           "X: float32[1, 1, 8, 3]; W: float32[1, 1, 3, 3]"),
            "X W 1 1 1, 8-6 3 1 1 0 0, 3-1 3 1 1 0 0");
}

TEST(Convolutions, AreNothingElse) {
  const std::string shapes = "; X: float32[2, 4, 8, 9]; W: float32[4, 4, 3, 3]";
  const auto of = [&](const std::string& body, const std::string& sizes = " p=6 q=7") {
    return convolution_of("T[n, k, p, q] = sum(c, r, s, " + body + ")" + shapes + sizes + " n=2 k=4 c=4 r=3 s=3");
  };
  EXPECT_NE(of("X[n, c, p + r, q + s] * W[k, c, r, s]"), "");
  EXPECT_EQ(of("X[n, c, p + r, q + s] + W[k, c, r, s]"), "");
  EXPECT_EQ(of("X[n, c, p + r, q + s] * W[k, c, r, s] * 2"), "");
  EXPECT_EQ(of("X[n, k, p + r, q + s] * W[k, c, r, s]"), "") << "every filter has its channel";
  EXPECT_EQ(of("X[n, c, p + r, q + s] * W[c, k, r, s]"), "") << "channels before filters";
  EXPECT_EQ(of("X[n, c, p - r + 2, q - s + 2] * W[k, c, r, s]"), "") << "filters are flipped";
  EXPECT_EQ(of("X[n, c, p + s, q + r] * W[k, c, r, s]"), "") << "or transposed";
  EXPECT_EQ(of("X[n, c, p + r, q + s]?1 * W[k, c, r, s]"), "");
  EXPECT_EQ(of("X[n, c, p + r + 1, q + s] * W[k, c, r, s]", " p=5 q=7"), "") << "the first row is not read";
  EXPECT_EQ(of("X[n, c, p + r, q + s] * W[k, c, r, s]", " p=5 q=7"), "") << "nor the last one";
  EXPECT_EQ(of("X[n, c, p + r, p + s] * W[k, c, r, s]"), "");
}

}  // namespace
}  // namespace nestwright::text
