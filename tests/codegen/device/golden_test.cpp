// Whole sources for each kind of schedule, compared with tests/codegen/device/golden.
#include <gtest/gtest.h>

#include "codegen/backend.h"
#include "ir/serialize/serialize.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "tests/codegen/device/products.h"
#include "tests/support/golden.h"

namespace nestwright::testing {
namespace {

constexpr const char* kFolder = "tests/codegen/device/golden/";

void expect_golden_cuda(const NamedProgram& p, const std::string& file) {
  expect_golden(cuda_source(p), kFolder + file);
}

class Golden : public ::testing::TestWithParam<const char*> {};

TEST_P(Golden, OpenCl) {
  const NamedProgram p = device_program(GetParam(), DeviceKind::kOpenCl);
  const Target target = device_target(DeviceKind::kOpenCl);
  const ir::Program expanded = expand(p.program, target, {.after_pass = {}, .verify = true});
  const CompiledObject object = make_backend(DeviceKind::kOpenCl)->compile(expanded, target, {});
  EXPECT_EQ(object.object, object.source);
  EXPECT_EQ(ir::to_string(ir::deserialize(object.launches)), ir::to_string(expanded));
  expect_golden(object.source, kFolder + p.name + ".cl");
}

TEST_P(Golden, Cuda) {
  expect_golden_cuda(device_program(GetParam(), DeviceKind::kCuda), std::string(GetParam()) + ".cu");
}

TEST(GoldenFragments, OfHalves) { expect_golden_cuda(fragments(kFloat16, false, false), "fragments.cu"); }

TEST(GoldenFragments, OfTf32) { expect_golden_cuda(fragments(kFloat32, false, true), "fragments_tf32.cu"); }

TEST(GoldenFragments, OfTf32AcrossRows) {
  expect_golden_cuda(fragments(kFloat32, false, false), "fragments_tf32_across.cu");
}

TEST(GoldenFragments, OfWarpgroups) { expect_golden_cuda(warpgroups(kFloat16, true, false, 192), "warpgroups.cu"); }

INSTANTIATE_TEST_SUITE_P(Programs, Golden,
                         ::testing::Values("elementwise", "matmul", "row_sums", "shared_rows", "running_sum",
                                           "two_kernels"),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace nestwright::testing
