// tensorize: what an intrinsic replaces, and what is refused.
#include "matmul_fixture.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

/// Products of bytes as the built-in intrinsic sums them, with parameters that the tests vary.
struct Bytes {
  Type a_type = kUInt8, b_type = kInt8;
  Tensor a, b, c;
  IterVar ko = reduce_axis(6, "ko"), ki = reduce_axis(4, "ki");

  using Body = std::function<Expr(const Bytes&, Expr, Expr)>;
  static Expr product(const Bytes& t, const Expr& i, const Expr& j) {
    return cast(kInt32, t.a(i, t.ko * 4 + t.ki)) * cast(kInt32, t.b(t.ko, j, t.ki));
  }
  explicit Bytes(const Body& body = product, Type of_a = kUInt8, Type of_b = kInt8) : a_type(of_a), b_type(of_b) {
    a = placeholder({5, 24}, a_type, "A");
    b = placeholder({6, 32, 4}, b_type, "B");
    c = compute({5, 32}, [&](Expr i, Expr j) { return sum(body(*this, i, j), {ko, ki}); }, "C");
  }
};

class Tensorize : public ::testing::Test {
 protected:
  /// Moves the loops of the tile innermost and returns the first of them.
  static IterVar tile(Schedule& s, const Bytes& t, std::int64_t columns = 16) {
    const auto [jo, ji] = s[t.c].split(s[t.c].axis(1), factor(columns));
    s[t.c].reorder({s[t.c].axis(0), jo, t.ko, ji, t.ki});
    return ji;
  }
  static std::string mismatch(const Bytes& t, std::int64_t columns = 16) {
    Schedule s = create_schedule(t.c);
    const IterVar ji = tile(s, t, columns);
    const std::string before = s.str();
    const std::string text = message<ScheduleError>([&] { s[t.c].tensorize(ji, dot_u8s8_16x4()); });
    if (text != "accepted") {
      EXPECT_EQ(s.str(), before);
    }
    return text;
  }
};

TEST_F(Tensorize, MatchesReadsThatStartAnywhere) {
  const Bytes t;
  Schedule s = create_schedule(t.c);
  const IterVar ji = tile(s, t);
  s[t.c].tensorize(ji, dot_u8s8_16x4());
  EXPECT_EQ(s.trace().steps().back(), (TraceStep{"tensorize", {"C.5", "dot_u8s8_16x4"}}));
  EXPECT_THAT(s.str(), ::testing::HasSubstr("  tensorized by dot_u8s8_16x4 at j.inner\n"));
  Schedule again = create_schedule(t.c);
  Trace::parse(s.trace().str()).replay(again);
  EXPECT_EQ(again.str(), s.str());
}

TEST_F(Tensorize, AnAxisThatDoesNotStartAtZeroIsNotTakenForOneThatDoes) {
  // ki runs from 2 to 5, so that ki / 4 is not the same for all of the tile.
  const Tensor a = placeholder({5, 32}, kUInt8, "A"), b = placeholder({7, 32, 8}, kInt8, "B");
  const IterVar ko = reduce_axis(6, "ko"), ki = reduce_axis(2, 4, "ki");
  const Tensor c = compute(
      {5, 32},
      [&](Expr i, Expr j) {
        return sum(cast(kInt32, a(i, ko * 4 + ki)) * cast(kInt32, b(ko + ki / 4, j, ki)), {ko, ki});
      },
      "C");
  Schedule s = create_schedule(c);
  const auto [jo, ji] = s[c].split(s[c].axis(1), factor(16));
  s[c].reorder({s[c].axis(0), jo, ko, ji, ki});
  EXPECT_NE(message<ScheduleError>([&, inner = ji] { s[c].tensorize(inner, dot_u8s8_16x4()); }), "accepted");
}

TEST_F(Tensorize, FactorsMayComeInAnyOrder) {
  const Bytes t([](const Bytes& x, const Expr& i, const Expr& j) {
    return cast(kInt32, x.b(x.ko, j, x.ki)) * cast(kInt32, x.a(i, x.ko * 4 + x.ki));
  });
  EXPECT_EQ(mismatch(t), "accepted");
}

TEST_F(Tensorize, RefusesWhatThePatternDoesNotCompute) {
  const std::string start = "tensorize of j.inner: it does not compute what dot_u8s8_16x4 does: ";
  EXPECT_EQ(mismatch(Bytes(), 8), start + "loop j.inner has 8 iterations, axis i of the pattern 16");
  EXPECT_EQ(mismatch(Bytes(Bytes::product, kInt8)), start + "A (read as a) is uint8 in the pattern and int8 in C");
  EXPECT_EQ(mismatch(Bytes(Bytes::product, kUInt8, kUInt8)),
            start + "B (read as b) is int8 in the pattern and uint8 in C");
  EXPECT_EQ(mismatch(Bytes([](const Bytes& x, const Expr& i, const Expr& j) {
              return cast(kInt32, x.a(i, x.ki * 6 + x.ko)) * cast(kInt32, x.b(x.ko, j, x.ki));
            })),
            start + "index 1 of A (read as a), ki*6 + ko, does not move with the loops as the pattern does");
  EXPECT_EQ(
      mismatch(Bytes([](const Bytes& x, const Expr& i, const Expr& j) {
        return cast(kInt32, x.a(i, x.ko * 4 + x.ki)) + cast(kInt32, x.b(x.ko, j, x.ki));
      })),
      start + "C has int32(A[i, ko*4 + ki]) + int32(B[ko, j, ki]) where the pattern has int32(a[k])*int32(b[i, k])");
}

TEST_F(Tensorize, RefusesTailsAndOtherLoops) {
  const Bytes t;
  Schedule s = create_schedule(t.c);
  EXPECT_EQ(
      message<ScheduleError>([&] { s[t.c].tensorize(t.ko, dot_u8s8_16x4()); }),
      "tensorize of ko: it does not compute what dot_u8s8_16x4 does: there are 0 spatial loops from there on, the "
      "pattern has 1");
  const auto [io, ii] = s[t.c].split(s[t.c].axis(0), factor(16));
  s[t.c].reorder({io, s[t.c].axis(1), t.ko, ii, t.ki});
  EXPECT_EQ(
      message<ScheduleError>([&] { s[t.c].tensorize(ii, dot_u8s8_16x4()); }),
      "tensorize of i.inner: it does not compute what dot_u8s8_16x4 does: the split of i by 16 leaves a tail inside "
      "the loops that it replaces: give it Tail::partition(), which makes loops of the tail");
}

TEST_F(Tensorize, ClosesItsLoopsToOtherPrimitives) {
  const Bytes t;
  Schedule s = create_schedule(t.c);
  const IterVar ji = tile(s, t);
  s[t.c].unroll(ji);
  EXPECT_EQ(message<ScheduleError>([&] { s[t.c].tensorize(ji, dot_u8s8_16x4()); }),
            "tensorize of j.inner: it is unrolled already: do that to the resulting loop instead");
  s = create_schedule(t.c);
  const IterVar again = tile(s, t);
  s[t.c].tensorize(again, dot_u8s8_16x4());
  const std::string closed = "dot_u8s8_16x4 computes C there: tensorize afterwards";
  EXPECT_EQ(message<ScheduleError>([&] { s[t.c].vectorize(again); }), "vectorize of j.inner: " + closed);
  EXPECT_EQ(message<ScheduleError>([&] { s[t.c].split(t.ki, factor(2)); }), "split of ki: " + closed);
  EXPECT_EQ(message<ScheduleError>([&] { s[t.c].tensorize(t.ki, dot_u8s8_16x4()); }), "tensorize of ki: " + closed);
  EXPECT_EQ(message<ScheduleError>([&] { s.rfactor(t.c, t.ko); }),
            "rfactor of C: it is tensorized: tensorize its partial results instead");
  EXPECT_EQ(message<ScheduleError>([&] { s.cache_write(t.c, ir::Scope::kLocal); }),
            "cache_write of C: it is tensorized: tensorize its tile instead");
  s[t.c].unroll(t.ko);  // outside of the tile
}

TEST_F(Tensorize, ReplaysDeclaredIntrinsicsByName) {
  TensorIntrinsic own = dot_u8s8_16x4();
  own.name = "mine";
  const Bytes t;
  Schedule s = create_schedule(t.c);
  s[t.c].tensorize(tile(s, t), own);
  Schedule again = create_schedule(t.c);
  s.trace().replay(again, std::span(&own, 1));
  EXPECT_EQ(again.str(), s.str());
  Schedule unknown = create_schedule(t.c);
  try {
    s.trace().replay(unknown);
    ADD_FAILURE() << "not refused";
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(), "'mine' is no built-in intrinsic: known are dot_u8s8_16x4");
  }
}

}  // namespace
}  // namespace nestwright
