#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "matmul_cases.h"
#include "support/error.h"
#include "templates/registry.h"

namespace nestwright {
namespace {

using testing_matmul::inputs;
using testing_matmul::workload;

TEST(MatmulDefinition, HasTheShapesOfTheTranspositions) {
  const auto shape = [](const Tensor& t) {
    std::vector<std::int64_t> extents;
    for (const Expr& e : t.shape()) extents.push_back(*ir::as_const_int(e));
    return extents;
  };
  const Definition d = find_operator("matmul").define(workload(3, 5, 7, 3, "float64"));
  EXPECT_EQ(d.inputs, 2);
  EXPECT_THAT(shape(d.args[0]), testing::ElementsAre(7, 3));
  EXPECT_THAT(shape(d.args[1]), testing::ElementsAre(5, 7));
  EXPECT_THAT(shape(d.args[2]), testing::ElementsAre(3, 5));
  EXPECT_EQ(d.flops, 2 * 3 * 5 * 7);
  EXPECT_EQ(d.bytes, 8 * (3 * 7 + 7 * 5 + 3 * 5));
}

TEST(MatmulReference, AgreesWithLongDoubleInAllTranspositions) {
  for (const std::string type : {"float32", "float64"}) {
    for (int transposed = 0; transposed < 4; ++transposed) {
      const Workload w = workload(13, 300, 75, transposed, type);
      const HostTensors in = inputs(w);
      const Reference reference = find_operator("matmul").reference(w, in);
      const double eps = type == "float32" ? 0x1p-23 : 0x1p-52;
      for (std::size_t i = 0; i < 13; ++i) {
        for (std::size_t j = 0; j < 300; ++j) {
          long double sum = 0, sum_abs = 0;
          for (std::size_t r = 0; r < 75; ++r) {
            const long double a = in[0][transposed & 1 ? r * 13 + i : i * 75 + r];
            const long double b = in[1][transposed & 2 ? j * 75 + r : r * 300 + j];
            sum += a * b;
            sum_abs += std::abs(a * b);
          }
          const double bound = reference.bound[0][i * 300 + j];
          EXPECT_NEAR(bound, static_cast<double>(8 * std::sqrt(75.0L) * eps * sum_abs), 1e-12 * bound);
          // Far inside the bound even where that is one of float64.
          EXPECT_LT(std::abs(static_cast<double>(reference.expected[0][i * 300 + j] - sum)),
                    (type == "float64" ? 0.05 : 1e-9) * bound);
        }
      }
    }
  }
}

TEST(MatmulReference, RefusesInputsOfOtherSizes) {
  EXPECT_THROW(find_operator("matmul").reference(workload(2, 2, 2), {{1, 2, 3, 4}, {1, 2, 3}}), UsageError);
}

}  // namespace
}  // namespace nestwright
