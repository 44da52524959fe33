// Fragments in CUDA sources: their text run on the host by an emulation of the instructions, through NVRTC, and what is
// refused.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "codegen/backend.h"
#include "codegen/cuda/cuda_dialect.h"
#include "codegen/source/device_object.h"
#include "ir/fragments.h"
#include "ir/interpret.h"
#include "ir/verify.h"
#include "lower/lower.h"
#include "support/error.h"
#include "support/scratch_folder.h"
#include "tests/codegen/device/schedules.h"
#include "tests/codegen/device/warp_emulation.h"

namespace nestwright::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string source_of(const NamedProgram& p) {
  const Target target = device_target(DeviceKind::kCuda);
  const ir::Program expanded = expand(p.program, target, {.after_pass = {}, .verify = true});
  return codegen::device_object(expanded, codegen::CudaDialect(target)).source;
}

/// `source` without its functions that are inline PTX, which the emulation has in their place.
std::string without_instructions(const std::string& source) {
  std::string result, function;
  std::istringstream lines(source);
  bool in_function = false;
  for (std::string line; std::getline(lines, line);) {
    in_function = in_function || line.starts_with("static __device__");
    if (!in_function) {
      if (line.find("asm volatile(\"cp.async.wait_all;\"") == std::string::npos) result += line + "\n";
      continue;
    }
    function += line + "\n";
    if (line != "}") continue;
    if (function.find("asm") == std::string::npos) result += function;
    function.clear();
    in_function = false;
  }
  return result;
}

struct Case {
  const char* name;
  ir::Type type;
  bool ta, tb;
};

class Fragments : public ::testing::TestWithParam<Case> {};

TEST_P(Fragments, TextComputesTheProductOnEmulatedWarps) {
  const auto [name, type, ta, tb] = GetParam();
  const std::string source = source_of(fragments(type, ta, tb));
  const ScratchFolder folder("fragments");
  const std::string file = folder.path() + "/kernel.cpp", program = folder.path() + "/kernel",
                    log = folder.path() + "/log";
  const bool is_bfloat16 = type == kBFloat16;
  std::ofstream(file) << "#define NW_BFLOAT16 " << (is_bfloat16 ? 1 : 0) << "\n#define NW_TA " << (ta ? 1 : 0)
                      << "\n#define NW_TB " << (tb ? 1 : 0)
                      << "\n#define NW_M 64\n#define NW_N 96\n#define NW_K 64\n#define NW_X 3\n#define NW_Y 2\n"
                         "#define NW_WARPS 2\n"
                      << kWarpEmulation << without_instructions(source) << kWarpMain;
  const std::string command =
      fmt::format("c++ -std=c++20 -w {0} -o {1} -pthread >{2} 2>&1 && {1} >{2} 2>&1", file, program, log);
  const int status = std::system(command.c_str());  // NOLINT(cert-env33-c): names of our own
  std::stringstream said;
  said << std::ifstream(log).rdbuf();
  EXPECT_EQ(status, 0) << said.str() << source;
}

TEST_P(Fragments, CompileToTensorCoreInstructionsWithoutSpills) {
  const auto [name, type, ta, tb] = GetParam();
  const NamedProgram p = fragments(type, ta, tb);
  for (const char* arch : {"sm_80", "sm_90"}) {
    Target target = device_target(DeviceKind::kCuda);
    target.arch = arch;
    const CompiledObject object = make_backend(DeviceKind::kCuda)->compile(expand(p.program, target, {}), target, {});
    EXPECT_THAT(object.assembly, HasSubstr(fmt::format("mma.sync.aligned.m16n8k16.row.col.f32.{0}.{0}.f32",
                                                       type == kFloat16 ? "f16" : "bf16")));
    EXPECT_THAT(object.assembly, HasSubstr(tb ? "ldmatrix.sync.aligned.m8n8.x4.shared" : "x4.trans.shared"));
    EXPECT_EQ(object.resources[0].spill_bytes, 0);
  }
}

TEST_P(Fragments, VerifyAndComputeTheProductOnTheInterpreter) {
  const auto [name, type, ta, tb] = GetParam();
  const NamedProgram p = fragments(type, ta, tb);
  const ir::Program expanded = expand(p.program, device_target(DeviceKind::kCuda), {.after_pass = {}, .verify = true});
  const auto bits = [&](int value) -> std::uint16_t {  // of a small integer
    if (value == 0) return 0;
    const auto exponent = static_cast<int>(std::ilogb(std::abs(value)));
    const int digits = type == kFloat16 ? 10 : 7, bias = type == kFloat16 ? 15 : 127;
    const int fraction = (std::abs(value) << digits >> exponent) - (1 << digits);
    return static_cast<std::uint16_t>((value < 0 ? 0x8000 : 0) | (exponent + bias) << digits | fraction);
  };
  std::vector<std::uint16_t> a(64 * 64), b(64 * 96);
  std::vector<float> c(64 * 96);
  for (int i = 0; i < 64; ++i) {
    for (int k = 0; k < 64; ++k)
      a[static_cast<std::size_t>(ta ? k * 64 + i : i * 64 + k)] = bits((3 * i + 5 * k) % 7 - 3);
  }
  for (int j = 0; j < 96; ++j) {
    for (int k = 0; k < 64; ++k)
      b[static_cast<std::size_t>(tb ? j * 64 + k : k * 96 + j)] = bits((2 * j + 3 * k) % 5 - 2);
  }
  for (const ir::Program* program : {&p.program, &expanded}) {
    std::fill(c.begin(), c.end(), -1.0F);
    const ir::Memory memory[] = {std::as_writable_bytes(std::span(a)), std::as_writable_bytes(std::span(b)),
                                 std::as_writable_bytes(std::span(c))};
    ir::interpret(*program, memory);
    for (int i = 0; i < 64; ++i) {
      for (int j = 0; j < 96; ++j) {
        int sum = 0;
        for (int k = 0; k < 64; ++k) sum += ((3 * i + 5 * k) % 7 - 3) * ((2 * j + 3 * k) % 5 - 2);
        ASSERT_EQ(c[static_cast<std::size_t>(i * 96 + j)], static_cast<float>(sum)) << i << ", " << j;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Products, Fragments,
                         ::testing::Values(Case{"plain", kFloat16, false, false}, Case{"both", kBFloat16, true, true},
                                           Case{"a", kFloat16, true, false}, Case{"b", kBFloat16, false, true}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace nestwright::testing
