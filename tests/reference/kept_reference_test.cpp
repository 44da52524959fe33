#include "reference/kept_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "nestwright/error.h"
#include "support/os/scratch_folder.h"
#include "tests/reference/text_with_reference.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

TEST(KeptReferences, AreFoundForTheSameTextInputsAndOptions) {
  const ScratchFolder folder("kept-judgement");
  const TextWithReference judged("T[i] = A[i] * B[i]; P[i] = T[i] * 2.5; Q[i] = floor(T[i]) i=500");
  const ReferenceOptions options{.kept_in = folder.path(), .subject = "some text"};
  EXPECT_FALSE(KeptReference(judged.inputs, options).find(judged.definition).samples_agree);
  const Reference reference = judged.reference(options);
  const KnownReference found = KeptReference(judged.inputs, options).find(judged.definition);
  ASSERT_TRUE(found.reference.has_value());
  EXPECT_EQ(found.reference->expected, reference.expected);
  EXPECT_EQ(found.reference->bound, reference.bound);
  EXPECT_EQ(judged.reference(options).expected, reference.expected);

  ReferenceOptions others = options;
  others.subject = "another text";
  EXPECT_FALSE(KeptReference(judged.inputs, others).find(judged.definition).samples_agree);
  others = options;
  others.rounding = Rounding::kWrittenInRange;
  EXPECT_FALSE(KeptReference(judged.inputs, others).find(judged.definition).samples_agree);
  HostTensors inputs = judged.inputs;
  inputs[1][499] += 1;
  EXPECT_FALSE(KeptReference(inputs, options).find(judged.definition).samples_agree);
}

TEST(KeptReferences, AreTakenInPlaceOfJudging) {
  const ScratchFolder folder("kept-judgement");
  const TextWithReference judged("Y[i] = X[i] * 3 i=5");
  const ReferenceOptions options{.kept_in = folder.path(), .subject = "text"};
  const Reference kept{{{1, 2, 0, 4, 5}}, {{0.5, 0, INFINITY, 0, 0}}};
  KeptReference(judged.inputs, options).keep(kept);
  EXPECT_EQ(judged.reference(options).expected, kept.expected);
  EXPECT_EQ(judged.reference(options).bound, kept.bound) << "the third element was not judged";
}

TEST(KeptReferences, OfLargeResultsAreThatSamplesAgree) {
  const ScratchFolder folder("kept-judgement");
  const TextWithReference judged("Y[i] = X[i] * 3 i=70000");
  const ReferenceOptions options{.kept_in = folder.path(), .subject = "text"};
  const Reference reference = judged.reference(options);
  const KnownReference found = KeptReference(judged.inputs, options).find(judged.definition);
  EXPECT_TRUE(found.samples_agree);
  EXPECT_FALSE(found.reference.has_value());
  EXPECT_EQ(judged.reference(options).expected, reference.expected);
}

TEST(KeptReferences, OfRefusedTextsRefuseThem) {
  const ScratchFolder folder("kept-judgement");
  const TextWithReference judged("Y[i] = log(X[i] - 2) i=50");
  const ReferenceOptions options{.kept_in = folder.path(), .subject = "text"};
  const std::string refusal = message<UsageError>([&] { judged.reference(options); });
  EXPECT_THAT(refusal, ::testing::StartsWith("'Y' is not a number in 50 of 50"));
  EXPECT_EQ(KeptReference(judged.inputs, options).find(judged.definition).refusal, refusal);
  EXPECT_EQ(message<UsageError>([&] { judged.reference(options); }), refusal);
}

}  // namespace
}  // namespace nestwright
