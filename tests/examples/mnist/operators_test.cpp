// Checks the table of operators of examples/mnist.
#include "examples/mnist/operators.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"

namespace mnist {
namespace {

using nestwright::kFloat32;
using nestwright::kInt64;
using nestwright::UsageError;
using ::testing::ElementsAre;

class Operators : public ::testing::Test {
 protected:
  ValueId input(std::vector<std::int64_t> shape) { return graph_.add_input("x", {kFloat32, std::move(shape)}); }
  std::string message(std::string_view op, const std::vector<ValueId>& operands) {
    try {
      apply(graph_, op, operands);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  }

  Graph graph_;
};

TEST_F(Operators, ApplyToAnyNumberOfDimensions) {
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{}, {7}, {7, 5}}) {
    EXPECT_EQ(graph_.type(apply(graph_, "relu", {input(shape)})).shape, shape);
  }
}

TEST_F(Operators, ReadTheirOperandsInOrder) {
  const ValueId a = input({7, 5}), b = input({}), c = input({7, 5});
  const ValueId labels = graph_.add_input("labels", {kInt64, {7}});
  const auto inputs = [&](std::string_view op, const std::vector<ValueId>& operands) {
    return graph_.nodes()[*graph_.value(apply(graph_, op, operands)).node].inputs;
  };
  EXPECT_THAT(inputs("mask", {a, c}), ElementsAre(a, c));
  EXPECT_THAT(inputs("accelerate", {a, b, c}), ElementsAre(a, b, c));
  EXPECT_THAT(inputs("descend", {a, b, c}), ElementsAre(a, b, c));
  EXPECT_THAT(inputs("cross_entropy", {a, labels}), ElementsAre(a, labels));
  EXPECT_THAT(inputs("cross_entropy_gradient", {a, b, labels}), ElementsAre(a, b, labels));
}

TEST_F(Operators, RefuseShapesThatDoNotAgree) {
  const ValueId x = input({7, 5}), w = input({6, 3});
  EXPECT_THAT(message("product", {x, w}), ::testing::HasSubstr("'k' runs over 5"));
  EXPECT_THAT(message("add_bias", {x, input({6})}),
              ::testing::StartsWith("the shapes of operands of add_bias do not agree: "));
  EXPECT_EQ(message("add_bias", {x, input({5})}), "accepted");
}

TEST_F(Operators, ThatAreUnknownAreRefused) { EXPECT_EQ(message("tanh", {input({7})}), "there is no operator 'tanh'"); }

}  // namespace
}  // namespace mnist
