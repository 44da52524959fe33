// Mistakes that a kernel, or the reference itself, may make.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "nestwright/error.h"
#include "reference/sample_check.h"
#include "tests/reference/text_with_reference.h"

namespace nestwright {
namespace {

/// The wrong elements of `fault`, judged as `right`. Both have the same inputs.
std::size_t caught(const std::string& right, const std::string& fault) {
  const TextWithReference judged(right);
  TextWithReference faulty(fault);
  faulty.inputs = judged.inputs;
  return wrong_elements(faulty.compute()[0], judged.reference());
}

TEST(PlantedFaults, InAKernelAreCaught) {
  const std::string sizes = "; A: float32[40, 200]; B: float32[200, 40] i=40 j=40";
  const std::string product = "C[i, j] = sum(k, A[i, k] * B[k, j])" + sizes;
  EXPECT_EQ(caught(product, product), 0u);
  EXPECT_GE(caught(product, "C[i, j] = sum(k, A[i, k] * B[k, j] * select(k == 77, 0, 1.0))" + sizes), 1590u)
      << "a missing step";
  EXPECT_GE(caught(product, "C[i, j] = sum(k, A[i, k] * B[k, j] * select(k == 199, 2, 1.0))" + sizes), 1590u)
      << "a step that is executed twice";
  EXPECT_EQ(caught(product, "C[i, j] = sum(k, select(k < 0, A[i, k] * B[k, j], 0))" + sizes + " k=200"), 1600u)
      << "zeros";
  EXPECT_GE(caught(product, "T[i, j] = sum(k, A[i, k] * B[k, j]); C[i, j] = T[j, i]" + sizes), 1500u)
      << "a transposed result";
}

TEST(PlantedFaults, InPaddingAreCaught) {
  const std::string sizes = "; X: float32[4, 30]; W: float32[3] y=30";
  const std::string right = "Y[c, y] = sum(r, X[c, y + r - 1]?0 * W[r])" + sizes;
  EXPECT_EQ(caught(right, right), 0u);
  EXPECT_EQ(caught(right, "Y[c, y] = sum(r, X[c, y + r - 1]?1 * W[r])" + sizes), 8u) << "the borders";
  EXPECT_GE(caught(right, "Y[c, y] = sum(r, X[c, y + r]?0 * W[r])" + sizes), 110u) << "shifted";
}

TEST(PlantedFaults, InPrecisionAreCaught) {
  const std::string softmax =
      "M[i] = max(j, X[i, j]); E[i, j] = exp(X[i, j] - M[i]); S[i] = sum(j, E[i, j]); Y[i, j] = E[i, j] / S[i] i=40 "
      "j=50";
  EXPECT_EQ(caught(softmax, softmax), 0u);
  EXPECT_GE(caught(softmax,
                   "M[i] = max(j, X[i, j]); E[i, j] = float32(float16(exp(X[i, j] - M[i])));"
                   "S[i] = sum(j, E[i, j]); Y[i, j] = E[i, j] / S[i] i=40 j=50"),
            1800u);
  EXPECT_GE(caught("Y[i] = tanh(X[i]) i=1000", "Y[i] = X[i] - X[i]*X[i]*X[i]/3 i=1000"), 900u);
}

Array array_of(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  Array array = Array::empty(kFloat64, shape);
  encode_elements(kFloat64, values, array.data());
  return array;
}

TEST(PlantedFaults, InTheReferenceAreCaughtByTheInterpreter) {
  const TextWithReference judged("T[i, j] = A[i, j] * 2; C[i] = sum(j, T[i, j]) i=30 j=30");
  const Tensor c = judged.definition.args.back(), a = judged.definition.args.front();
  const Tensor t(c.op()->inputs.front());
  std::vector<double> of_t, of_c(30);
  for (std::size_t e = 0; e < 900; ++e) {
    of_t.push_back(2 * judged.inputs[0][e]);
    of_c[e / 30] += of_t[e];
  }
  /// The message for these values of T and C; "" if there is none.
  const auto message_of = [&](const std::vector<double>& values_of_t, const std::vector<double>& values_of_c) {
    const Array of_a = array_of(judged.inputs[0], {30, 30}), changed_t = array_of(values_of_t, {30, 30}),
                changed_c = array_of(values_of_c, {30});
    std::vector<std::int64_t> all_of_t(900), all_of_c(30);
    std::iota(all_of_t.begin(), all_of_t.end(), 0);
    std::iota(all_of_c.begin(), all_of_c.end(), 0);
    const std::vector<KnownTensor> tensors{{a, &of_a}, {t, &changed_t, all_of_t}, {c, &changed_c, all_of_c}};
    try {
      check_with_interpreter(tensors);
    } catch (const InternalError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message_of(of_t, of_c), "");
  std::vector<double> faulty = of_c;
  faulty[17] += 1e-9;
  EXPECT_THAT(message_of(of_t, faulty), ::testing::HasSubstr("the reference of 'C' is"));
  EXPECT_THAT(message_of(of_t, faulty), ::testing::HasSubstr("at element 17"));
  faulty = of_t;
  faulty[899] *= 1 + 1e-12;
  EXPECT_THAT(message_of(faulty, of_c), ::testing::HasSubstr("the reference of 'T' is"));
}

}  // namespace
}  // namespace nestwright
