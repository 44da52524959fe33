// OpenCL C on an OpenCL device, compared with the interpreter: every operation on every type, also on values for which
// plain C is undefined, and whole schedules. PoCL, which check installs, makes a device of the CPU.
#include <gmock/gmock.h>

#include "codegen/backend.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "tests/codegen/device/agreement.h"
#include "tests/codegen/device/operations.h"
#include "tests/codegen/device/schedules.h"
#include "tests/codegen/element_data.h"

namespace nestwright::testing {
namespace {

class OpenClTypes : public ::testing::TestWithParam<ir::Type> {};

TEST_P(OpenClTypes, OperationsAgreeWithTheInterpreter) {
  expect_agreement(operations_on(GetParam(), Rows::kScalars, Kernels::kOne));
}

TEST_P(OpenClTypes, CastsOfScalarsAgreeWithTheInterpreter) {
  expect_agreement(casts_of(GetParam(), Rows::kScalars, Kernels::kOne));
}

TEST_P(OpenClTypes, CastsOfVectorsAgreeWithTheInterpreter) {
  expect_agreement(casts_of(GetParam(), Rows::kAligned, Kernels::kOne));
}

INSTANTIATE_TEST_SUITE_P(Types, OpenClTypes, ::testing::ValuesIn(ir::element_types()),
                         [](const auto& test) { return test.param.str(); });

class OpenClFloats : public ::testing::TestWithParam<ir::Type> {};

TEST_P(OpenClFloats, WhatIsRoundedAgreesWithTheInterpreter) {
  expect_agreement(rounded_functions_on(GetParam(), Rows::kScalars, Kernels::kOne));
}

TEST_P(OpenClFloats, FunctionsOfTheLibraryAgreeNearly) {
  expect_agreement(transcendental_functions_on(GetParam(), Rows::kScalars, Kernels::kOne), {}, Compare::kNearly);
}

INSTANTIATE_TEST_SUITE_P(Types, OpenClFloats, ::testing::Values(kFloat16, kBFloat16, kFloat32, kFloat64),
                         [](const auto& test) { return test.param.str(); });

TEST(OpenCl, WordsAgreeWithTheInterpreter) {
  expect_agreement(word_functions(Rows::kScalars, Kernels::kOne));
  expect_agreement(word_functions(Rows::kAligned, Kernels::kOne));
}

TEST(OpenCl, VectorsThatAreNotAligned) {
  for (const ir::Type type : {kInt8, kFloat16, kFloat32}) {
    expect_agreement(casts_of(type, Rows::kUnaligned, Kernels::kOne));
  }
}

TEST(OpenCl, VectorsUnderTheMaskOfARow) {
  for (const ir::Type type : {kInt8, kFloat16, kBFloat16, kFloat32, kFloat64}) {
    expect_agreement(padded_rows(type, DeviceKind::kOpenCl));
  }
}

class OpenClSchedules : public ::testing::TestWithParam<const char*> {};

TEST_P(OpenClSchedules, AgreeWithTheInterpreter) {
  const NamedProgram p = device_program(GetParam(), DeviceKind::kOpenCl);
  expect_agreement(p.program, p.symbols, p.name == "two_kernels" ? Compare::kNearly : Compare::kBits, fill_with_digits);
}

INSTANTIATE_TEST_SUITE_P(Programs, OpenClSchedules,
                         ::testing::Values("elementwise", "matmul", "row_sums", "shared_rows", "running_sum",
                                           "two_kernels"),
                         [](const auto& test) { return test.param; });

TEST(OpenCl, TheSourceIsTheObject) {
  const std::unique_ptr<Backend> backend = make_backend(DeviceKind::kOpenCl);
  EXPECT_EQ(backend->version(), "OpenCL C 1.2");
  const Target target = device_target(DeviceKind::kOpenCl);
  const CompiledObject object =
      backend->compile(expand(device_program("elementwise", DeviceKind::kOpenCl).program, target), target, {});
  EXPECT_EQ(object.object, object.source);
  EXPECT_TRUE(object.assembly.empty());
  EXPECT_TRUE(object.resources.empty());
}

TEST(OpenClRefuses, OtherDevicesTargets) {
  const Target target = device_target(DeviceKind::kCuda);
  const ir::Program program = expand(device_program("elementwise", DeviceKind::kCuda).program, target);
  try {
    make_backend(DeviceKind::kOpenCl)->compile(program, target, {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const CompileError& e) {
    EXPECT_STREQ(e.what(), "the OpenCL backend makes code for OpenCL only");
  }
}

}  // namespace
}  // namespace nestwright::testing
