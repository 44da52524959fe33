#include "nestwright/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/support/message.h"
#include "tests/templates/framework/workload_refusal.h"

namespace nestwright {
namespace {

TEST(Workload, IsCanonical) {
  const Workload workload = parse_workload("  matmul n=3000 k=0512 m=512 tb=1 ");
  EXPECT_EQ(workload.str(), "matmul m=512 n=3000 k=512 tb=1");
  EXPECT_EQ(parse_workload(workload.str()), workload);
  EXPECT_EQ(workload.size("n"), 3000);
  EXPECT_TRUE(workload.flag("tb"));
  EXPECT_FALSE(workload.flag("ta"));
  EXPECT_EQ(workload.type("dtype"), kFloat32);
  EXPECT_EQ(parse_workload("matmul m=1 n=2147483647 k=1 dtype=float64").type("dtype"), kFloat64);
}

TEST(Workload, LeavesOutWhatStandsAtItsDefault) {
  const Workload given = parse_workload("matmul m=1 n=2 k=3 ta=0 tb=0 dtype=float32");
  EXPECT_EQ(given.str(), "matmul m=1 n=2 k=3");
  EXPECT_EQ(given, parse_workload("matmul m=1 n=2 k=3"));
  EXPECT_EQ(given.type("dtype"), kFloat32);
}

/// An operator with a parameter of every kind.
std::shared_ptr<const Operator> every_kind() {
  using Kind = OperatorParameter::Kind;
  const auto twice = [](const Workload& before) { return std::to_string(2 * before.size("n")); };
  const Operator op{"every",
                    "",
                    {{"n", "a size", Kind::kSize, ""},
                     {"ld", "a stride", Kind::kSize, "twice n", {}, twice},
                     {"scale", "a factor", Kind::kNumber, "1"},
                     {"after", "what comes after", Kind::kChoice, "none", {"none", "relu", "gelu"}},
                     {"dtype", "a type", Kind::kType, "bfloat16", {"bfloat16"}}},
                    [](const Workload&) { return Definition(); },
                    {}};
  return std::make_shared<const Operator>(op);
}

std::string every_refusal(const std::string& parameters) {
  return message<UsageError>([&] { parse_workload("every " + parameters, every_kind()); });
}

TEST(Workload, RefusesTheTextOfAnotherOperator) {
  EXPECT_EQ(message<UsageError>([] { parse_workload("everything n=1", every_kind()); }),
            "'everything n=1' is no workload of every; begin it with every");
}

TEST(Workload, HasChoicesAndNumbers) {
  const Workload w = parse_workload("every n=4 scale=-0.750 after=relu", every_kind());
  EXPECT_EQ(w.str(), "every n=4 scale=-0.75 after=relu");
  EXPECT_EQ(w.number("scale"), -0.75);
  EXPECT_EQ(w.choice("after"), "relu");
  EXPECT_EQ(w.type("dtype"), kBFloat16);
  const auto scale = [](const std::string& text) {
    return parse_workload("every n=1 scale=" + text, every_kind()).parameters.at(2).value;
  };
  EXPECT_EQ(scale("1e3"), "1000");
  EXPECT_EQ(scale("0.00001"), "1e-05");
  EXPECT_EQ(scale("-0"), "0");
  EXPECT_EQ(scale(".5"), "0.5");
  EXPECT_EQ(scale("0.1000000000000000055511151231257827"), "0.1");
  EXPECT_EQ(parse_workload("every n=1 scale=1.0", every_kind()).str(), "every n=1");
}

TEST(Workload, HasDefaultsThatFollowFromOtherParameters) {
  EXPECT_EQ(parse_workload("every n=4", every_kind()).size("ld"), 8);
  EXPECT_EQ(parse_workload("every n=4 ld=8", every_kind()).str(), "every n=4");
  EXPECT_EQ(parse_workload("every n=4 ld=9", every_kind()).str(), "every n=4 ld=9");
}

TEST(Workload, RefusesChoicesAndNumbersWithOneClearSentence) {
  EXPECT_EQ(every_refusal("n=1 after=tanh"),
            "after=tanh of every is illegal: after (what comes after) is none, relu or gelu");
  EXPECT_EQ(every_refusal("n=1 dtype=float32"), "dtype=float32 of every is illegal: dtype (a type) is bfloat16");
  for (const char* number : {"inf", "nan", "1e999", "half", "1,5", "+1", "1x", ""}) {
    EXPECT_EQ(every_refusal(std::string("n=1 scale=") + number),
              std::string("scale=") + number +
                  " of every is illegal: scale (a factor) is a finite number, such as 0.5 or -1e-3");
  }
}

TEST(Registry, DefaultsAreCanonical) {
  for (const std::shared_ptr<const Operator>& op : builtin_registry().operators()) {
    // The least that can be said of the operator: 8 for each size and shape, its dimension, the first name of each
    // choice.
    std::string least = op->name;
    for (const OperatorParameter& p : op->parameters) {
      if (!p.default_value.empty()) continue;
      const char* const number = p.kind == OperatorParameter::Kind::kAxes ? "0" : "8";
      least += " " + p.name + "=" + (p.choices.empty() ? number : p.choices[0]);
    }
    const Workload workload = parse_workload(least);
    std::string all = op->name;
    for (const ParameterValue& value : workload.parameters) all += " " + value.name + "=" + value.value;
    EXPECT_EQ(parse_workload(all), workload) << all;
    EXPECT_EQ(workload.str(), least);
  }
}

TEST(Workload, RefusesWithOneClearSentence) {
  EXPECT_EQ(refusal(""), "the workload is empty; write an operator and its parameters, as in matmul m=512 n=512 k=512");
  EXPECT_EQ(refusal("matmull m=1"),
            "there is no operator 'matmull'; did you mean 'matmul'; the operators are matmul, elementwise, "
            "broadcast, reduce, softmax, layer_norm, transpose, conv2d, depthwise_conv2d, scan");
  EXPECT_EQ(refusal("fft m=1"),
            "there is no operator 'fft'; the operators are matmul, elementwise, "
            "broadcast, reduce, softmax, layer_norm, transpose, conv2d, depthwise_conv2d, scan");
  EXPECT_EQ(refusal("matmul m=1 n=1 k=1 dtyp=float32"),
            "matmul has no parameter 'dtyp'; did you mean 'dtype'; its parameters are m, n, k, ta, tb, dtype, batch, "
            "lda, sa, ldb, sb, ldc, sc, alpha, beta, epilogue, prepared, precision");
  EXPECT_EQ(
      refusal("matmul 512"),
      "'512' in the workload is no parameter; write name=value, with the parameters m, n, k, ta, tb, dtype, batch, "
      "lda, sa, ldb, sb, ldc, sc, alpha, beta, epilogue, prepared, precision of matmul");
  EXPECT_EQ(refusal("matmul m=1 k=1"),
            "parameter 'n' of matmul is missing; give n=..., the number of columns of C, an integer from 1 to "
            "2147483647");
  EXPECT_EQ(refusal("matmul m=1 n=1 k=1 m=2"), "parameter 'm' of matmul is given twice; give it once");
  for (const char* size : {"0", "-3", "2147483648", "99999999999999999999", "4.5", "12x", ""}) {
    EXPECT_EQ(refusal(std::string("matmul n=1 k=1 m=") + size),
              std::string("m=") + size +
                  " of matmul is illegal: m (the number of rows of C) is an integer from 1 to 2147483647");
  }
  EXPECT_EQ(refusal("matmul m=1 n=1 k=1 ta=2"),
            "ta=2 of matmul is illegal: ta (whether A is stored transposed, as [k, m]) is 0 or 1");
  EXPECT_EQ(
      refusal("matmul m=1 n=1 k=1 dtype=int32"),
      "dtype=int32 of matmul is illegal: dtype (the type of A, B and C; but C is float32 for bfloat16 and int32 for "
      "int8 and uint8, and B is int8 for uint8) is float32, float64, bfloat16, float16, int8 or uint8");
  EXPECT_THAT(refusal("matmul m=2147483647 n=1 k=2147483647"), ::testing::HasSubstr("larger than any address space"));
}

TEST(Registry, EveryTemplateBelongsToAnOperatorAndIsFound) {
  for (const std::shared_ptr<const Operator>& op : builtin_registry().operators()) {
    EXPECT_EQ(builtin_registry().find_operator(op->name), op);
    for (const Template& t : op->templates) {
      if (!t.is_generic) {
        EXPECT_EQ(builtin_registry().find_template(t.name), &t);
      }
      EXPECT_FALSE(t.devices.empty()) << t.name;
      for (const DeviceKind device : t.devices) EXPECT_THAT(templates_for(*op, device), ::testing::Contains(&t));
      EXPECT_GE(t.version, 1);
    }
  }
  EXPECT_EQ(builtin_registry().find_template("matmul.fpga"), nullptr);
}

TEST(Registry, GivesTheOneTemplateThatIsAskedFor) {
  const Workload w = parse_workload("matmul m=64 n=64 k=64 dtype=bfloat16");
  EXPECT_GT(templates_for(w, Target::parse("cuda,arch=sm_90")).size(), 2);
  const auto one = templates_for(w, Target::parse("cuda,arch=sm_90"), "matmul.mma");
  ASSERT_EQ(one.size(), 1);
  EXPECT_EQ(one[0]->name, "matmul.mma");
  EXPECT_EQ(message<UsageError>([&] { templates_for(w, Target::parse("cuda,arch=sm_80"), "matmul.wgmma"); }),
            "no template serves matmul m=64 n=64 k=64 dtype=bfloat16 on cuda,arch=sm_80 (matmul.wgmma: it needs CUDA "
            "on sm_90): change the workload or the target");
  EXPECT_EQ(message<UsageError>([&] { templates_for(w, Target::parse("cuda,arch=sm_90"), "softmax.gpu"); }),
            "there is no template 'softmax.gpu' of matmul for CUDA: use one of matmul.wgmma, matmul.mma, matmul.gpu, "
            "generated.gpu");
}

TEST(Registry, SaysWhereAnOperatorHasNoTemplateForADevice) {
  Operator op = *parse_workload("conv2d n=1 c=8 h=8 w=8 k=8 r=3 s=3").op;
  std::erase_if(op.templates, [](const Template& t) { return t.is_for(DeviceKind::kCpu); });
  EXPECT_EQ(message<UsageError>([&] { templates_for(op, DeviceKind::kCpu); }),
            "there is no template of conv2d for the CPU; use another target (the command `templates` lists what there "
            "is)");
}

}  // namespace
}  // namespace nestwright
