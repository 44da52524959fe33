// The subcommands that report without a database: space, lower, templates, doctor, help.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/options/common_options.h"
#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

CommandOutput run(const std::string& text) { return run_nestwright(words(text)); }

json document(const std::string& text) {
  const CommandOutput ran = run(text + " --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, IsEmpty());
  return json::parse(ran.out);
}

TEST(HelpTest, DocumentsExitCodesEverywhere) {
  for (const std::string command :
       {"", "tune", "query", "export", "measure", "revalidate", "space", "lower", "templates", "doctor"}) {
    const CommandOutput ran = run(command + " --help");
    EXPECT_EQ(ran.code, 0);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("0 done"), HasSubstr("2 wrong usage"), HasSubstr("3 nothing found"),
                               HasSubstr("4 no valid candidate"), HasSubstr("5 database"),
                               HasSubstr("6 a stored best is slower"), HasSubstr("130 interrupted")));
    EXPECT_THAT(ran.err, IsEmpty());
  }
}

TEST(SpaceTest, CountsWhatItLists) {
  const json space = document("space matmul m=32 n=32 k=32 --target cpu,isa=avx2");
  EXPECT_EQ(space["workload"], "matmul m=32 n=32 k=32");
  ASSERT_EQ(space["templates"].size(), 2u);
  EXPECT_EQ(space["templates"][1]["template"], "generated.cpu");
  const json& matmul = space["templates"][0];
  EXPECT_EQ(matmul["template"], "matmul.cpu");
  EXPECT_GT(matmul["valid"], 0);
  EXPECT_LE(matmul["valid"], matmul["points"]);
  double points = 0;
  for (const json& branch : matmul["branches"]) {
    double product = 1;
    for (const json& knob : branch["knobs"]) product *= static_cast<double>(knob["candidates"].size());
    points += product;
  }
  EXPECT_DOUBLE_EQ(matmul["points"].get<double>(), points);
}

TEST(SpaceTest, ReadsWell) {
  const CommandOutput ran = run("space matmul m=512 n=512 k=512");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("template matmul.cpu version"), HasSubstr("valid of"), HasSubstr("unroll_k")));
}

TEST(LowerTest, LoopsPassesIrAndAssembly) {
  const TemporaryFolder folder;
  const auto lower = [&](const std::string& more) {
    return run_nestwright(words("lower matmul m=48 n=48 k=48 --target cpu,isa=avx2 " + more),
                          {.folder = folder.path()});
  };
  const CommandOutput loops = lower("");
  EXPECT_EQ(loops.code, 0) << loops.err;
  EXPECT_THAT(loops.out, AllOf(HasSubstr("kernel matmul:"), HasSubstr("vectorized"), HasSubstr("for ")));
  EXPECT_THAT(loops.err, AllOf(HasSubstr("match     default"), HasSubstr("config    ")));
  EXPECT_THAT(lower("--schedule").out, HasSubstr("C: float32[48, 48] in global, at root, output"));
  EXPECT_THAT(lower("--print-after vectorize").out, HasSubstr("// after vectorize"));
  EXPECT_THAT(lower("--print-after all").out,
              AllOf(HasSubstr("// after build_nest"), HasSubstr("// after plan_storage")));
  EXPECT_THAT(lower("--llvm").out, HasSubstr("define "));
  EXPECT_THAT(lower("--asm").out, HasSubstr("vfmadd"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TemplatesTest, ListsOperatorsWithTheirParameters) {
  const json list = document("templates");
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list[0]["operator"], "matmul");
  EXPECT_EQ(list[0]["parameters"].size(), 18u);
  std::vector<std::string> names;
  for (const json& source : list[0]["templates"]) names.push_back(source["name"]);
  EXPECT_THAT(names, IsSupersetOf({"matmul.cpu", "matmul.dot", "matmul.convert", "matmul.amx"}));
  EXPECT_THAT(run("templates").out, AllOf(HasSubstr("matmul: "), HasSubstr("dtype"), HasSubstr("(default float32)")));
}

TEST(DoctorTest, ReportsWhatIsPresentAndMissing) {
  const json found = document("doctor");
  EXPECT_THAT(found["target"].get<std::string>(), HasSubstr("cpu,isa="));
  EXPECT_TRUE(found["amx"].is_boolean());
  EXPECT_GT(found["caches"]["l1d"], 0);
  EXPECT_GE(found["quietness"]["seconds"], 0.9);
  for (const char* share : {"fma_spread", "shared_share", "walk_spread", "wait_share", "steal_share"}) {
    EXPECT_GE(found["quietness"][share], 0) << share;
  }
  EXPECT_TRUE(found["quietness"]["disturbance"].is_string());
  EXPECT_GT(found["peak_gflops"]["float32_1_thread"], 0);
  EXPECT_GT(found["bandwidth_gb_s"]["memory_read"], 0);
  EXPECT_EQ(found["parallel_start_us"].empty(), found["cores"] == 1);
  for (const auto& [pool, cost] : found["parallel_start_us"].items()) {
    EXPECT_GT(cost["hot"], 0) << pool;
    EXPECT_GT(cost["idle"], 0) << pool;
  }
  EXPECT_THAT(found["backends"]["cpu"].get<std::string>(), HasSubstr("LLVM"));
  EXPECT_THAT(found["backends"]["cuda"].get<std::string>(), ::testing::AnyOf(HasSubstr("NVRTC"), HasSubstr("missing")));
  EXPECT_THAT(found["backends"]["opencl"].get<std::string>(),
              ::testing::AnyOf(HasSubstr("OpenCL"), HasSubstr("missing")));
  for (const char* kind : {"cuda", "opencl"}) {
    const json& devices = found["devices"][kind];
    if (devices.is_string()) {
      EXPECT_THAT(devices.get<std::string>(), ::testing::StartsWith("missing: ")) << kind;
      continue;
    }
    ASSERT_FALSE(devices.empty()) << kind;
    for (const json& device : devices) {
      EXPECT_THAT(device["target"].get<std::string>(), ::testing::StartsWith(kind));
      EXPECT_GT(device["copy_gb_s"], 0);
    }
  }
  EXPECT_THAT(found["worker"].get<std::string>(), HasSubstr("nestwright-worker"));
}

TEST(Printable, EscapesControlCharactersExceptNewlines) {
  EXPECT_EQ(cli::printable("plain text, \xc3\xa9\n"), "plain text, \xc3\xa9\n");
  EXPECT_EQ(cli::printable("a\x1b[31mb\r\t\x7f"), "a\\x1b[31mb\\x0d\\x09\\x7f");
}

}  // namespace
}  // namespace nestwright
