#include "bench/comparison/chosen_template.h"

#include <gmock/gmock.h>

#include "support/error.h"
#include "templates/framework/template.h"
#include "templates/registry.h"

namespace nestwright::bench {
namespace {

using ::testing::ThrowsMessage;

TEST(ChosenTemplate, AGenericOneServesEveryOperator) {
  for (const char* text : {"matmul m=2 n=3 k=4", "softmax rows=2 columns=3", "conv2d n=1 c=2 h=3 w=4 k=5 r=1 s=1"}) {
    const Workload workload = parse_workload(text), chosen = with_template(workload, "generated.cpu");
    EXPECT_EQ(chosen.str(), workload.str());
    const Target target = Target::parse("cpu");
    ASSERT_EQ(templates_for(chosen, target, "generated.cpu").size(), 1u) << text;
  }
}

TEST(ChosenTemplate, OneThatTheOperatorHasAndNoneChangeNothing) {
  const Workload workload = parse_workload("matmul m=2 n=3 k=4");
  EXPECT_EQ(with_template(workload, "matmul.cpu").op, workload.op);
  EXPECT_EQ(with_template(workload, "").op, workload.op);
}

TEST(ChosenTemplate, OneOfAnotherOperatorIsRefused) {
  const Workload workload = parse_workload("matmul m=2 n=3 k=4");
  for (const std::string name : {"softmax.gpu", "matmul.fpga"}) {
    EXPECT_THAT([&] { with_template(workload, name); },
                ThrowsMessage<UsageError>("there is no template '" + name + "' of matmul: see nestwright templates"));
  }
}

}  // namespace
}  // namespace nestwright::bench
