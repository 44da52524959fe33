// CUDA C++ compiled by NVRTC, which needs no GPU: every operation on every type, the kernels' resources, and refusals.
// Without NVRTC these tests fail.
#include "codegen/backend.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "codegen/cuda/compile_log.h"
#include "ir/gpu/launch.h"
#include "nestwright/error.h"
#include "nestwright/expr_nodes.h"
#include "nestwright/lower.h"
#include "tests/codegen/device/operations.h"
#include "tests/codegen/device/schedules.h"
#include "tests/codegen/element_data.h"
#include "tests/support/message.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Target cuda(const std::string& arch) {
  Target target = device_target(DeviceKind::kCuda);
  target.arch = arch;
  return target;
}

CompiledObject compile(const ir::Program& loop_form, const Target& target, const CompileOptions& options = {}) {
  return make_backend(DeviceKind::kCuda)
      ->compile(expand(loop_form, target, {.after_pass = {}, .verify = true}), target, options);
}

std::string refusal(const ir::Program& loop_form, const Target& target) {
  return message<CompileError>([&] { compile(loop_form, target); });
}

void expect_compiles(const ir::Program& program) {
  for (const char* arch : {"sm_80", "sm_90"}) {
    const CompiledObject object = compile(program, cuda(arch));
    EXPECT_EQ(object.object.substr(1, 3), "ELF");
    for (const KernelResources& kernel : object.resources) {
      EXPECT_EQ(kernel.spill_bytes, 0) << object.source;
      EXPECT_GT(kernel.registers, 0);
    }
  }
}

class CudaTypes : public ::testing::TestWithParam<ir::Type> {};

TEST_P(CudaTypes, OperationsCompile) {
  const ir::Type type = GetParam();
  expect_compiles(operations_on(type, Rows::kScalars, Kernels::kEach));
  if (type == kInt32) expect_compiles(word_functions(Rows::kScalars, Kernels::kEach));
}

class CudaFloats : public ::testing::TestWithParam<ir::Type> {};

TEST_P(CudaFloats, FunctionsCompile) {
  const ir::Type type = GetParam();
  expect_compiles(rounded_functions_on(type, Rows::kScalars, Kernels::kEach));
  expect_compiles(transcendental_functions_on(type, Rows::kScalars, Kernels::kEach));
}

TEST_P(CudaTypes, CastsOfVectorsCompile) { expect_compiles(casts_of(GetParam(), Rows::kAligned, Kernels::kEach)); }

TEST_P(CudaTypes, CastsOfScalarsCompile) { expect_compiles(casts_of(GetParam(), Rows::kScalars, Kernels::kEach)); }

std::vector<ir::Type> floats() {
  std::vector<ir::Type> types;
  for (const ir::Type type : ir::element_types()) {
    if (type.is_float()) types.push_back(type);
  }
  return types;
}

INSTANTIATE_TEST_SUITE_P(Types, CudaFloats, ::testing::ValuesIn(floats()),
                         [](const auto& test) { return test.param.str(); });

INSTANTIATE_TEST_SUITE_P(Types, CudaTypes, ::testing::ValuesIn(ir::element_types()),
                         [](const auto& test) { return test.param.str(); });

TEST(Cuda, VectorsThatAreNotAlignedCompile) {
  for (const ir::Type type : {kInt8, kFloat16, kFloat32}) {
    expect_compiles(casts_of(type, Rows::kUnaligned, Kernels::kEach));
  }
}

TEST(Cuda, SchedulesCompileWithoutSpills) {
  for (const NamedProgram& p : device_programs(DeviceKind::kCuda)) {
    for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_90a"}) {
      const CompiledObject object = compile(p.program, cuda(arch));
      ASSERT_EQ(object.resources.size(), p.program.kernels.size());
      for (std::size_t k = 0; k < object.resources.size(); ++k) {
        const KernelResources& kernel = object.resources[k];
        EXPECT_EQ(kernel.kernel, p.program.kernels[k].name);
        EXPECT_EQ(kernel.spill_bytes, 0) << p.name;
        EXPECT_EQ(kernel.stack_bytes, 0) << p.name;
        // From sm_90 on ptxas counts 1 KiB more, which the system reserves.
        EXPECT_GE(kernel.shared_bytes, ir::shared_layout(p.program.kernels[k]).bytes) << p.name;
        EXPECT_LE(kernel.shared_bytes, ir::shared_layout(p.program.kernels[k]).bytes + 1024) << p.name;
      }
    }
  }
}

TEST(Cuda, WhatOlderDevicesLack) {
  const NamedProgram p = device_program("matmul", DeviceKind::kCuda);
  EXPECT_THAT(compile(p.program, cuda("sm_80")).source, HasSubstr("cp.async.wait_all"));
  EXPECT_THAT(compile(p.program, cuda("sm_75")).source, ::testing::Not(HasSubstr("cp.async")));
  compile(casts_of(kBFloat16, Rows::kAligned, Kernels::kEach), cuda("sm_75"));
}

TEST(Cuda, VersionAndAssembly) {
  EXPECT_THAT(make_backend(DeviceKind::kCuda)->version(), StartsWith("NVRTC 1"));
  const NamedProgram p = device_program("elementwise", DeviceKind::kCuda);
  const CompiledObject plain = compile(p.program, cuda("sm_90"));
  EXPECT_EQ(plain.assembly, "");
  const CompiledObject object = compile(p.program, cuda("sm_90"), {.keep_assembly = true});
  EXPECT_THAT(object.assembly, HasSubstr(".entry elementwise_kernel0"));
  EXPECT_THAT(object.assembly, HasSubstr("ld.global.nc.v4.f32"));
  EXPECT_THAT(object.assembly, HasSubstr("st.global.v4.f32"));
  EXPECT_EQ(object.code_fingerprint, plain.code_fingerprint);
}

TEST(Cuda, CodeIsTheSameUnderAnotherName) {
  NamedProgram p = device_program("matmul", DeviceKind::kCuda);
  const std::string code = compile(p.program, cuda("sm_80")).code_fingerprint;
  p.program.kernels[0].name = "other";
  const CompiledObject other = compile(p.program, cuda("sm_80"));
  EXPECT_EQ(other.code_fingerprint, code);
  EXPECT_THAT(other.source, HasSubstr("void __launch_bounds__(128) other("));
  EXPECT_NE(compile(device_program("row_sums", DeviceKind::kCuda).program, cuda("sm_80")).code_fingerprint, code);
}

TEST(Cuda, MoreSharedMemoryThanAKernelDeclaresIsGivenByTheLaunch) {
  const ir::Buffer a("A", kFloat32, {20000}), s("staged", kFloat32, {20000}, ir::Scope::kShared);
  const ir::Buffer t("rest", kInt8, {13}, ir::Scope::kShared), b("B", kFloat32, {20000});
  const ir::Var x("x"), k("k");
  const ir::Expr at = k * 100 + x;
  const ir::Stmt turns = ir::make_for(
      k, 0, 200, ir::LoopKind::kSerial,
      ir::block({ir::make_store(s, {at}, ir::make_load(a, {at})), ir::make_store(b, {at}, ir::make_load(s, {at}))}));
  const ir::Stmt threads = ir::make_for(x, 0, 100, ir::LoopKind::kThreadX, turns);
  const ir::Program program{"large",
                            {{a, ir::Role::kInput}, {b, ir::Role::kOutput}},
                            {},
                            {},
                            {},
                            {},
                            ir::make_launch(0),
                            {{"large_kernel0", ir::make_allocate(t, ir::make_allocate(s, threads))}}};
  const CompiledObject object = compile(program, cuda("sm_90"));
  EXPECT_THAT(object.source, HasSubstr("extern __shared__ __align__(16) unsigned char nw_shared[];"));
  EXPECT_THAT(object.source, HasSubstr("float* const staged = (float*)(nw_shared + 64);"));
  ASSERT_EQ(object.resources.size(), 1u);
  EXPECT_GE(object.resources[0].shared_bytes, 64 + 80000);
  EXPECT_LE(object.resources[0].shared_bytes, 64 + 80000 + 1024);
}

TEST(Cuda, ThreadsOfAWarpAreAskedByShuffles) {
  for (const ir::Type type : {kFloat32, kFloat64, kInt32, kUInt32, kInt64, kUInt64}) {
    const ir::Buffer a("A", type, {64}), b("B", type, {64});
    const ir::Buffer own("own", type, {1}, ir::Scope::kLocal), told("told", type, {1}, ir::Scope::kLocal);
    const ir::Var x("x");
    const ir::Stmt body = ir::block({ir::make_store(own, {0}, ir::make_load(a, {x})),
                                     ir::make_store(told, {0}, ir::shuffle_xor(ir::make_load(own, {0}), 16)),
                                     ir::make_store(b, {x}, ir::make_load(told, {0}))});
    const ir::Program program{"swap",
                              {{a, ir::Role::kInput}, {b, ir::Role::kOutput}},
                              {},
                              {},
                              {},
                              {},
                              ir::make_launch(0),
                              {{"swap_kernel0", ir::make_for(x, 0, 64, ir::LoopKind::kThreadX,
                                                             ir::make_allocate(own, ir::make_allocate(told, body)))}}};
    for (const char* arch : {"sm_75", "sm_90"}) {
      const CompiledObject object =
          make_backend(DeviceKind::kCuda)->compile(program, cuda(arch), {.keep_assembly = true});
      EXPECT_THAT(object.source, HasSubstr("  told[0] = __shfl_xor_sync(0xffffffffu, own[0], 16);\n"));
      EXPECT_THAT(object.assembly, HasSubstr("shfl.sync.bfly.b32"));
      EXPECT_EQ(object.resources.at(0).shared_bytes, 0);
      EXPECT_EQ(object.resources.at(0).stack_bytes, 0);
    }
  }
}

TEST(Cuda, NamesOfKernelsAndTensorsBecomeLegal) {
  const ir::Buffer a("exp", kFloat32, {8}), b("float4", kFloat32, {8});
  const ir::Var x("threadIdx.x");
  const ir::Stmt body =
      ir::make_for(x, 0, 8, ir::LoopKind::kThreadX, ir::make_store(b, {x}, ir::make_load(a, {x}) + 1.0));
  const ir::Program program{
      "matmul.gpu",
      {{a, ir::Role::kInput}, {b, ir::Role::kOutput}},
      {},
      {},
      {},
      {},
      ir::block({ir::make_launch(0), ir::make_launch(1)}),
      {{"1.main", body},
       {"int", ir::make_for(ir::Var("y"), 0, 8, ir::LoopKind::kThreadX, ir::make_store(a, {0}, 1.0))}}};
  const CompiledObject object = make_backend(DeviceKind::kCuda)->compile(program, cuda("sm_90"), {});
  EXPECT_EQ(object.resources[0].kernel, "v_1_main");
  EXPECT_EQ(object.resources[1].kernel, "int_");
  EXPECT_EQ(object.symbol, "matmul_gpu");
  EXPECT_THAT(object.source, HasSubstr("  v_float4[threadIdx_x] = exp_[threadIdx_x] + 1.0f;\n"));
}

TEST(CudaRefuses, ArchitecturesThatAreNone) {
  const ir::Program program = device_program("elementwise", DeviceKind::kCuda).program;
  for (const std::string arch : {"", "90", "sm_", "sm_90 -o x", "sm_9x", "sm_90aa", "compute_90"}) {
    EXPECT_EQ(refusal(program, cuda(arch)),
              "\"" + arch + "\" is no architecture of CUDA: give the target one as in cuda,arch=sm_90");
  }
  EXPECT_THAT(refusal(program, cuda("sm_12")),
              StartsWith(make_backend(DeviceKind::kCuda)->version() + " does not compile for sm_12: use one of sm_"));
}

TEST(CudaRefuses, OtherDevicesTargets) {
  EXPECT_EQ(refusal(device_program("elementwise", DeviceKind::kCuda).program, device_target(DeviceKind::kOpenCl)),
            "the CUDA backend makes code for CUDA only");
}

/// Each of these runs in a process of its own, because this one has loaded NVRTC.
void exit_with_refusal(const char* library) {
  setenv("NESTWRIGHT_NVRTC", library, 1);
  const std::string message = refusal(device_program("elementwise", DeviceKind::kCuda).program, cuda("sm_90"));
  fputs(message.c_str(), stderr);
  std::exit(3);
}

TEST(CudaDeathTest, SaysWhatIsMissing) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(exit_with_refusal("/nowhere/libnvrtc.so.13"), ::testing::ExitedWithCode(3),
              "^NVRTC cannot be loaded from /nowhere/libnvrtc.so.13, which NESTWRIGHT_NVRTC names: correct it, or "
              "unset it$");
  EXPECT_EXIT(exit_with_refusal("libm.so.6"), ::testing::ExitedWithCode(3),
              "^library libm.so.6 has no function nvrtcVersion: install another version of it$");
}

TEST(CudaLog, ResourcesOfEachKernel) {
  const std::vector<KernelResources> kernels = codegen::resources_of(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
      "ptxas info    : Function properties for b\n"
      "    40 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads\n"
      "ptxas info    : Used 153 registers, used 1 barriers, 40 bytes cumulative stack size, 8192 bytes smem\n"
      "ptxas info    : Compile time = 7.9 ms\n"
      "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "b");
  EXPECT_EQ(kernels[0].registers, 153);
  EXPECT_EQ(kernels[0].spill_bytes, 32);
  EXPECT_EQ(kernels[0].stack_bytes, 40);
  EXPECT_EQ(kernels[0].shared_bytes, 8192);
  EXPECT_EQ(kernels[1].kernel, "a");
  EXPECT_EQ(kernels[1].registers, 8);
  EXPECT_EQ(kernels[1].spill_bytes, 0);
  EXPECT_EQ(kernels[1].shared_bytes, 0);
}

TEST(CudaLog, TheFirstErrorOnOneLine) {
  EXPECT_EQ(codegen::first_error("f.cu(3): warning #177-D: unused\nf.cu(5): error: identifier \"x\" is undefined\n\n  "
                                 "x = 1;\n  ^\n1 error detected\n"),
            "f.cu(5): error: identifier \"x\" is undefined");
  EXPECT_EQ(codegen::first_error("something else \nmore"), "something else");
  EXPECT_EQ(codegen::first_error("error: " + std::string(1000, 'x')).size(), 300u);
}

}  // namespace
}  // namespace nestwright::testing
