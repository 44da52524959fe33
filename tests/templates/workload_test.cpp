#include "templates/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/error.h"
#include "templates/registry.h"

namespace nestwright {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_workload(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Workload, IsCanonical) {
  const Workload workload = parse_workload("  matmul n=3000 k=0512 m=512 tb=1 ");
  EXPECT_EQ(workload.str(), "matmul m=512 n=3000 k=512 ta=0 tb=1 dtype=float32");
  EXPECT_EQ(parse_workload(workload.str()), workload);
  EXPECT_EQ(workload.size("n"), 3000);
  EXPECT_TRUE(workload.flag("tb"));
  EXPECT_FALSE(workload.flag("ta"));
  EXPECT_EQ(workload.type("dtype"), kFloat32);
  EXPECT_EQ(parse_workload("matmul m=1 n=2147483647 k=1 dtype=float64").type("dtype"), kFloat64);
}

TEST(Workload, RefusesWithOneClearSentence) {
  EXPECT_EQ(refusal(""), "the workload is empty; write an operator and its parameters, as in matmul m=512 n=512 k=512");
  EXPECT_EQ(refusal("matmull m=1"), "there is no operator 'matmull'; did you mean 'matmul'; the operators are matmul");
  EXPECT_EQ(refusal("conv2d m=1"), "there is no operator 'conv2d'; the operators are matmul");
  EXPECT_EQ(refusal("matmul m=1 n=1 k=1 dtyp=float32"),
            "matmul has no parameter 'dtyp'; did you mean 'dtype'; its parameters are m, n, k, ta, tb, dtype");
  EXPECT_EQ(
      refusal("matmul 512"),
      "'512' in the workload is no parameter; write name=value, with the parameters m, n, k, ta, tb, dtype of matmul");
  EXPECT_EQ(refusal("matmul m=1 k=1"),
            "parameter 'n' of matmul is missing; give n=..., the number of columns of C, a whole number from 1 to "
            "2147483647");
  EXPECT_EQ(refusal("matmul m=1 n=1 k=1 m=2"), "parameter 'm' of matmul is given twice; give it once");
  for (const char* size : {"0", "-3", "2147483648", "99999999999999999999", "4.5", "12x", ""}) {
    EXPECT_EQ(refusal(std::string("matmul n=1 k=1 m=") + size),
              std::string("m=") + size +
                  " of matmul is illegal: m (the number of rows of C) is a whole number from 1 to 2147483647");
  }
  EXPECT_EQ(refusal("matmul m=1 n=1 k=1 ta=2"),
            "ta=2 of matmul is illegal: ta (whether A is stored transposed, as [k, m]) is 0 or 1");
  EXPECT_EQ(refusal("matmul m=1 n=1 k=1 dtype=int8"),
            "dtype=int8 of matmul is illegal: dtype (the type of the elements) is float32 or float64");
  EXPECT_THAT(refusal("matmul m=2147483647 n=1 k=2147483647"), testing::HasSubstr("larger than any address space"));
}

TEST(Registry, EveryTemplateBelongsToAnOperatorAndIsFound) {
  for (const Template& t : templates()) {
    EXPECT_EQ(find_operator(t.op).name, t.op);
    EXPECT_EQ(find_template(t.name), &t);
    EXPECT_THAT(templates_for(t.op, t.device), testing::Contains(&t));
    EXPECT_GE(t.version, 1);
  }
  EXPECT_EQ(find_template("matmul.gpu"), nullptr);
  EXPECT_THROW(templates_for("matmul", DeviceKind::kCuda), UsageError);
  EXPECT_THROW(templates_for("nothing", DeviceKind::kCpu), UsageError);
}

}  // namespace
}  // namespace nestwright
