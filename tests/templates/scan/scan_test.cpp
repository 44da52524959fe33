// Scans: what they define, what their reference says, what they refuse.
#include "templates/scan/scan.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/templates/framework/workload_refusal.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

Reference judge(const std::string& text, const HostTensors& inputs) {
  return scan_reference(parse_workload(text), inputs);
}

TEST(ScanDefinition, CountsStepsAndBytes) {
  const Workload w = parse_workload("scan function=sum steps=10 columns=1024");
  const Definition d = builtin_registry().find_operator("scan")->define(w);
  EXPECT_EQ(d.inputs, 1);
  EXPECT_EQ(d.flops, 9 * 1024);
  EXPECT_EQ(d.bytes, 4 * 2 * 10 * 1024);
  EXPECT_NE(d.args[1].op().scan(), nullptr);
  EXPECT_EQ(builtin_registry()
                .find_operator("scan")
                ->define(parse_workload("scan function=sum steps=1 columns=3"))
                .args[1]
                .op()
                .scan(),
            nullptr);
}

TEST(ScanReference, FollowsEachColumn) {
  const HostTensors in{{1, -2, 3, 4, -5, 0.5}};  // 3 x 2
  EXPECT_THAT(judge("scan function=sum steps=3 columns=2", in).expected[0], ElementsAre(1, -2, 4, 2, -1, 2.5));
  EXPECT_THAT(judge("scan function=product steps=3 columns=2", in).expected[0], ElementsAre(1, -2, 3, -8, -15, -4));
  EXPECT_THAT(judge("scan function=max steps=3 columns=2", in).expected[0], ElementsAre(1, -2, 3, 4, 3, 4));
  EXPECT_THAT(judge("scan function=min steps=3 columns=2", in).expected[0], ElementsAre(1, -2, 1, -2, -5, -2));
}

TEST(ScanReference, BoundsTheErrorOfEachStep) {
  const HostTensors in{{1, -2, 3, 4, -5, 0.5}};
  const Reference sum = judge("scan function=sum steps=3 columns=2", in);
  EXPECT_THAT(sum.bound[0], ElementsAre(0, 0, ::testing::DoubleNear(8 * 0x1p-23 * std::sqrt(2 * (1 + 9.0)), 1e-15),
                                        ::testing::DoubleNear(8 * 0x1p-23 * std::sqrt(2 * (4 + 16.0)), 1e-15),
                                        ::testing::DoubleNear(8 * 0x1p-23 * std::sqrt(3 * (1 + 9 + 25.0)), 1e-15),
                                        ::testing::DoubleNear(8 * 0x1p-23 * std::sqrt(3 * (4 + 16 + 0.25)), 1e-15)));
  const Reference product = judge("scan function=product steps=3 columns=2 dtype=float64", in);
  EXPECT_NEAR(product.bound[0][4], 3 * 0x1p-52 * 15, 1e-25);
  EXPECT_THAT(judge("scan function=max steps=3 columns=2", in).bound[0], ::testing::Each(0));
}

TEST(ScanWorkloads, RefuseWithOneClearSentence) {
  EXPECT_EQ(refusal("scan function=mean steps=3 columns=2"),
            "function=mean of scan is illegal: function (what is computed) is sum, product, max or min");
  EXPECT_EQ(refusal("scan function=sum columns=2"),
            "parameter 'steps' of scan is missing; give steps=..., the number of rows, which are taken one after the "
            "other, an integer from 1 to 2147483647");
  EXPECT_EQ(refusal("scan function=sum steps=0 columns=2"),
            "steps=0 of scan is illegal: steps (the number of rows, which are taken one after the other) is an "
            "integer from 1 to 2147483647");
  try {
    judge("scan function=sum steps=3 columns=2", {{1, 2, 3}});
    ADD_FAILURE() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "the inputs of scan function=sum steps=3 columns=2 do not have its sizes");
  }
}

}  // namespace
}  // namespace nestwright
