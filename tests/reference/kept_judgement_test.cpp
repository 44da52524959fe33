#include "reference/kept_judgement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/base/error.h"
#include "support/os/scratch_folder.h"
#include "tests/reference/judged_text.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

TEST(KeptJudgements, AreFoundForTheSameTextInputsAndOptions) {
  const ScratchFolder folder("kept-judgement");
  const JudgedText judged("T[i] = A[i] * B[i]; P[i] = T[i] * 2.5; Q[i] = floor(T[i]) i=500");
  const JudgeOptions options{.kept_in = folder.path(), .subject = "some text"};
  EXPECT_FALSE(KeptJudgement(judged.inputs, options).find(judged.definition).samples_agree);
  const Reference reference = judged.judge(options);
  const Judgement found = KeptJudgement(judged.inputs, options).find(judged.definition);
  ASSERT_TRUE(found.reference.has_value());
  EXPECT_EQ(found.reference->expected, reference.expected);
  EXPECT_EQ(found.reference->bound, reference.bound);
  EXPECT_EQ(judged.judge(options).expected, reference.expected);

  JudgeOptions others = options;
  others.subject = "another text";
  EXPECT_FALSE(KeptJudgement(judged.inputs, others).find(judged.definition).samples_agree);
  others = options;
  others.rounding = Rounding::kWrittenInRange;
  EXPECT_FALSE(KeptJudgement(judged.inputs, others).find(judged.definition).samples_agree);
  HostTensors inputs = judged.inputs;
  inputs[1][499] += 1;
  EXPECT_FALSE(KeptJudgement(inputs, options).find(judged.definition).samples_agree);
}

TEST(KeptJudgements, AreTakenInPlaceOfJudging) {
  const ScratchFolder folder("kept-judgement");
  const JudgedText judged("Y[i] = X[i] * 3 i=5");
  const JudgeOptions options{.kept_in = folder.path(), .subject = "text"};
  const Reference kept{{{1, 2, 0, 4, 5}}, {{0.5, 0, INFINITY, 0, 0}}};
  KeptJudgement(judged.inputs, options).keep(kept);
  EXPECT_EQ(judged.judge(options).expected, kept.expected);
  EXPECT_EQ(judged.judge(options).bound, kept.bound) << "the third element was not judged";
}

TEST(KeptJudgements, OfLargeResultsAreThatSamplesAgree) {
  const ScratchFolder folder("kept-judgement");
  const JudgedText judged("Y[i] = X[i] * 3 i=70000");
  const JudgeOptions options{.kept_in = folder.path(), .subject = "text"};
  const Reference reference = judged.judge(options);
  const Judgement found = KeptJudgement(judged.inputs, options).find(judged.definition);
  EXPECT_TRUE(found.samples_agree);
  EXPECT_FALSE(found.reference.has_value());
  EXPECT_EQ(judged.judge(options).expected, reference.expected);
}

TEST(KeptJudgements, OfRefusedTextsRefuseThem) {
  const ScratchFolder folder("kept-judgement");
  const JudgedText judged("Y[i] = log(X[i] - 2) i=50");
  const JudgeOptions options{.kept_in = folder.path(), .subject = "text"};
  const std::string refusal = message<UsageError>([&] { judged.judge(options); });
  EXPECT_THAT(refusal, ::testing::StartsWith("'Y' is not a number in 50 of 50"));
  EXPECT_EQ(KeptJudgement(judged.inputs, options).find(judged.definition).refusal, refusal);
  EXPECT_EQ(message<UsageError>([&] { judged.judge(options); }), refusal);
}

}  // namespace
}  // namespace nestwright
