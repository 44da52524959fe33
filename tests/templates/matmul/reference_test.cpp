#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/support/message.h"
#include "tests/templates/matmul/cases.h"

namespace nestwright {
namespace {

using testing_matmul::inputs;
using testing_matmul::workload;

TEST(MatmulDefinition, HasTheShapesOfTheTranspositions) {
  const auto shape = [](const Tensor& t) { return ir::constants_of(t.shape()); };
  const Definition d = builtin_registry().find_operator("matmul")->define(workload(3, 5, 7, 3, "float64"));
  EXPECT_EQ(d.inputs, 2);
  EXPECT_THAT(shape(d.args[0]), ::testing::ElementsAre(7, 3));
  EXPECT_THAT(shape(d.args[1]), ::testing::ElementsAre(5, 7));
  EXPECT_THAT(shape(d.args[2]), ::testing::ElementsAre(3, 5));
  EXPECT_EQ(d.flops, 2 * 3 * 5 * 7);
  EXPECT_EQ(d.bytes, 8 * (3 * 7 + 7 * 5 + 3 * 5));
}

TEST(MatmulReference, AgreesWithLongDoubleInAllTranspositions) {
  for (const std::string type : {"float32", "float64"}) {
    for (int transposed = 0; transposed < 4; ++transposed) {
      const Workload w = workload(13, 300, 75, transposed, type);
      const HostTensors in = inputs(w);
      const Reference reference = builtin_registry().find_operator("matmul")->reference(w, in);
      const double eps = type == "float32" ? 0x1p-23 : 0x1p-52;
      for (std::size_t i = 0; i < 13; ++i) {
        for (std::size_t j = 0; j < 300; ++j) {
          long double sum = 0, squares = 0;
          for (std::size_t r = 0; r < 75; ++r) {
            const long double a = in[0][transposed & 1 ? r * 13 + i : i * 75 + r];
            const long double b = in[1][transposed & 2 ? j * 75 + r : r * 300 + j];
            sum += a * b;
            squares += a * b * a * b;
          }
          const double bound = reference.bound[0][i * 300 + j];
          EXPECT_NEAR(bound, static_cast<double>(8 * eps * std::sqrt(75 * squares)), 1e-12 * bound);
          // Far inside the bound even where that is one of float64.
          EXPECT_LT(std::abs(static_cast<double>(reference.expected[0][i * 300 + j] - sum)),
                    (type == "float64" ? 0.05 : 1e-9) * bound);
        }
      }
    }
  }
}

TEST(MatmulDefinition, SaysWhereStridesCannotBe) {
  const auto refusal = [](const std::string& text) -> std::string {
    return message<UsageError>([&] { parse_workload("matmul m=3 n=5 k=7 " + text); });
  };
  EXPECT_EQ(refusal("lda=6"),
            "lda=6 of matmul is less than the 7 elements of a row of A as stored; give at least as many");
  EXPECT_EQ(refusal("lda=6 ta=1"), "accepted");
  EXPECT_EQ(refusal("ldc=4"),
            "ldc=4 of matmul is less than the 5 elements of a row of C as stored; give at least as many");
  EXPECT_EQ(
      refusal("batch=2 sc=14"),
      "sc=14 of matmul makes matrices of C overlap; give at least what one matrix takes, or interleave whole rows "
      "by a larger ldc");
  EXPECT_EQ(refusal("batch=2 sc=15"), "accepted");
  EXPECT_EQ(refusal("batch=2 sc=5 ldc=9"), refusal("batch=2 sc=14").replace(3, 2, "5"));
  EXPECT_EQ(refusal("batch=2 sc=5 ldc=10"), "accepted");
  EXPECT_EQ(refusal("precision=tf32 dtype=float64"),
            "precision=tf32 of matmul is of float32, not of float64; leave it out");
  EXPECT_EQ(refusal("batch=2 sa=1"), "accepted") << "what is read may overlap";
}

TEST(MatmulDefinition, LeavesOutWhatIsCompact) {
  EXPECT_EQ(parse_workload("matmul m=3 n=5 k=7 lda=7 ldb=5 ldc=5 sa=21 beta=0 alpha=1.0 batch=1").str(),
            "matmul m=3 n=5 k=7");
  EXPECT_EQ(parse_workload("matmul m=3 n=5 k=7 precision=full").str(), "matmul m=3 n=5 k=7");
  EXPECT_EQ(parse_workload("matmul m=3 n=5 k=7 ta=1 lda=3").str(), "matmul m=3 n=5 k=7 ta=1");
  EXPECT_EQ(parse_workload("matmul m=3 n=5 k=7 lda=8 sa=24").str(), "matmul m=3 n=5 k=7 lda=8");
}

TEST(MatmulDefinition, TakesTheTensorsOfItsEpilogueInOrder) {
  const Definition d = builtin_registry().find_operator("matmul")->define(
      parse_workload("matmul m=3 n=5 k=7 beta=2 ldc=6 epilogue=bias_residual"));
  std::vector<std::string> names;
  for (const Tensor& tensor : d.args) names.push_back(tensor.name());
  EXPECT_THAT(names, ::testing::ElementsAre("A", "B", "C_in", "bias", "residual", "C"));
  EXPECT_EQ(d.inputs, 5);
  EXPECT_EQ(d.args[5].buffer()->elements(), 2 * 6 + 5);
}

/// One product of 1 x 1, so that the sum is a * b.
double finished(const std::string& text, const HostTensors& in) {
  return builtin_registry()
      .find_operator("matmul")
      ->reference(parse_workload("matmul m=1 n=1 k=1 " + text), in)
      .expected[0][0];
}

TEST(MatmulReference, AppliesTheEpilogue) {
  EXPECT_EQ(finished("alpha=2 beta=0.5 epilogue=bias_residual", {{3}, {4}, {8}, {100}, {1000}}), 24 + 4 + 1100);
  EXPECT_EQ(finished("epilogue=bias_relu", {{3}, {-4}, {1}}), 0);
  EXPECT_EQ(finished("epilogue=residual_relu", {{3}, {-4}, {13}}), 1);
  EXPECT_NEAR(finished("epilogue=gelu", {{1}, {1}}), 0.8413447460685429, 1e-15);
  EXPECT_NEAR(finished("epilogue=bias_gelu", {{1}, {-1}, {-1}}), -0.0455002638963584, 1e-15);
}

TEST(MatmulReference, RoundsToTf32BeforeItMultiplies) {
  constexpr double kUlp = 0x1p-10;
  EXPECT_EQ(finished("precision=tf32", {{1 + kUlp / 2}, {3}}), 3 * (1 + kUlp)) << "ties go away from 0";
  EXPECT_EQ(finished("precision=tf32", {{5}, {-1 - kUlp * 0.75}}), -5 * (1 + kUlp));
  EXPECT_EQ(finished("precision=tf32", {{-0x1p-137}, {4}}), -0x1p-134);
  EXPECT_EQ(finished("precision=tf32 epilogue=bias", {{1}, {1}, {kUlp / 4}}), 1 + kUlp / 4) << "but nothing else";
  EXPECT_EQ(finished("precision=full", {{1 + kUlp / 4}, {1}}), 1 + kUlp / 4);
}

TEST(MatmulReference, RefusesInputsOfOtherSizes) {
  EXPECT_THROW(builtin_registry().find_operator("matmul")->reference(workload(2, 2, 2), {{1, 2, 3, 4}, {1, 2, 3}}),
               UsageError);
}

}  // namespace
}  // namespace nestwright
