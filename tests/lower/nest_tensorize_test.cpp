// The statements that a tensor intrinsic emits: what is refused, scalar parameters, and tails that stay loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "run_program.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;

/// y[l] = alpha * x[l] + z[l] over four elements.
TensorIntrinsic axpy() {
  TensorIntrinsic result;
  result.name = "axpy";
  const Tensor x = placeholder({4}, kFloat32, "x"), z = placeholder({4}, kFloat32, "z");
  const Var alpha = var("alpha", kFloat32);
  result.inputs = {x, z};
  result.scalars = {alpha};
  result.pattern = compute({4}, [&](Expr l) { return alpha * x(l) + z(l); }, "y");
  result.emit = [alpha](const TensorSlice& out, std::span<const TensorSlice> in) {
    const Var l("l");
    return ir::make_for(l, 0, 4, ir::LoopKind::kVectorized, out.store({l}, alpha * in[0].load({l}) + in[1].load({l})));
  };
  return result;
}

struct Op {
  explicit Op(std::int64_t columns) : n(columns) {}
  std::int64_t n;
  Tensor w = placeholder({3}, kFloat32, "W");
  Tensor x = placeholder({3, n}, kFloat32, "X");
  Tensor z = placeholder({3, n}, kFloat32, "Z");
  Tensor y = compute({3, n}, [this](Expr i, Expr j) { return x(i, j) * (w(i) + 2.0) + z(i, j); }, "Y");
  Args args{w, x, z, y};

  Schedule tensorized(const TensorIntrinsic& intrinsic, const Tail& tail = Tail::guard()) const {
    Schedule s = create_schedule(y);
    s[y].tensorize(s[y].split(s[y].axis(1), factor(4), tail).second, intrinsic);
    return s;
  }
  std::string refusal(const TensorIntrinsic& intrinsic) const {
    return message<LowerError>([&] { lower(tensorized(intrinsic), args, Target(), "f"); });
  }
};

TEST(Tensorize, PutsScalarsIntoWhatIsEmitted) {
  const Op op(8);
  const Schedule s = op.tensorized(axpy());
  EXPECT_EQ(ir::to_string(lower(s, op.args, Target(), "f").kernels[0].body),
            "for i in 0..3:\n"
            "  for j.outer in 0..2:\n"
            "    vectorized l in 0..4:\n"
            "      Y[i, j.outer*4 + l] = (W[i] + 2.0)*X[i, j.outer*4 + l] + Z[i, j.outer*4 + l]\n");
  expect_same_results(s, {op.y}, op.args);
}

TEST(Tensorize, RefusesScalarsThatDifferWithinTheTile) {
  const Op op(8);
  const Tensor y = compute({3, 8}, [&](Expr i, Expr j) { return op.x(i, j) * op.z(i, j) + op.z(i, j); }, "Y");
  Schedule s = create_schedule(y);
  const IterVar inner = s[y].split(s[y].axis(1), factor(4)).second;
  EXPECT_THAT(message<ScheduleError>([&] { s[y].tensorize(inner, axpy()); }),
              HasSubstr("which alpha stands for, differs within the tile"));
  TensorIntrinsic unused = axpy();
  unused.scalars.push_back(var("beta", kFloat32));
  EXPECT_EQ(message<ScheduleError>([&] { op.tensorized(unused); }),
            "tensorize of j.inner: it does not compute what axpy does: beta is not used");
}

TEST(Tensorize, LeavesTheTailToLoops) {
  const Op op(11);
  const Schedule s = op.tensorized(axpy(), Tail::partition());
  EXPECT_EQ(ir::to_string(lower(s, op.args, Target(), "f").kernels[0].body),
            "for i in 0..3:\n"
            "  for j.outer in 0..2:\n"
            "    vectorized l in 0..4:\n"
            "      Y[i, j.outer*4 + l] = (W[i] + 2.0)*X[i, j.outer*4 + l] + Z[i, j.outer*4 + l]\n"
            "  for j.inner in 0..3:\n"
            "    Y[i, j.inner + 8] = X[i, j.inner + 8]*(W[i] + 2.0) + Z[i, j.inner + 8]\n");
  expect_same_results(s, {op.y}, op.args);
  expect_same_results(op.tensorized(axpy(), Tail::compose({4, 3})), {op.y}, op.args);
  EXPECT_EQ(message<ScheduleError>([&] { op.tensorized(axpy(), Tail::guard()); }),
            "tensorize of j.inner: it does not compute what axpy does: the split of j by 4 leaves a tail inside the "
            "loops that it replaces: give it Tail::partition(), which makes loops of the tail");
}

TEST(Tensorize, LeavesTheTailOfAReductionToLoops) {
  const Tensor a = placeholder({5, 11}, kUInt8, "A"), b = placeholder({3, 40, 4}, kInt8, "B");
  const IterVar k = reduce_axis(11, "k");
  const auto product = [&](Expr i, Expr j) { return sum(cast(kInt32, a(i, k)) * cast(kInt32, b(k / 4, j, k % 4)), k); };
  const Tensor sums = compute({5, 40}, product, "sums");
  const Tensor c = compute({5, 40}, [&](Expr i, Expr j) { return cast(kFloat32, sums(i, j)); }, "C");
  Schedule s = create_schedule(c);
  const auto [jo, ji] = s[sums].split(s[sums].axis(1), factor(16), Tail::partition());
  const auto [ko, ki] = s[sums].split(k, factor(4), Tail::partition());
  s[sums].reorder({s[sums].axis(0), jo, ko, ji, ki}).tensorize(ji, dot_u8s8_16x4());
  const std::string text = ir::to_string(lower(s, {a, b, c}, Target(), "f"));
  EXPECT_THAT(text, HasSubstr("dot_u8s8("));
  EXPECT_THAT(text, HasSubstr("int32(A[i, k.inner + 8])"));
}

TEST(Tensorize, RefusesWhatEmitsNothing) {
  TensorIntrinsic nothing = axpy();
  nothing.emit = [](const TensorSlice&, std::span<const TensorSlice>) { return ir::Stmt(); };
  EXPECT_EQ(Op(8).refusal(nothing),
            "Y is tensorized by axpy, which emits no statement: return one that computes the tile");
}

TEST(Tensorize, RefusesAccessesOutsideOfTheTile) {
  const auto emitting = [](const auto& emit) {
    TensorIntrinsic intrinsic = axpy();
    intrinsic.emit = emit;
    return intrinsic;
  };
  const Op op(8);
  const Var l("l");
  const auto loop = [&](ir::Stmt body, int extent) {
    return ir::make_for(l, 0, extent, ir::LoopKind::kSerial, std::move(body));
  };
  const std::string rest =
      ": this is not provably in a tile of the pattern, so use offsets below the extents of its tensors";
  EXPECT_EQ(op.refusal(emitting(
                [&](const TensorSlice& out, std::span<const TensorSlice>) { return loop(out.store({l}, 0.0), 5); })),
            "Y is tensorized by axpy, which stores Y[i, j.outer*4 + l]" + rest);
  EXPECT_EQ(op.refusal(emitting([&](const TensorSlice& out, std::span<const TensorSlice> in) {
    return loop(out.store({l}, in[0].load({l + 1})), 4);
  })),
            "Y is tensorized by axpy, which reads X[i, j.outer*4 + (l + 1)]" + rest);
  EXPECT_EQ(op.refusal(emitting(
                [&](const TensorSlice&, std::span<const TensorSlice> in) { return loop(in[0].store({l}, 0.0), 4); })),
            "Y is tensorized by axpy, which stores X[i, j.outer*4 + l]" + rest);
  EXPECT_EQ(op.refusal(emitting([&](const TensorSlice& out, std::span<const TensorSlice>) {
    return loop(ir::make_if(l < 4, out.store({l}, 0.0)), 5);
  })),
            "accepted");
}

TEST(Vectorize, RefusesHugeVectorsThatAnIntrinsicEmits) {
  const Tensor x = placeholder({70000}, kFloat32, "X");
  TensorIntrinsic copy;
  copy.name = "copy";
  const Tensor from = placeholder({70000}, kFloat32, "from");
  copy.inputs = {from};
  copy.pattern = compute({70000}, [&](Expr l) { return from(l) * 2.0; }, "to");
  copy.emit = [](const TensorSlice& out, std::span<const TensorSlice> in) {
    const Var l("l");
    return ir::make_for(l, 0, 70000, ir::LoopKind::kVectorized, out.store({l}, in[0].load({l}) * 2.0));
  };
  const Tensor y = compute({70000}, [&](Expr i) { return x(i) * 2.0; }, "Y");
  Schedule s = create_schedule(y);
  s[y].tensorize(s[y].axis(0), copy);
  const ir::Program program = lower(s, {x, y}, Target(), "f");
  EXPECT_EQ(message<LowerError>([&] { expand(program, Target()); }),
            "loop l cannot be vectorized: it has 70000 iterations, at most 65536 can be; split it first");
}

}  // namespace
}  // namespace nestwright::testing
