// What the rules of generated spaces know of an expression.
#include "templates/sketch/expression/analysis.h"

#include <gmock/gmock.h>

#include "lower/support/vector_math.h"
#include "nestwright/error.h"
#include "templates/sketch/expression/forms.h"
#include "templates/sketch/sketch.h"
#include "tests/templates/definitions.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

std::vector<StageAnalysis> analyse(const std::string& workload) {
  const Definition definition = define(workload);
  return analyse_stages(create_schedule(definition.args.back()), constant_inputs_of(definition));
}

const StageAnalysis& stage_of(const std::vector<StageAnalysis>& stages, const std::string& name) {
  for (const StageAnalysis& stage : stages) {
    if (stage.name == name) return stage;
  }
  throw std::out_of_range(name);
}

Target avx512() { return Target::parse("cpu,isa=avx512,threads=2"); }

TEST(StageAnalysis, KnowsTheStridesOfAProduct) {
  const StageAnalysis c = analyse("matmul m=8 n=32 k=12").front();
  EXPECT_THAT(c.extents, ElementsAre(8, 32, 12));
  EXPECT_EQ(c.spatial, 2);
  EXPECT_TRUE(c.is_reduction && c.is_output && c.has_reuse());
  ASSERT_EQ(c.accesses.size(), 2U);
  EXPECT_THAT(c.accesses[0].strides, ElementsAre(12, 0, 1));
  EXPECT_THAT(c.accesses[0].identity, ElementsAre(0, 2));
  EXPECT_THAT(c.accesses[1].strides, ElementsAre(0, 1, 32));
  EXPECT_EQ(c.accesses[1].dimension_of(1), 1);
  EXPECT_EQ(c.accesses[1].dimension_of(0), -1);
  EXPECT_EQ(reuse_of(c, c.accesses[1]), 8);
}

TEST(StageAnalysis, SeesWindowsAndPadding) {
  const auto stages = analyse("conv2d n=1 c=4 h=9 w=10 k=6 r=3 s=3 stride=2 pad=1");
  const StageAnalysis& padded = stage_of(stages, "padded");
  EXPECT_TRUE(padded.has_branch);
  EXPECT_THAT(padded.readers, ElementsAre(1));
  const StageAnalysis& y = stage_of(stages, "Y");
  const OperandAccess& x = y.accesses[0];
  EXPECT_EQ(x.producer, 0);
  EXPECT_THAT(x.strides, ElementsAre(4 * 11 * 12, 0, 2 * 12, 2, 11 * 12, 12, 1));
  EXPECT_THAT(x.axes[2], ElementsAre(2, 5)) << "2*y + r";
  EXPECT_EQ(x.identity[2], -1);
}

TEST(StageAnalysis, CountsTheFunctionsThatLoweringExpands) {
  using enum ir::Intrinsic;
  int expanded = 0;
  for (const ir::Intrinsic function : {kExp, kLog, kLog2, kSqrt, kRsqrt, kTanh, kSigmoid, kErf, kSin, kCos, kFloor}) {
    for (const ir::Type type : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
      const Tensor x = placeholder({8}, type, "X");
      const Tensor y = compute({8}, [&](Expr i) { return ir::make_call(function, {x(i)}, type); }, "Y");
      const StageAnalysis stage = analyse_stages(create_schedule(y), {}).front();
      EXPECT_EQ(stage.polynomials, is_expanded(function, type) ? 1 : 0) << ir::intrinsic_name(function);
      expanded += stage.polynomials;
    }
  }
  EXPECT_EQ(expanded, 6 * 3);
}

TEST(StageAnalysis, CountsTheArithmeticOfData) {
  const Tensor q = placeholder({8, 9}, kInt8, "Q"), z = placeholder({8}, kInt32, "Z");
  const Tensor shifted = compute({8, 4}, [&](Expr i, Expr j) { return ir::cast(kInt32, q(i, 2 * j + 1)) - z(i); }, "S");
  const Tensor chosen = compute({8, 4}, [&](Expr i, Expr j) { return select(i < j, shifted(i, j), 0); }, "C");
  const auto stages = analyse_stages(create_schedule(chosen));
  EXPECT_EQ(stage_of(stages, "S").operations, 1) << "without those of the indices";
  EXPECT_EQ(stage_of(stages, "C").operations, 0) << "a condition on indices is none";
}

TEST(StageAnalysis, NamesTheResultThatIsRead) {
  const Tensor a = placeholder({8}, kFloat32, "A");
  const std::vector<Tensor> both = compute_tuple(
      {8}, [&](std::span<const Expr> i) { return std::vector<Expr>{a(i[0]) + 1.0F, ir::cast(kInt32, i[0])}; }, "T");
  const Tensor c = compute({8}, [&](Expr i) { return both[1](i) * 2; }, "C");
  const std::vector<StageAnalysis> stages = analyse_stages(create_schedule(c));
  ASSERT_EQ(stage_of(stages, "C").accesses.size(), 1U);
  EXPECT_EQ(stage_of(stages, "C").accesses.front().tensor, both[1]);
}

TEST(StageAnalysis, CountsReadsThatMoveAlike) {
  const Tensor a = placeholder({65}, kFloat32, "A");
  const auto reads_of = [&](const std::function<Expr(const Expr&)>& body) {
    return analyse_stages(create_schedule(compute({64}, body, "C"))).front().accesses;
  };
  const auto shifted = reads_of([&](const Expr& i) { return a(i) * a(i) + a(i + 1); });
  ASSERT_EQ(shifted.size(), 1U);
  EXPECT_EQ(shifted.front().reads.size(), 2U);
  EXPECT_THAT(shifted.front().identity, ElementsAre(-1)) << "not all reads are of the element i";
  const auto twice = reads_of([&](const Expr& i) { return a(i) * a(i); });
  EXPECT_EQ(twice.front().reads.size(), 1U);
  EXPECT_THAT(twice.front().identity, ElementsAre(0));
}

TEST(StageAnalysis, CountsWhatAPointCosts) {
  const auto stages = analyse("softmax rows=5 columns=9");
  EXPECT_EQ(stage_of(stages, "power").expensive, 1);
  EXPECT_EQ(stage_of(stages, "power").readers.size(), 2U);
  EXPECT_EQ(stage_of(stages, "share").expensive, 0);
  EXPECT_FALSE(stage_of(stages, "largest").has_reuse());
  EXPECT_EQ(stage_of(stages, "largest").reduced_points(), 9);
}

TEST(StageAnalysis, MarksThePartsOfAScan) {
  for (const StageAnalysis& stage : analyse("scan function=sum steps=4 columns=8")) EXPECT_TRUE(stage.is_scan_part);
}

TEST(StageAnalysis, RefusesSymbols) {
  const Var n = var("n");
  const Tensor a = placeholder({n}, kFloat32, "A");
  const Tensor b = compute({n}, [&](Expr i) { return a(i) * 2.0; }, "B");
  try {
    analyse_stages(create_schedule(b));
    ADD_FAILURE() << "it was accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "the extent of axis i of B is a symbol: a space is made of constant extents only; give it a number");
  }
}

std::vector<std::string> forms_of(const std::string& workload) {
  std::vector<std::string> labels;
  for (const ReductionForm& form : reduction_forms(analyse(workload).back(), avx512())) labels.push_back(form.label());
  return labels;
}

TEST(ReductionForms, FollowTheContiguousAxes) {
  EXPECT_EQ(forms_of("matmul m=64 n=64 k=64").front(), "axis1");
  EXPECT_EQ(forms_of("matmul m=64 n=64 k=64 tb=1").front(), "axis1") << "B is packed";
  EXPECT_EQ(forms_of("reduce function=sum shape=64x512 axes=1").front(), "reduction");
  EXPECT_EQ(forms_of("reduce function=sum shape=512x64 axes=0").front(), "axis0");
  EXPECT_EQ(forms_of("conv2d n=1 c=64 h=56 w=56 k=64 r=3 s=3").front(), "axis3") << "columns, in place";
  EXPECT_EQ(forms_of("conv2d n=1 c=64 h=56 w=56 k=64 r=3 s=3 stride=2").front(), "axis3") << "every second column";
  EXPECT_EQ(forms_of("conv2d n=1 c=64 h=7 w=7 k=64 r=3 s=3").front(), "axis1") << "filters: few columns";
  EXPECT_EQ(forms_of("conv2d n=1 c=64 h=56 w=56 k=64 r=3 s=3 prepared=w").front(), "axis1") << "filters, packed before";
  EXPECT_EQ(forms_of("conv2d n=1 c=64 h=56 w=56 k=64 r=3 s=3 groups=2 prepared=w").front(), "axis3") << "of each group";
  EXPECT_EQ(forms_of("conv2d n=1 c=64 h=56 w=56 k=64 r=3 s=3 layout=NHWC").front(), "axis3") << "filters";
}

TEST(ReductionForms, TakeTheRowsFromWhatSharesAVector) {
  EXPECT_EQ(row_axis(analyse("matmul m=64 n=64 k=64").back(), 1), 0);
  const StageAnalysis y = analyse("conv2d n=1 c=64 h=30 w=30 k=64 r=3 s=3").back();
  EXPECT_EQ(row_axis(y, 3), 1) << "filters share a vector of columns";
  EXPECT_EQ(row_axis(y, 1), 3) << "columns share a vector of filters";
  EXPECT_EQ(row_axis(y, 1, 3), 2);
  EXPECT_TRUE(is_transposed(y, 1));
  EXPECT_FALSE(is_transposed(y, 3));
  EXPECT_EQ(row_axis(analyse("reduce function=sum shape=512x64 axes=0").back(), 0), -1);
}

}  // namespace
}  // namespace nestwright
