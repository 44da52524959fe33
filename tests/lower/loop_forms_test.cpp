// The loop form of schedules whose splits divide: it has no guards, no min, and no / and % except to decode a loop that
// stays fused. Debug builds verify each of these programs after each pass.
#include <gmock/gmock.h>

#include <sstream>

#include "nestwright/lower.h"
#include "nestwright/program.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

std::string loop_form(const Schedule& s, const std::vector<Tensor>& args) {
  LowerOptions options;
  options.verify = true;
  return ir::to_string(lower(s, args, Target(), "f", options).kernels[0].body);
}

/// `text` without the lines that decode a fused loop.
std::string without_decoding(const std::string& text) {
  std::istringstream lines(text);
  std::string result, line;
  while (std::getline(lines, line))
    if (line.find("let ") == std::string::npos) result += line + "\n";
  return result;
}

void expect_plain(const std::string& text) {
  for (const char* sign : {"/", "%", "min(", "max(", "if "}) EXPECT_EQ(text.find(sign), std::string::npos) << text;
}

/// B = A + 1 over one, two or three axes.
struct Elementwise {
  explicit Elementwise(const std::vector<Expr>& shape)
      : a(placeholder(shape, kFloat32, "A")),
        b(compute(
            shape, [&](std::span<const Expr> at) { return a(at) + Expr(1.0); }, "B")),
        s(create_schedule(b)) {}
  IterVar axis(int i) { return s[b].axis(i); }
  std::string text() { return loop_form(s, {a, b}); }
  Tensor a, b;
  Schedule s;
};

TEST(DivisibleLoops, SplitsOfSplits) {
  Elementwise e({1024});
  const auto [o, i] = e.s[e.b].split(e.axis(0), factor(128));
  const auto [io, ii] = e.s[e.b].split(i, factor(32));
  const auto [iio, iii] = e.s[e.b].split(ii, nparts(4));
  const auto [oo, oi] = e.s[e.b].split(o, factor(2));
  EXPECT_EQ(e.text(),
            "for i.outer.outer in 0..4:\n"
            "  for i.outer.inner in 0..2:\n"
            "    for i.inner.outer in 0..4:\n"
            "      for i.inner.inner.outer in 0..4:\n"
            "        for i.inner.inner.inner in 0..8:\n"
            "          B[i.outer.outer*256 + i.outer.inner*128 + i.inner.outer*32 + i.inner.inner.outer*8 + "
            "i.inner.inner.inner] = A[i.outer.outer*256 + i.outer.inner*128 + i.inner.outer*32 + "
            "i.inner.inner.outer*8 + i.inner.inner.inner] + 1.0\n");
  e.s[e.b].reorder({iii, oi, iio, oo});
  expect_plain(e.text());
}

TEST(DivisibleLoops, ASplitThatIsFusedAgain) {
  Elementwise e({1024});
  const auto [o, i] = e.s[e.b].split(e.axis(0), factor(128));
  const auto [io, ii] = e.s[e.b].split(i, factor(32));
  const IterVar inner = e.s[e.b].fuse(io, ii);
  e.s[e.b].fuse(o, inner);
  const std::string text = without_decoding(e.text());
  expect_plain(text);
}

TEST(DivisibleLoops, AFusedLoopSplitAtTheInnerExtentAgain) {
  Elementwise e({16, 24});
  const IterVar f = e.s[e.b].fuse(e.axis(0), e.axis(1));
  e.s[e.b].split(f, factor(24));
  EXPECT_EQ(e.text(),
            "for i.j.outer in 0..16:\n"
            "  for i.j.inner in 0..24:\n"
            "    B[i.j.outer, i.j.inner] = A[i.j.outer, i.j.inner] + 1.0\n");
}

TEST(DivisibleLoops, AFusedLoopSplitByADivisorOrMultipleOfTheInnerExtent) {
  for (const int by : {2, 3, 4, 6, 8, 12, 24, 48, 96, 192}) {
    Elementwise e({16, 24});
    const IterVar f = e.s[e.b].fuse(e.axis(0), e.axis(1));
    const auto [o, i] = e.s[e.b].split(f, factor(by));
    const std::string text = e.text();
    expect_plain(without_decoding(text));
    if (by < 24) {
      EXPECT_THAT(text, HasSubstr("let i = i.j.outer/")) << "the inner loop has no part in it: " << text;
    }
    e.s[e.b].reorder({i, o});
    expect_plain(without_decoding(e.text()));
  }
}

TEST(DivisibleLoops, TilesOfTwoAndThreeAxes) {
  Elementwise two({32, 48});
  two.s[two.b].tile(two.axis(0), two.axis(1), 8, 16);
  expect_plain(two.text());
  Elementwise three({8, 12, 16});
  const auto [io, jo, ii, ji] = three.s[three.b].tile(three.axis(0), three.axis(1), 4, 6);
  const auto [ko, ki] = three.s[three.b].split(three.axis(2), factor(8));
  three.s[three.b].reorder({ko, jo, io, ji, ki, ii});
  expect_plain(three.text());
  const IterVar f = three.s[three.b].fuse(jo, io);
  const IterVar g = three.s[three.b].fuse(ko, f);
  three.s[three.b].parallel(g);
  expect_plain(without_decoding(three.text()));
}

TEST(DivisibleLoops, ThreeAxesFusedIntoOne) {
  Elementwise e({4, 6, 8});
  const IterVar jk = e.s[e.b].fuse(e.axis(1), e.axis(2));
  const IterVar all = e.s[e.b].fuse(e.axis(0), jk);
  expect_plain(without_decoding(e.text()));
  const auto [o, i] = e.s[e.b].split(all, factor(8));
  expect_plain(without_decoding(e.text()));
  e.s[e.b].vectorize(i);
  EXPECT_THAT(e.text(), HasSubstr(", i.j.k.inner] = A["));
}

TEST(DivisibleLoops, AReductionInTiles) {
  const Tensor a = placeholder({32, 64}, kFloat32, "A"), b = placeholder({64, 48}, kFloat32, "B");
  const IterVar k = reduce_axis(64, "k");
  const Tensor c = compute({32, 48}, [&](Expr i, Expr j) { return sum(a(i, k) * b(k, j), k); }, "C");
  Schedule s = create_schedule(c);
  const auto [io, jo, ii, ji] = s[c].tile(s[c].axis(0), s[c].axis(1), 8, 16);
  const auto [ko, ki] = s[c].split(k, factor(4));
  s[c].reorder({io, jo, ko, ii, ki, ji});
  s[c].vectorize(ji);
  const Tensor packed = s.cache_read(b, ir::Scope::kGlobal, {c});
  s.transform_layout(packed,
                     [](std::span<const Expr> x) { return std::vector{x[1] / Expr(16), x[0], x[1] % Expr(16)}; });
  s[packed].compute_at(s[c], jo);
  expect_plain(loop_form(s, {a, b, c}));
}

TEST(DivisibleLoops, LayoutsThatGoThereAndBack) {
  const Tensor a = placeholder({64 * 48}, kFloat32, "A");
  const Tensor matrix = compute({64, 48}, [&](Expr i, Expr j) { return a(i * 48 + j); }, "M");
  const Tensor tiles =
      compute({8, 6, 8, 8}, [&](Expr p, Expr q, Expr x, Expr y) { return matrix(p * 8 + x, q * 8 + y); }, "T");
  const Tensor back = compute({64, 48}, [&](Expr i, Expr j) { return tiles(i / 8, j / 8, i % 8, j % 8); }, "R");
  const Tensor flat = compute({64 * 48}, [&](Expr i) { return back(i / 48, i % 48); }, "F");
  Schedule s = create_schedule(flat);
  for (const Tensor& t : {matrix, tiles, back}) s[t].compute_inline();
  EXPECT_EQ(loop_form(s, {a, flat}), "for i in 0..3072:\n  F[i] = A[i]\n");
}

class SymbolicLoops : public ::testing::Test {
 protected:
  const Var n = var("n"), m = var("m");
};

TEST_F(SymbolicLoops, ExtentsThatTheFactorDivides) {
  Elementwise e({Expr(n) * 64});
  const auto [o, i] = e.s[e.b].split(e.axis(0), factor(32));
  const auto [io, ii] = e.s[e.b].split(i, factor(8));
  EXPECT_EQ(e.text(),
            "for i.outer in 0..(n*2):\n"
            "  for i.inner.outer in 0..4:\n"
            "    for i.inner.inner in 0..8:\n"
            "      B[i.outer*32 + i.inner.outer*8 + i.inner.inner] = A[i.outer*32 + i.inner.outer*8 + i.inner.inner] + "
            "1.0\n");
}

TEST_F(SymbolicLoops, ExtentsThatAreRoundedUp) {
  Elementwise e({(Expr(n) + 255) / 256 * 256});
  e.s[e.b].split(e.axis(0), factor(256));
  EXPECT_EQ(e.text(),
            "for i.outer in 0..((n + 255)/256):\n"
            "  for i.inner in 0..256:\n"
            "    B[i.outer*256 + i.inner] = A[i.outer*256 + i.inner] + 1.0\n");
}

TEST_F(SymbolicLoops, ATailKeepsOneGuard) {
  Elementwise e({n});
  e.s[e.b].split(e.axis(0), factor(256));
  EXPECT_EQ(e.text(),
            "for i.outer in 0..((n + 255)/256):\n"
            "  for i.inner in 0..256:\n"
            "    if likely(i.outer*256 + i.inner < n):\n"
            "      B[i.outer*256 + i.inner] = A[i.outer*256 + i.inner] + 1.0\n");
}

TEST_F(SymbolicLoops, Fused) {
  Elementwise e({n, m});
  e.s[e.b].fuse(e.axis(0), e.axis(1));
  EXPECT_EQ(e.text(),
            "for i.j in 0..(n*m):\n"
            "  let i = i.j/m\n"
            "  let j = i.j%m\n"
            "  B[i, j] = A[i, j] + 1.0\n");
}

TEST_F(SymbolicLoops, FusedOfThree) {
  const Var k = var("k");
  Elementwise e({n, m, k});
  const IterVar f = e.s[e.b].fuse(e.axis(0), e.axis(1));
  e.s[e.b].fuse(f, e.axis(2));
  expect_plain(without_decoding(e.text()));
}

TEST_F(SymbolicLoops, FusedAndSplit) {
  Elementwise constant({n, 24});
  const IterVar f = constant.s[constant.b].fuse(constant.axis(0), constant.axis(1));
  constant.s[constant.b].split(f, factor(8));
  EXPECT_EQ(constant.text(),
            "for i.j.outer in 0..(n*3):\n"
            "  for i.j.inner in 0..8:\n"
            "    let i = i.j.outer/3\n"
            "    let j = i.j.outer%3*8 + i.j.inner\n"
            "    B[i, j] = A[i, j] + 1.0\n");
  Elementwise e({n, m});
  const IterVar g = e.s[e.b].fuse(e.axis(0), e.axis(1));
  e.s[e.b].split(g, factor(8));
  EXPECT_EQ(e.text(),
            "for i.j.outer in 0..((n*m + 7)/8):\n"
            "  for i.j.inner in 0..8:\n"
            "    if likely(i.j.outer*8 + i.j.inner < n*m):\n"
            "      let i = (i.j.outer*8 + i.j.inner)/m\n"
            "      let j = (i.j.outer*8 + i.j.inner)%m\n"
            "      B[i, j] = A[i, j] + 1.0\n");
}

TEST_F(SymbolicLoops, FusedTilesThatDivide) {
  Elementwise e({Expr(n) * 16, Expr(m) * 32});
  const auto [io, jo, ii, ji] = e.s[e.b].tile(e.axis(0), e.axis(1), 4, 8);
  e.s[e.b].parallel(e.s[e.b].fuse(io, jo));
  EXPECT_EQ(e.text(),
            "parallel i.outer.j.outer in 0..(n*m*16):\n"
            "  let i.outer = i.outer.j.outer/(m*4)\n"
            "  let j.outer = i.outer.j.outer%(m*4)\n"
            "  for i.inner in 0..4:\n"
            "    for j.inner in 0..8:\n"
            "      B[i.outer*4 + i.inner, j.outer*8 + j.inner] = A[i.outer*4 + i.inner, j.outer*8 + j.inner] + 1.0\n");
}

TEST_F(SymbolicLoops, LayoutsThatGoThereAndBack) {
  const Tensor a = placeholder({Expr(n) * m}, kFloat32, "A");
  const Tensor matrix = compute({n, m}, [&](Expr i, Expr j) { return a(m * i + j); }, "M");
  const Tensor flat = compute({Expr(m) * n}, [&](Expr i) { return matrix(i / m, i % m); }, "F");
  Schedule s = create_schedule(flat);
  const std::string stored = loop_form(s, {a, flat});
  EXPECT_THAT(stored, HasSubstr("F[i_1] = M[i_1/m, i_1%m]"));
  s[matrix].compute_inline();
  EXPECT_EQ(loop_form(s, {a, flat}), "for i in 0..(m*n):\n  F[i] = A[i]\n");
}

TEST(PaddedReads, AreMaskedAndTheSelectIsGone) {
  const Tensor a = placeholder({10}, kFloat32, "A");
  const Tensor p = compute({12}, [&](Expr i) { return select(i >= 1 && i < 11, a(i - 1), Expr(0.0)); }, "P");
  const Tensor one = compute({12}, [&](Expr i) { return select(i >= 1 && i < 11, a(i - 1), Expr(1.0)); }, "Q");
  EXPECT_EQ(loop_form(create_schedule(p), {a, p}),
            "for i in 0..12:\n"
            "  P[i] = (A[i - 1] if i >= 1 && i < 11)\n");
  EXPECT_EQ(loop_form(create_schedule(one), {a, one}),
            "for i in 0..12:\n"
            "  Q[i] = select(i >= 1 && i < 11, (A[i - 1] if i >= 1 && i < 11), 1.0)\n");
}

}  // namespace
}  // namespace nestwright::testing
