#include "templates/sketch/rewrites/unroll_phases.h"

#include <gtest/gtest.h>

#include <random>

#include "templates/sketch/rewrites/replace_tensors.h"
#include "tests/reference/text_with_reference.h"

namespace nestwright {
namespace {

Definition definition_of(const std::string& text) {
  const text::Signature made = text::make_tensors(text::Expression::parse(text).program());
  return {made.args, made.inputs};
}

/// The tensors that are computed for the outputs, with stages that the sums read several times unpacked there.
std::string unrolled(const std::string& text, bool unpacks_again = true) {
  Definition definition = definition_of(text);
  unroll_phases(definition, [&](const std::string&, double) { return unpacks_again; });
  std::string all;
  for (const Operation& op : operations_of(definition)) {
    if (!op.is_placeholder()) all += (all.empty() ? "" : "\n") + to_string(op);
  }
  return all;
}

TEST(UnrollPhases, OfTwoNumbersInAByte) {
  EXPECT_EQ(unrolled("Y[n] = sum(k, X[k]*float32((Q[n, k/2] >> uint8(k%2*4)) & 15)*S[n, k/32]); Q: uint8[6, 32] k=64"),
            "Y: float32[6], Y[i] = sum((X[k*2]*float32(bit_and(int32(Q[i, k]), 15)) + "
            "X[k*2 + 1]*float32(bit_and(shift_right(int32(Q[i, k]), 4), 15)))*S[i, k/16], k in 0..32)");
  EXPECT_EQ(unrolled("Y[n] = max(k, select((k & 1) == 0, A[n, k >> 1], B[n, k >> 1])) n=6 k=64"),
            "Y: float32[6], Y[i] = max(max(A[i, k], B[i, k]), k in 0..32)");
}

TEST(UnrollPhases, OfHalvesOfABlock) {
  const std::string number = "float32((Q[n, k/32, k%16] >> uint8(k%32/16*4)) & 15)";
  EXPECT_EQ(
      unrolled("Y[n] = sum(k, X[k]*" + number + "); Q: uint8[6, 2, 16] k=64"),
      "Y: float32[6], Y[i] = sum(X[k*32 + k.in]*float32(bit_and(int32(Q[i, k, k.in]), 15)) + "
      "X[k*32 + k.in + 16]*float32(bit_and(shift_right(int32(Q[i, k, k.in]), 4), 15)), k in 0..2, k.in in 0..16)");
}

TEST(UnrollPhases, OfNumbersThatAStageUnpacks) {
  const std::string stage = "D[n, k] = float32((Q[n, k/2] >> uint8(k%2*4)) & 15)*S[n, k/32]; ";
  const std::string types = "; Q: uint8[6, 32] k=64";
  const std::string alone = unrolled(stage + "Y[n] = sum(k, X[k]*D[n, k])" + types);
  EXPECT_EQ(alone,
            "Y: float32[6], Y[i] = sum((X[k*2]*float32(bit_and(int32(Q[i, k]), 15)) + "
            "X[k*2 + 1]*float32(bit_and(shift_right(int32(Q[i, k]), 4), 15)))*S[i, k/16], k in 0..32)");
  EXPECT_EQ(unrolled(stage + "Y[n] = sum(k, X[k]*D[n, k])" + types, false), alone) << "they are read once";
  const std::string rows = stage + "Y[m, n] = sum(k, X[m, k]*D[n, k])" + types;
  EXPECT_EQ(unrolled(rows + " m=4").find("D: "), std::string::npos);
  EXPECT_NE(unrolled(rows + " m=4", false).find("D: "), std::string::npos);
  EXPECT_NE(unrolled(rows + " m=17").find("D: "), std::string::npos) << "they are read too often";
  EXPECT_NE(unrolled(stage + "Y[n] = sum(k, X[k]*D[n, k]); Z[n] = max(k, D[n, k])" + types).find("D: "),
            std::string::npos)
      << "another stage reads them";
}

TEST(UnrollPhases, OfRowsThatShareNumbersMayBeAStage) {
  const std::string text =
      "Y[m, n] = sum(k, X[m, k]*(float32((Q[n, k/2] >> uint8(k%2*4)) & 15)*S[n, k/32])); "
      "Q: uint8[6, 32] k=64";
  const std::string stored =
      "Y.unpacked: float32[6, 64], Y.unpacked[i, j] = float32(bit_and(shift_right(Q[i, j/2], uint8(j%2*4)), "
      "15))*S[i, j/32]\n";
  EXPECT_EQ(unrolled(text + " m=4", false),
            stored + "Y: float32[4, 6], Y[i, j] = sum(X[i, k]*Y.unpacked[j, k], k in 0..64)");
  EXPECT_EQ(unrolled(text + " m=4").find("Y.unpacked"), std::string::npos);
  EXPECT_TRUE(unrolled(text + " m=17").starts_with(stored)) << "they are read too often to be unpacked again";
}

TEST(UnrollPhases, OfTensorsThatAreReadOftenAreCopied) {
  const std::string number = "float32((Q[n, k/2] >> uint8(k%2*4)) & 15)";
  EXPECT_EQ(unrolled("Y[n] = sum(k, X[k]*" + number + "); Q: uint8[16, 32] k=64"),
            "X.phases: float32[2, 32], X.phases[i, j] = X[j*2 + i]\n"
            "Y: float32[16], Y[i] = sum(X.phases[0, k]*float32(bit_and(int32(Q[i, k]), 15)) + "
            "X.phases[1, k]*float32(bit_and(shift_right(int32(Q[i, k]), 4), 15)), k in 0..32)");
  EXPECT_EQ(unrolled("Y[n] = sum(k, X[k]*" + number + "); Q: uint8[15, 32] k=64").find("X.phases"), std::string::npos)
      << "each element is read 15 times";
  EXPECT_EQ(unrolled("Y[n] = sum(k, A[n, k]*X[2*k]); X: float32[64] n=16 k=32"),
            "Y: float32[16], Y[i] = sum(A[i, k]*X[2*k], k in 0..32)")
      << "only one half is read";
}

TEST(UnrollPhases, KeepTheFactorsOfNarrowFloatsWhoseSumMayOverflow) {
  const std::string sums = unrolled(
      "Y[n] = sum(k, X[k]*(float16((Q[n, k/2] >> uint8(k%2*4)) & 15)*S[n, k/32])); "
      "X: float16; S: float16; Q: uint8[6, 32] k=64");
  EXPECT_NE(sums.find("X[k*2]*(float16(bit_and(int32(Q[i, k]), 15))*S[i, k/16]) + "), std::string::npos) << sums;
}

TEST(UnrollPhases, HaveTheFormOfASumThatIsWrittenByPairs) {
  const std::string types = "; Q: uint8[16, 32]; X: float32[64] k=32";
  const std::string sums = "X.phases[0, k]*float32(bit_and(int32(Q[i, k]), 15)) + X.phases[1, k]*float32(shift_right(";
  EXPECT_EQ(unrolled("Y[n] = sum(k, X[2*k]*float32(Q[n, k] & 15)*S[n, k/16] + X[2*k + 1]*float32(Q[n, k] >> 4)*S[n, "
                     "k/16])" +
                     types),
            "X.phases: float32[2, 32], X.phases[i, j] = X[j*2 + i]\nY: float32[16], Y[i] = sum((" + sums +
                "int32(Q[i, k]), 4)))*S[i, k/16], k in 0..32)");
}

TEST(UnrollPhases, AreNotOfAddresses) {
  const auto is_same = [](const std::string& text) {
    Definition definition = definition_of(text);
    const std::vector<Tensor> before = definition.args;
    unroll_phases(definition, [](const std::string&, double) { return true; });
    return definition.args == before;
  };
  EXPECT_TRUE(is_same("Y[n] = sum(k, X[k]*W[n, k/4, k%4]) n=6 k=64"));
  EXPECT_TRUE(is_same("Y[n] = sum(k, X[k]*select(k%9 == 0, W[n, k], 0.0)) n=6 k=63")) << "more than 8";
  EXPECT_TRUE(is_same("Y[n] = sum(k, X[k]*select(k%2 == 0, W[n, k], 1.0)) n=6 k=63")) << "an odd number of terms";
  EXPECT_TRUE(is_same("Y[n] = sum(k, X[k]*float32((Q[n, k/32, k%16] >> uint8(k/16*4)) & 15)); Q: uint8[6, 1, 16] k=32"))
      << "one axis would read all of Q, but half of X";
  EXPECT_TRUE(is_same("Y[n, k] = X[k]*select(k%2 == 0, W[n, k], 1.0) n=6 k=64"));
  EXPECT_TRUE(is_same("Y[n] = argmax(k, X[k]*select(k%2 == 0, W[n, k], 1.0)) n=6 k=64"));
  EXPECT_TRUE(is_same("Y[n] = sum(k, X[k]*select((k + n)%2 == 0, W[n, k], 1.0)) n=6 k=64"));
}

/// Sums of packed numbers, drawn at random.
std::string packed_sum(std::mt19937_64& random) {
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const int bits = 1 << draw(0, 2), each = 8 / bits, in_block = draw(0, 1) == 1 ? 1 : 1 << draw(1, 4);
  const int k = each * in_block * draw(1, 9), n = draw(1, 5), m = draw(1, 3);
  const std::string per = std::to_string(each), length = std::to_string(in_block),
                    mask = std::to_string((1 << bits) - 1);
  const std::string phase = in_block == 1 ? "k%" + per : "k/" + length + "%" + per;
  const std::string byte =
      in_block == 1 ? "k/" + per : "k/" + std::to_string(each * in_block) + "*" + length + " + k%" + length;
  const std::string number =
      "float32((Q[n, " + byte + "] >> uint8(" + phase + "*" + std::to_string(bits) + ")) & " + mask + ")";
  const int group = std::vector{8, 16, 24, 32}[static_cast<std::size_t>(draw(0, 3))];
  const std::string value =
      "(" + number + " - Z[n, k/" + std::to_string(group) + "])*S[n, k/" + std::to_string(group) + "]";
  const std::string reduction = std::vector{"sum", "max", "min"}[static_cast<std::size_t>(draw(0, 2))];
  const std::string of = draw(0, 1) == 1 ? "D[n, k] = " + value + "; Y[m, n] = " + reduction + "(k, X[m, k]*D[n, k])"
                                         : "Y[m, n] = " + reduction + "(k, X[m, k]*(" + value + "))";
  const auto sizes = [](int rows, int columns) {
    return "[" + std::to_string(rows) + ", " + std::to_string(columns) + "]";
  };
  const int groups = (k + group - 1) / group;
  return of + "; Q: uint8" + sizes(n, k / each) + " in [0, 255]; S: float32" + sizes(n, groups) + "; Z: float32" +
         sizes(n, groups) + "; X: float32" + sizes(m, k) + " k=" + std::to_string(k);
}

TEST(UnrollPhases, HaveTheValueOfTheSumAsItIsWritten) {
  std::mt19937_64 random(23);
  int changed = 0;
  for (int i = 0; i < 30; ++i) {
    const std::string text = packed_sum(random);
    TextWithReference judged(text);
    const Reference expected = judged.reference();
    const Tensor written = judged.definition.args.back();
    unroll_phases(judged.definition, [&](const std::string&, double) { return i % 2 == 0; });
    changed += judged.definition.args.back() == written ? 0 : 1;
    EXPECT_EQ(wrong_elements(judged.compute(RunBy::kInterpreter)[0], expected), 0U) << text;
  }
  EXPECT_GE(changed, 15);
}

}  // namespace
}  // namespace nestwright
