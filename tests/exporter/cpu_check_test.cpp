// The check for CPU instructions before the kernel is entered, with simulated answers of cpuid.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "export_fixture.h"
#include "exporter/source/sources.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "target/description/cpu_features.h"

namespace nestwright {
namespace {

// The launcher with a simulated cpuid and a kernel that must not be entered.
constexpr const char* kHarness = R"(
#include <cpuid.h>
static int missing_leaf, missing_bit = -1, missing_register;
static int fake_count(unsigned leaf, unsigned sub, unsigned* a, unsigned* b, unsigned* c, unsigned* d) {
  (void)sub;
  *a = *b = *c = *d = 0xffffffffu;
  if (missing_bit >= 0 && leaf == (unsigned)missing_leaf) *(missing_register == 1 ? b : c) &= ~(1u << missing_bit);
  return 1;
}
static int fake(unsigned leaf, unsigned* a, unsigned* b, unsigned* c, unsigned* d) { return fake_count(leaf, 0, a, b, c, d); }
#define __get_cpuid fake
#define __get_cpuid_count fake_count
#include "k.c"
#include <stdio.h>

static int entered;
int32_t k_kernel(void* const* buffers, const int64_t* symbols, void* workspace, const struct kernel_parallel* p) {
  (void)buffers, (void)symbols, (void)workspace, (void)p;
  entered = 1;
  return 0;
}

/* leaf register(1: ebx, 2: ecx) bit */
int main(int argc, char** argv) {
  if (argc == 4) {
    missing_leaf = (int)strtoul(argv[1], 0, 0);
    missing_register = atoi(argv[2]);
    missing_bit = atoi(argv[3]);
  }
  static float tensor[64];
  int code = k(tensor, tensor, tensor);
  if (k(tensor, tensor, tensor) != code) return 100;
  return code * 10 + entered;
}
)";

TEST_F(ExportTest, ACpuThatLacksAnInstructionGetsAnErrorAndNeverTheKernel) {
  Target target = Target::host();
  if (target.isa != CpuIsa::kAvx512) GTEST_SKIP() << "the register state is read from this machine";
  target.threads = 1;
  export_default("matmul m=8 n=8 k=8", target, "k");
  write_text(file("k/harness.c"), kHarness);
  const CommandResult build = run("cd k && cc -std=c11 -Wall -Wextra -Werror harness.c -o harness");
  ASSERT_EQ(build.code, 0) << build.output;
  EXPECT_EQ(run("./k/harness").code, 1) << "all there: entered, 0 returned";
  const std::vector<std::pair<const char*, int>> needed{
      {"1 2", 12}, {"1 2", 27}, {"1 2", 28}, {"1 2", 29},         {"1 2", 23},
      {"7 1", 5},  {"7 1", 3},  {"7 1", 8},  {"7 1", 16},         {"7 1", 17},
      {"7 1", 28}, {"7 1", 30}, {"7 1", 31}, {"0x80000001 2", 5}, {"0x80000001 2", 0}};
  for (const auto& [leaf, bit] : needed) {
    EXPECT_EQ(run(fmt::format("./k/harness {} {}", leaf, bit)).code, 10) << leaf << " " << bit;
  }
  EXPECT_EQ(run("./k/harness 7 1 21").code, 1) << "avx512-ifma is not part of the level";
}

// A float32 operator that computes with bytes internally, so that it can be exported and needs an extension.
TEST_F(ExportTest, ACpuThatLacksAnExtensionGetsAnErrorToo) {
  Target target = Target::host();
  if (target.isa != CpuIsa::kAvx512) GTEST_SKIP() << "the register state is read from this machine";
  target.threads = 1;
  target.llvm_cpu = "znver4";
  target.features = features_of_cpu(target.llvm_cpu);
  const Tensor A = placeholder({8, 8}, kFloat32, "A"), B = placeholder({8, 8}, kFloat32, "B");
  const Tensor a = compute({8, 8}, [&](Expr i, Expr j) { return cast(kUInt8, A(i, j)); }, "a");
  const Tensor b = compute({2, 16, 4}, [&](Expr k, Expr j, Expr l) { return cast(kInt8, B(k * 4 + l, j % 8)); }, "b");
  const IterVar ko = reduce_axis(2, "ko"), ki = reduce_axis(4, "ki");
  const Tensor c = compute(
      {8, 16},
      [&](Expr i, Expr j) { return sum(cast(kInt32, a(i, ko * 4 + ki)) * cast(kInt32, b(ko, j, ki)), {ko, ki}); }, "c");
  const Tensor C = compute({8, 8}, [&](Expr i, Expr j) { return cast(kFloat32, c(i, j)); }, "C");
  Schedule s = create_schedule(C);
  s[c].reorder({s[c].axis(0), ko, s[c].axis(1), ki}).tensorize(s[c].axis(1), dot_u8s8_16x4());
  const Task task{parse_workload("matmul m=8 n=8 k=8"), target};
  const Definition definition{{A, B, C}, 2};
  const ir::Program program = expand(lower(s, definition.args, target, "k_kernel"), target);
  const CompiledObject object = make_backend(DeviceKind::kCpu)->compile(program, target, {});
  const Lookup found = look_up(task, nullptr);
  const Exported exported{"k", &task, &found, &definition, &object, false, nullptr, nullptr, {"A", "B", "C"}};
  std::filesystem::create_directory(file("k"));
  write_text(file("k/k.h"), header_source(exported));
  write_text(file("k/k.c"), launcher_source(exported));
  write_text(file("k/harness.c"), kHarness);
  const CommandResult build = run("cd k && cc -std=c11 -Wall -Wextra -Werror harness.c -o harness");
  ASSERT_EQ(build.code, 0) << build.output;
  EXPECT_EQ(run("./k/harness").code, 1) << "all there: entered, 0 returned";
  EXPECT_EQ(run("./k/harness 7 2 11").code, 10) << "avx512_vnni";
  EXPECT_EQ(run("./k/harness 7 2 12").code, 1) << "avx512-bitalg is not needed";
  EXPECT_THAT(manifest_json(exported), ::testing::HasSubstr("\"extensions\": [\n    \"avx512_vnni\"\n  ]"));
}

TEST_F(ExportTest, TheCheckAgreesWithTheCompilersOwn) {
  for (const auto& [isa, level] : {std::pair{CpuIsa::kAvx2, "x86-64-v3"}, std::pair{CpuIsa::kAvx512, "x86-64-v4"}}) {
    write_text(file("check.c"), "#include <cpuid.h>\n#include <stdatomic.h>\n" + cpu_check_source(isa, {}) +
                                    "int main(void) {\n  __builtin_cpu_init();\n  return !!__builtin_cpu_supports(\"" +
                                    level + "\") != cpu_serves();\n}\n");
    const CommandResult build = run("cc -std=c11 -Wall -Wextra -Werror check.c -o check");
    if (build.output.find("parameter to builtin not valid") != std::string::npos) GTEST_SKIP() << "an older compiler";
    ASSERT_EQ(build.code, 0) << build.output;
    EXPECT_EQ(run("./check").code, 0) << level;
  }
}

// Only the object with the kernel may contain wide instructions, because the launcher runs before the check has passed.
TEST_F(ExportTest, TheLauncherIsPlainX86) {
  export_with("matmul m=64 n=64 k=64", host_with(2), "k", "parallel=m");
  const CommandResult code = run("cd k && cc -std=c11 -O2 -S -o - k.c");
  ASSERT_EQ(code.code, 0) << code.output;
  EXPECT_EQ(code.output.find("%ymm"), std::string::npos);
  EXPECT_EQ(code.output.find("%zmm"), std::string::npos);
}

}  // namespace
}  // namespace nestwright
