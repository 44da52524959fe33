// Names of tensors in exported sources.
#include "exporter/source/parameter_names.h"

#include <gmock/gmock.h>

#include "nestwright/tensor.h"

namespace nestwright {
namespace {

TEST(ParameterNames, AreThoseOfTheTensorsUnlessTheyHaveAMeaning) {
  std::vector<Tensor> tensors;
  for (const char* name : {"A", "step0", "let12", "stepped", "step", "M_PI", "not_eq"}) {
    tensors.push_back(placeholder({4}, kFloat32, name));
  }
  EXPECT_THAT(c_parameter_names(tensors),
              ::testing::ElementsAre("A", "t_step0", "t_let12", "stepped", "step", "t_M_PI", "t_not_eq"));
}

}  // namespace
}  // namespace nestwright
