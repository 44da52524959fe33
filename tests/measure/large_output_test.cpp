// Runners and tensor files of tasks whose output has expected values of some elements only, and of sums over lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "measure/process/protocol.h"
#include "measure/run/tensor_file.h"
#include "planted.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kElements = 1000, kSegment = 64;

double value_of(InputSet set, std::size_t input, std::size_t i) {
  const double at = static_cast<double>(i);
  switch (set) {
    case InputSet::kUniform:
      return input == 0 ? at : 0.5;
    case InputSet::kIntegers:
      return input == 0 ? at : 3;
    case InputSet::kWide:
      return std::ldexp(input == 0 ? 1 : 0.5, static_cast<int>(i % 49) - 24);
  }
  return 0;
}

/// The planted kernels' C = A + B, of which every 100th element is compared by itself.
CheckData large_addition() {
  CheckData data;
  data.types.assign(3, kFloat32);
  data.elements.assign(3, kElements);
  data.roles = {ir::Role::kInput, ir::Role::kInput, ir::Role::kOutput};
  LargeData large;
  for (std::int64_t place = 0; place < kElements; place += 100) large.places.push_back(place);
  large.lines = ir::compact_lines(kElements, kSegment);
  large.has_integers = large.has_wide = true;
  large.read_input = [](InputSet set, std::size_t input, std::size_t begin, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value_of(set, input, begin + i);
  };
  large.reference = [places = large.places, lines = *large.lines](InputSet set, std::span<const void* const> inputs) {
    const auto* a = static_cast<const float*>(inputs[0]);
    const auto* b = static_cast<const float*>(inputs[1]);
    SampledReference reference;
    for (const std::int64_t place : places) {
      reference.expected.push_back(double{a[place]} + double{b[place]});
      reference.bound.push_back(set == InputSet::kIntegers ? 0 : 1e-6 * std::abs(reference.expected.back()));
    }
    reference.weights.assign(kWeightVectors, std::vector<double>(kSegment, 129));
    reference.weights[1][7] = -131;
    for (const std::vector<double>& weights : reference.weights) {
      std::vector<double>& sums = reference.sums.emplace_back();
      std::vector<double>& bounds = reference.bounds.emplace_back();
      for (std::int64_t line = 0; line < lines.lines(); ++line) {
        double sum = 0;
        for (std::int64_t e = 0; e < lines.length_of(line); ++e) {
          const std::int64_t place = lines.first_of(line) + e;
          sum += weights[static_cast<std::size_t>(e)] * (double{a[place]} + double{b[place]});
        }
        sums.push_back(sum);
        bounds.push_back(set == InputSet::kIntegers ? 0 : 1e-6 * std::abs(sum));
      }
    }
    return reference;
  };
  data.large = large;
  return data;
}

std::unique_ptr<Runner> large_runner(const CheckData& data, int threads = 1) {
  use_worker(WORKER);
  return make_local_runner(data, planted_options(5, threads));
}

TEST(LargeOutput, ARightKernelIsVerifiedOnAllSets) {
  for (const int threads : {1, 2}) {
    const auto runner = large_runner(large_addition(), threads);
    EXPECT_EQ(run_planted(*runner, {"right"}).measurements[0].message, "");
    const CompiledObject object = planted("right");
    const std::vector<Contender> contenders{{&object}};
    const Measurement checked = runner->check(contenders)[0];  // starts another process, which has the third set
    EXPECT_EQ(checked.outcome, Outcome::kOk) << checked.message;
    EXPECT_TRUE(checked.evidence.verified);
    EXPECT_EQ(runner->race(contenders)[0].outcome, Outcome::kOk);
  }
}

TEST(LargeOutput, AWrongElementThatIsNoSampleIsFoundByItsLine) {
  const auto runner = large_runner(large_addition());
  const Measurement wrong = run_planted(*runner, {"wrong_at_7"}).measurements[0];
  EXPECT_EQ(wrong.outcome, Outcome::kWrongResult);
  EXPECT_THAT(wrong.message, HasSubstr("parameter 2 elements 0 to 63: their weighted sum must be "));
}

TEST(LargeOutput, WithoutSumsASampleIsCompared) {
  CheckData data = large_addition();
  data.large->lines.reset();
  data.large->places = {7, 8};
  data.large->reference = [](InputSet set, std::span<const void* const>) {
    SampledReference reference;
    for (const std::size_t i : {7u, 8u}) reference.expected.push_back(value_of(set, 0, i) + value_of(set, 1, i));
    reference.bound.assign(2, 1e-6);
    return reference;
  };
  const auto runner = large_runner(data);
  const RunResult result = run_planted(*runner, {"wrong_at_7", "right"});
  EXPECT_THAT(result.measurements[0].message, HasSubstr("parameter 2 element 7: expected 10, got "));
  EXPECT_EQ(result.measurements[1].outcome, Outcome::kOk) << result.measurements[1].message;
}

TEST(LargeOutput, TheThirdSetIsMadeWhenItIsNeeded) {
  TensorFile file(large_addition());
  const std::int64_t before = file.bytes();
  EXPECT_TRUE(file.has_wide_to_come());
  EXPECT_LT(file.layout()[2].wide, 0);
  file.append_wide();
  EXPECT_FALSE(file.has_wide_to_come());
  EXPECT_GE(file.layout()[2].wide, before);
  const std::int64_t after = file.bytes();
  file.append_wide();
  EXPECT_EQ(file.bytes(), after);
}

TEST(LargeOutput, ItsLayoutSurvivesEncoding) {
  const TensorFile file(large_addition());
  RunnerSetup setup;
  setup.tensors = file.layout();
  const RunnerSetup decoded = decode_runner_setup(encode(setup));
  ASSERT_TRUE(decoded.tensors[2].large);
  EXPECT_FALSE(decoded.tensors[0].large);
  const LargeLayout &in = *setup.tensors[2].large, &out = *decoded.tensors[2].large;
  EXPECT_EQ(out.samples, 10);
  EXPECT_EQ(out.vectors, 2);
  EXPECT_EQ(out.places, in.places);
  EXPECT_EQ(out.doubles(), in.doubles());
  EXPECT_EQ(out.lines.length, kElements);
  EXPECT_EQ(out.lines.segment, kSegment);
}

}  // namespace
}  // namespace nestwright
