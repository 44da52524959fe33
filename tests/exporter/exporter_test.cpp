// The contents of an export, and that its self-test distinguishes correct from wrong kernels.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "codegen/backend.h"
#include "export_fixture.h"
#include "exporter/source/function_name.h"
#include "nestwright/registry.h"
#include "target/description/host.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

struct Case {
  const char* name;
  const char* workload;
  int threads;
  const char* knobs;  ///< in addition to the default's
  bool is_parallel() const { return std::string_view(knobs).find("parallel") != std::string_view::npos; }
};

class ExportedKernel : public ExportTest, public ::testing::WithParamInterface<Case> {};

TEST_P(ExportedKernel, PassesItsSelfTestFromTheArchiveTheSharedLibraryAndTheAssembly) {
  const Case& c = GetParam();
  export_with(c.workload, host_with(c.threads), c.name, c.knobs);
  const auto manifest = nlohmann::json::parse(read_text(file(fmt::format("{0}/{0}_manifest.json", c.name))));
  EXPECT_EQ(manifest["parallel"], c.is_parallel());
  EXPECT_EQ(manifest["threads"], c.is_parallel() ? c.threads : 1);
  const std::string sources = fmt::format("-std=c11 {0}.c {0}_kernel.s", c.name);
  for (const std::string& library :
       {fmt::format("lib{}.a", c.name), fmt::format("lib{}.so -Wl,-rpath,.", c.name), sources}) {
    const CommandResult build = build_self_test(c.name, library);
    ASSERT_EQ(build.code, 0) << build.output;
    const CommandResult result = run(fmt::format("cd {} && timeout 60 ./selftest", c.name));
    EXPECT_EQ(result.code, 0) << library;
    EXPECT_THAT(result.output, HasSubstr("elements checked, all right")) << library;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Exporter, ExportedKernel,
    ::testing::Values(Case{"odd", "matmul m=37 n=53 k=29", 1, ""},
                      Case{"odd_on_two_threads", "matmul m=131 n=101 k=67", 2, "parallel=m"},
                      Case{"b_transposed", "matmul m=48 n=80 k=33 tb=1", 1, ""},
                      Case{"a_transposed", "matmul m=96 n=128 k=64 ta=1", 2, "parallel=m"},
                      Case{"in_double", "matmul m=45 n=61 k=38 ta=1 tb=1 dtype=float64", 1, ""},
                      Case{"in_double_on_two", "matmul m=128 n=72 k=50 dtype=float64", 2, "parallel=m"},
                      Case{"one_row", "matmul m=1 n=77 k=5", 1, ""},
                      Case{"accumulated", "matmul m=33 n=40 k=21 beta=-0.5 ldc=43 lda=25", 1, ""},
                      Case{"batch", "matmul batch=3 m=40 n=37 k=41 tb=1 epilogue=bias_gelu alpha=2", 2,
                           "parallel=batch"},
                      Case{"packed_before", "matmul m=37 n=53 k=29 prepared=b", 1, ""},
                      Case{"packed_before_in_batch", "matmul batch=2 m=70 n=53 k=64 tb=1 epilogue=bias prepared=b", 2,
                           "parallel=batch"},
                      Case{"filters_before", "conv2d n=1 c=5 h=9 w=11 k=19 r=3 s=3 stride=2 pad=1 prepared=w", 1, ""},
                      Case{"in_turns", "matmul batch=2 m=9 n=8 k=16 sc=8 ldc=17 epilogue=residual_relu", 1, ""},
                      Case{"softmax_rows", "softmax rows=9 columns=101", 2, "parallel=loops"},
                      Case{"normal_rows", "layer_norm rows=7 columns=80", 1, ""},
                      Case{"turned", "transpose rows=37 columns=53", 2, "parallel=loops Y.share=rows"},
                      Case{"all_of_it", "reduce function=sum shape=40x50 axes=0,1", 2, ""},
                      Case{"of_columns", "reduce function=max shape=40x50 axes=0", 1, ""},
                      Case{"bias_gelu", "broadcast function=add_gelu rows=5 columns=99", 1, ""},
                      Case{"products", "elementwise function=multiply shape=5x99", 2, "parallel=loops"}),
    [](const auto& test) { return test.param.name; });

TEST_F(ExportTest, StreamingStoresNeedAlignedOutputs) {
  Target target = host_with(1);
  target.l2_bytes = 4096;  // streaming stores are for results that exceed it
  export_with("elementwise function=add shape=64x64", target, "streamed", "Y.stores=streaming");
  EXPECT_THAT(read_text(file("streamed/streamed.c")), HasSubstr(", 64)"));
  const CommandResult build = build_self_test("streamed", "libstreamed.a");
  ASSERT_EQ(build.code, 0) << build.output;
  const CommandResult result = run("cd streamed && timeout 60 ./selftest");
  EXPECT_EQ(result.code, 0) << result.output;
}

TEST_F(ExportTest, WhatIsPreparedHasAFunctionOfItsOwn) {
  export_default("matmul m=8 n=20 k=16 prepared=b", host_with(1), "layer");
  const std::string header = read_text(file("layer/layer.h"));
  EXPECT_THAT(header, HasSubstr("int layer(const float* A, const void* prepared, float* C);\n"));
  EXPECT_THAT(header, HasSubstr("int layer_prepare(const float* B, void* prepared);\n"));
  EXPECT_THAT(header, HasSubstr(" *   B       float[16][20]           read by the preparation\n"));
  const auto manifest = nlohmann::json::parse(read_text(file("layer/layer_manifest.json")));
  EXPECT_EQ(manifest["tensors"][1]["role"], "constant");
  EXPECT_EQ(manifest["arguments"].back(), "C");
  EXPECT_EQ(manifest["arguments"].size(), manifest["tensors"].size()) << "prepared in the place of the constant";
  EXPECT_EQ(manifest["preparation_arguments"].back(), "prepared");
  const int bytes = manifest["prepared_bytes"];
  EXPECT_GE(bytes, 16 * 20 * 4);
  EXPECT_THAT(header, HasSubstr(fmt::format("enum {{ layer_prepared_bytes = {} }};\n", bytes)));
  const auto plain = export_default("matmul m=8 n=20 k=16", host_with(1), "plain");
  EXPECT_THAT(read_text(file("plain/plain.h")), Not(HasSubstr("prepare")));
}

// The launcher with a workspace that ends at an inaccessible page.
constexpr const char* kGuarded = R"(
#include <stdlib.h>
#include <sys/mman.h>
static void* end_at_guard(size_t alignment, size_t bytes) {
  const size_t pages = (bytes + 4095) / 4096 * 4096;
  char* memory = mmap(0, pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || bytes % alignment != 0 || mprotect(memory + pages, 4096, PROT_NONE) != 0) return 0;
  return memory + pages - bytes;
}
static void keep(void* memory) { (void)memory; }
#define aligned_alloc end_at_guard
#define free keep
#include "k.c"
)";

TEST_F(ExportTest, PackedOperandsInAWorkspace) {
  const char *in_float = "matmul m=70 n=101 k=67 tb=1", *in_double = "matmul m=70 n=101 k=67 dtype=float64";
  for (const auto& [workload, knob, threads] :
       {std::tuple{in_float, "pack_b=whole parallel=n", 2}, std::tuple{in_float, "pack_b=block", 1},
        std::tuple{in_double, "pack_b=whole", 1}, std::tuple{in_double, "pack_b=block parallel=m", 2}}) {
    export_with(workload, host_with(threads), "k", knob);
    const auto manifest = nlohmann::json::parse(read_text(file("k/k_manifest.json")));
    EXPECT_GT(manifest["workspace_bytes"], 0);
    write_text(file("k/guarded.c"), kGuarded);
    const CommandResult build =
        run("cd k && cc -std=c11 -D_GNU_SOURCE guarded.c k_kernel.o k_selftest.c -lm -lpthread -o selftest");
    ASSERT_EQ(build.code, 0) << build.output;
    const CommandResult result = run("timeout 60 ./k/selftest");
    EXPECT_EQ(result.code, 0) << workload << " " << knob << ": " << result.output;
  }
}

TEST_F(ExportTest, EveryInstructionSetThatRunsHere) {
  for (const char* isa : {"x86-64", "avx2", "avx512"}) {
    const Target target = Target::parse(fmt::format("cpu,isa={},threads=1", isa));
    if (target.isa > host_isa()) continue;
    export_default("matmul m=29 n=35 k=17", target, "k");
    ASSERT_EQ(build_self_test("k", "libk.a").code, 0) << isa;
    EXPECT_EQ(run("./k/selftest").code, 0) << isa;
  }
}

// A CPU's name must never introduce instructions that the check of the level does not cover.
TEST_F(ExportTest, HeaderSaysWhatMayShareMemoryAndHowRowsLie) {
  export_default("matmul m=8 n=8 k=8 beta=1 ldc=10", host_with(1), "k");
  const std::string header = read_text(file("k/k.h"));
  EXPECT_THAT(header, HasSubstr("Inputs and outputs must not overlap, but C_in and C may be the same pointer.\n"));
  EXPECT_THAT(header, HasSubstr("float[8][8], strides 10, 1"));
  export_default("matmul m=8 n=8 k=8", host_with(1), "k");
  EXPECT_THAT(read_text(file("k/k.h")), HasSubstr("Inputs and outputs must not overlap.\n"));
}

TEST_F(ExportTest, ProcessorNamesTuneAndNeverEnable) {
  Target target = Target::parse("cpu,isa=avx512,threads=1");
  target.llvm_cpu = "sapphirerapids";
  export_default("matmul m=32 n=32 k=32", target, "k");
  const std::string ir = read_text(file("k/k_kernel.ll"));
  EXPECT_THAT(ir, HasSubstr("\"target-cpu\"=\"x86-64-v4\""));
  EXPECT_THAT(ir, HasSubstr("\"tune-cpu\"=\"sapphirerapids\""));
  EXPECT_THAT(ir, Not(HasSubstr("target-features")));
}

TEST_F(ExportTest, DefaultNamesAreIdentifiers) {
  for (const char* text : {"reduce function=sum shape=4x5x6 axes=0,2", "layer_norm rows=1 columns=2 epsilon=2.5e-06"}) {
    EXPECT_NO_THROW(check_function_name(default_function_name(parse_workload(text)))) << text;
  }
  EXPECT_EQ(default_function_name(parse_workload("reduce function=sum shape=4x5x6 axes=0,2")),
            "reduce_functionsum_shape4x5x6_axes0_2_float32");
}

TEST_F(ExportTest, DefaultNameSaysTheWorkload) {
  const Task task{parse_workload("matmul m=8 n=16 k=4"), host_with(1)};
  const ExportResult result = export_kernel(task, look_up(task, nullptr), {file("out/deep"), ""});
  EXPECT_EQ(result.symbol, "matmul_m8_n16_k4_float32");
  const std::string n = result.name;
  EXPECT_THAT(result.files,
              IsSupersetOf({n + ".h", n + ".c", n + "_kernel.o", n + "_kernel.ll", n + "_kernel.s", n + "_selftest.c",
                            "lib" + n + ".a", "lib" + n + ".so", n + "Config.cmake", n + "_manifest.json"}));
  std::size_t there = 0;
  for (const auto& entry : std::filesystem::directory_iterator(file("out/deep"))) there += entry.is_regular_file();
  EXPECT_EQ(there, result.files.size()) << "every file is named, and nothing is left behind";
}

TEST_F(ExportTest, ManifestOfADefaultClaimsNoMeasurement) {
  export_default("matmul m=8 n=16 k=4 dtype=float64", host_with(1), "k");
  const auto manifest = nlohmann::json::parse(read_text(file("k/k_manifest.json")));
  EXPECT_EQ(manifest["function"], "k");
  EXPECT_EQ(manifest["workload"], "matmul m=8 n=16 k=4 dtype=float64");
  EXPECT_EQ(manifest["match"], "default");
  EXPECT_TRUE(manifest["time_ns"].is_null());
  EXPECT_EQ(manifest["verified"], false);
  EXPECT_TRUE(manifest["config"].is_object());
  EXPECT_THAT(manifest["exported"]["backend"].get<std::string>(), HasSubstr("LLVM"));
  ASSERT_EQ(manifest["tensors"].size(), 3U);
  EXPECT_EQ(manifest["tensors"][1]["shape"], nlohmann::json({4, 16}));
  EXPECT_EQ(manifest["tensors"][1]["strides"], nlohmann::json({16, 1}));
  EXPECT_EQ(manifest["tensors"][2]["role"], "output");
  EXPECT_EQ(manifest["arguments"], nlohmann::json({"A", "B", "C"}));
  EXPECT_TRUE(manifest["preparation_arguments"].is_null());
  EXPECT_THAT(read_text(file("k/k.h")), HasSubstr("not measured for this shape"));
}

TEST_F(ExportTest, WhatTheCheckFindsWrongIsNotWritten) {
  const Task task{parse_workload("matmul m=8 n=8 k=8"), host_with(1)};
  const auto wrong = [](const CompiledObject& object) {
    EXPECT_FALSE(object.object.empty());
    return ExportCheck{.failure = "wrong_result: C[0, 0] is 1, not 2"};
  };
  EXPECT_EQ(message<Error>([&] { export_kernel(task, look_up(task, nullptr), {file("wrong"), "k", wrong}); }),
            "k was not exported, for the kernel that was compiled is wrong (wrong_result: C[0, 0] is 1, not 2): tune "
            "matmul m=8 n=8 k=8 again");
  EXPECT_FALSE(std::filesystem::exists(file("wrong")));
}

TEST_F(ExportTest, TheManifestSaysWhetherTheObjectWasRun) {
  const Task task{parse_workload("matmul m=8 n=8 k=8"), host_with(1)};
  const auto checked_as = [&](const ExportCheck& check) {
    export_kernel(task, look_up(task, nullptr), {file("k"), "k", [&](const CompiledObject&) { return check; }});
    return nlohmann::json::parse(read_text(file("k/k_manifest.json")))["exported"]["checked"];
  };
  EXPECT_TRUE(checked_as({.why_not_run = "this machine cannot run it"}).is_null());
  EXPECT_EQ(checked_as({.median_ns = 2, .low_ns = 1, .high_ns = 3}),
            nlohmann::json({{"verified", true}, {"time_ns", {{"median", 2.0}, {"low", 1.0}, {"high", 3.0}}}}));
  EXPECT_TRUE(checked_as({})["time_ns"].is_null()) << "right, and not timed";
}

TEST_F(ExportTest, ManifestAndHeaderOfARecordSayWhatWasMeasured) {
  const Task task{parse_workload("matmul m=16 n=16 k=16"), host_with(1)};
  Lookup found = look_up(task, nullptr);
  BestRecord record;
  record.task.workload.text = task.workload.str();
  record.task.workload.flops = 8192;
  record.task.machine = "made-up machine";
  record.timing.median_ns = 2000;
  record.timing.low_ns = 1990;
  record.timing.high_ns = 2020;
  record.evidence = {true, 1e-6, 0.25};
  record.trials = 321;
  found.match = MatchKind::kExact;
  found.record = record;
  export_kernel(task, found, {file("exact"), "k"});
  const auto manifest = nlohmann::json::parse(read_text(file("exact/k_manifest.json")));
  EXPECT_EQ(manifest["time_ns"], nlohmann::json({{"median", 2000.0}, {"low", 1990.0}, {"high", 2020.0}}));
  EXPECT_EQ(manifest["machine"], "made-up machine");
  EXPECT_EQ(manifest["verified"], true);
  EXPECT_EQ(manifest["trials"], 321);
  EXPECT_EQ(manifest["evidence"]["largest_error_ratio"], 0.25);
  EXPECT_THAT(read_text(file("exact/k.h")),
              HasSubstr("2 us, undisturbed processes 1.99 .. 2.02 us, 4.1 GFLOP/s on made-up machine.\n"));
  EXPECT_TRUE(manifest["hint"].is_null());

  found.hint = "the microcode was 0x2a, and is 0x2b";
  export_kernel(task, found, {file("hint"), "k"});
  const auto hint = nlohmann::json::parse(read_text(file("hint/k_manifest.json")));
  EXPECT_EQ(hint["hint"], found.hint);
  EXPECT_EQ(hint["verified"], false);
  EXPECT_EQ(hint["time_ns"], manifest["time_ns"]);
  EXPECT_THAT(read_text(file("hint/k.h")),
              HasSubstr("on made-up machine; the time is a hint, for the reason in the manifest.\n"));

  // The time of another shape is not this kernel's time.
  found.match = found.record->match = MatchKind::kNearest;
  found.record->task.workload.text = "matmul m=32 n=32 k=32";
  export_kernel(task, found, {file("nearest"), "k"});
  const auto nearest = nlohmann::json::parse(read_text(file("nearest/k_manifest.json")));
  EXPECT_TRUE(nearest["time_ns"].is_null());
  EXPECT_EQ(nearest["verified"], false);
  EXPECT_EQ(nearest["recorded_for"], found.record->task.workload.text);
  EXPECT_EQ(nearest["hint"], found.hint);
  EXPECT_EQ(nearest["record"]["verified"], false);
  EXPECT_EQ(nearest["record"]["time_ns"]["median"], 2000.0);
}

// A self-test that passes with every kernel proves nothing.
TEST_F(ExportTest, SelfTestFailsWithPlantedBugs) {
  export_default("matmul m=20 n=24 k=16", host_with(1), "k");
  constexpr const char* kWrong = R"(#include "k.h"
int k(const float* A, const float* B, float* C) {{
  if (!A || !B || !C) return {3};
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < {0}; ++j) {{
      float sum = 0;
      for (int r = 0; r < {1}; ++r) sum += A[i * 16 + r] * B[r * 24 + j];
      C[i * 24 + j] = sum;
    }}
  {2}
  return 0;
}}
void k_release(void) {{}}
)";
  struct Planted {
    int columns, terms;
    const char* statement;
    int null_code;
    const char* message;
  };
  for (const Planted& planted :
       {Planted{24, 16, "", 3, "all right"}, Planted{24, 15, "", 3, "expected"},
        Planted{23, 16, "", 3, "was not written"}, Planted{24, 16, "C[480] = 0;", 3, "wrote outside"},
        Planted{24, 16, "C[-1] = 0;", 3, "wrote outside"},
        Planted{24, 16, "return 1;", 3, "returned 1: this CPU lacks"}, Planted{24, 16, "", 0, "took null pointers"}}) {
    write_text(file("k/wrong.c"),
               fmt::format(kWrong, planted.columns, planted.terms, planted.statement, planted.null_code));
    const CommandResult build = build_self_test("k", "wrong.c");
    ASSERT_EQ(build.code, 0) << build.output;
    const CommandResult result = run("timeout 20 ./k/selftest");
    EXPECT_EQ(result.code, std::string(planted.message) == "all right" ? 0 : 1) << planted.message;
    EXPECT_THAT(result.output, HasSubstr(planted.message));
  }
}

// Some elements of a large output are compared with values, and all are checked to be written.
TEST_F(ExportTest, SelfTestOfALargeOutputChecksASample) {
  export_default("elementwise function=add shape=1024x1024", host_with(1), "k");
  ASSERT_EQ(build_self_test("k", "libk.a").code, 0);
  const CommandResult result = run("timeout 60 ./k/selftest");
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr(" of 1048576 elements checked, all right"));
}

}  // namespace
}  // namespace nestwright
