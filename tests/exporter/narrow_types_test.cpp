// Exported kernels of narrow types agree with plain loops, whichever template made them, and state their requirements.
#include <gmock/gmock.h>

#include "export_fixture.h"
#include "nestwright/registry.h"
#include "target/description/tile_permission.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class NarrowExport : public ExportTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(NarrowExport, SelfTestsPassForEveryTemplate) {
  int variants = 0;
  for (const char* shape : {"m=29 n=35 k=66", "m=16 n=64 k=64 ta=1", "m=29 n=35 k=66 prepared=b"}) {
    const Task task{parse_workload(std::string("matmul ") + shape + " dtype=" + GetParam()), host_with(1)};
    for (const Template* source : templates_for(task.workload, task.target)) {
      Lookup found = look_up(task, nullptr);
      found.source = source;
      found.config = source->seeds(task.workload, task.target).front();
      const std::string name = "k" + std::to_string(variants++);
      export_kernel(task, found, {file(name), name});
      const CommandResult build = build_self_test(name, "lib" + name + ".a");
      ASSERT_EQ(build.code, 0) << source->name << ": " << build.output;
      const CommandResult result = run("timeout 60 ./" + name + "/selftest");
      EXPECT_EQ(result.code, 0) << source->name << " of " << task.workload.str() << ": " << result.output;
    }
  }
}

TEST_P(NarrowExport, TheSelfTestSeesAWrongElement) {
  export_default(std::string("matmul m=9 n=20 k=12 dtype=") + GetParam(), host_with(1), "k");
  std::string source = read_text(file("k/k_selftest.c"));
  const std::string call = "  const int code = k(";
  const std::size_t at = source.find(";\n", source.find(call));
  ASSERT_NE(at, std::string::npos);
  source.insert(at + 2, "  C_at[37] = C_at[37] + 2048;\n");
  write_text(file("k/k_selftest.c"), source);
  ASSERT_EQ(build_self_test("k", "libk.a").code, 0);
  const CommandResult result = run("./k/selftest");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.output, HasSubstr("k: element 37 of C is "));
}

INSTANTIATE_TEST_SUITE_P(Types, NarrowExport, ::testing::Values("bfloat16", "float16", "int8", "uint8"),
                         [](const auto& p) { return std::string(p.param); });

TEST_F(ExportTest, TilesAreAskedForAndTheirRefusalIsACode) {
  Target target = Target::parse("cpu,isa=avx512,threads=1,llvm_cpu=sapphirerapids");
  export_default("matmul m=32 n=48 k=64 dtype=bfloat16", target, "k");
  EXPECT_THAT(read_text(file("k/k.h")),
              HasSubstr(" *   4  the operating system refuses the tile registers (AMX) to this process\n"));
  EXPECT_THAT(read_text(file("k/k.c")), HasSubstr("if (!tiles_allowed()) return 4;"));
  EXPECT_THAT(read_text(file("k/k_manifest.json")), HasSubstr("\"amx_tile\",\n    \"amx_bf16\""));
  EXPECT_THAT(read_text(file("k/k_kernel.s")), HasSubstr("tdpbf16ps"));
  ASSERT_EQ(build_self_test("k", "libk.a").code, 0);
  const CommandResult result = run("./k/selftest");
  if (request_tile_permission()) {
    EXPECT_EQ(result.code, 0) << result.output;
  } else {
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.output, HasSubstr("k: returned 1: this CPU lacks instructions that it needs"));
  }
  // If the processor has them, the operating system is asked next; a stand-in refuses.
  std::string launcher = read_text(file("k/k.c"));
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::size_t at = launcher.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    launcher.replace(at, from.size(), to);
  };
  replace("state = detect_cpu() ?", "state = (detect_cpu(), 1) ?");
  replace("state = result == 0 ?", "state = (result == 0 && 0) ?");
  write_text(file("k/k.c"), launcher);
  ASSERT_EQ(run("cd k && cc -std=c11 -O1 k_selftest.c k.c k_kernel.o -lm -lpthread -o refused").code, 0);
  EXPECT_THAT(run("./k/refused").output, HasSubstr("k: returned 4\n"));
}

TEST_F(ExportTest, KernelsWithoutTilesDoNotMentionThem) {
  export_default("matmul m=8 n=8 k=8", host_with(1), "k");
  EXPECT_THAT(read_text(file("k/k.h")), Not(HasSubstr("AMX")));
  EXPECT_THAT(read_text(file("k/k.c")), Not(HasSubstr("tiles_allowed")));
}

}  // namespace
}  // namespace nestwright
