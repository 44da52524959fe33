// Wrong usage: exit code 2, one sentence that says what to do, and no output.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "search/task/runnable.h"
#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

struct Wrong {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> parts;
};

void PrintTo(const Wrong& wrong, std::ostream* stream) { *stream << wrong.name; }

class BadUsageTest : public ::testing::TestWithParam<Wrong> {};

TEST_P(BadUsageTest, IsRefusedInOneSentence) {
  const TemporaryFolder folder;
  expect_refusal(run_nestwright(GetParam().arguments, {.folder = folder.path()}), 2, GetParam().parts);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "no file is created before the command line is checked";
}

std::vector<std::string> tune(const std::string& workload, const std::string& more = "") {
  return words("tune " + workload + " --trials 2 " + more);
}

const std::vector<Wrong> kWrong = {
    {"NoCommand", {}, {"no command is given", "tune, query, "}},
    {"UnknownCommand", words("tunee matmul"), {"no command 'tunee'", "did you mean 'tune'"}},
    {"NoLogCommand", words("log"), {"no command of nestwright log is given", "sessions", "nestwright log --help"}},
    {"UnknownLogCommand", words("log sesions"), {"no command 'sesions' of nestwright log", "did you mean 'sessions'"}},
    {"LogOptionAlone", words("log --frob"), {"nestwright log --help"}},
    {"UnknownLogOption", words("log sessions --frob"), {"--frob", "nestwright log sessions --help"}},
    {"OptionAlone", words("--frob"), {"subcommand is required", "nestwright --help"}},
    {"UnknownOption", tune(kSmallWorkload, "--frob"), {"--frob", "nestwright tune --help"}},
    {"NoWorkload", words("tune"), {"no workload is given", "--file"}},

    {"UnknownOperator", tune("matmull m=1 n=1 k=1"), {"no operator 'matmull'", "did you mean 'matmul'"}},
    {"UnknownParameter", tune("matmul m=1 n=1 k=1 q=3"), {"no parameter 'q'", "m, n, k, ta, tb, dtype"}},
    {"WordThatIsNoParameter", tune("matmul m=1 n=1 k"), {"'k' in the workload is no parameter", "name=value"}},
    {"MissingSize", tune("matmul m=1 n=1"), {"'k' of matmul is missing", "give k="}},
    {"ZeroSize", tune("matmul m=0 n=1 k=1"), {"m=0 of matmul is illegal", "from 1 to 2147483647"}},
    {"NegativeSize", tune("matmul m=1 n=-5 k=1"), {"n=-5 of matmul is illegal", "from 1 to 2147483647"}},
    {"OverflowingSize", tune("matmul m=1 n=1 k=99999999999999999999"), {"k=99999999999999999999", "2147483647"}},
    {"SizeWithFraction", tune("matmul m=1.5 n=1 k=1"), {"m=1.5 of matmul is illegal", "integer"}},
    {"OverflowingTensor",
     tune("matmul m=2147483647 n=2147483647 k=2147483647"),
     {"larger than any address space", "give smaller sizes"}},
    {"MoreThanTheMemory",
     tune("matmul m=2000000 n=2000000 k=8"),
     {"GB of memory and this machine has", "choose smaller sizes"}},
    {"DuplicateParameter", tune("matmul m=1 n=1 k=1 m=2"), {"'m' of matmul is given twice", "give it once"}},
    {"IllegalFlag", tune("matmul m=1 n=1 k=1 ta=2"), {"ta=2 of matmul is illegal", "0 or 1"}},
    {"IllegalType",
     tune("matmul m=1 n=1 k=1 dtype=int7"),
     {"dtype=int7", "float32, float64, bfloat16, float16, int8 or uint8"}},

    {"UnknownDevice", tune(kSmallWorkload, "--target gpu"), {"device \"gpu\" is not known", "begin with cpu"}},
    {"UnknownIsa",
     tune(kSmallWorkload, "--target cpu,isa=avx9"),
     {"isa \"avx9\" is not known", "x86-64, avx2 or avx512"}},
    {"UnknownTargetField",
     tune(kSmallWorkload, "--target cpu,foo=1"),
     {"field \"foo\" is not known", "known fields: isa"}},
    {"TargetFieldTwice", tune(kSmallWorkload, "--target cpu,threads=1,threads=2"), {"threads is given twice"}},
    {"ThreadsOfTarget", tune(kSmallWorkload, "--target cpu,threads=0"), {"threads is \"0\"", "from 1 to 4096"}},

    {"ZeroThreads", tune(kSmallWorkload, "--threads 0"), {"--threads", "from 1 to 4096", "not '0'"}},
    {"TooManyThreads", tune(kSmallWorkload, "--threads 1000000"), {"--threads", "from 1 to 4096"}},
    {"ZeroTrials", words("tune matmul m=1 n=1 k=1 --trials 0"), {"--trials", "integer from 1", "not '0'"}},
    {"TrialsNoNumber", words("tune matmul m=1 n=1 k=1 --trials ten"), {"--trials", "not 'ten'"}},
    {"OverflowingTrials", words("tune matmul m=1 n=1 k=1 --trials 99999999999999999999"), {"--trials"}},
    {"ZeroSeconds", tune(kSmallWorkload, "--seconds 0"), {"--seconds", "a number of seconds above 0"}},
    {"SecondsNoNumber", tune(kSmallWorkload, "--seconds nan"), {"--seconds", "above 0, not 'nan'"}},
    {"NegativeSeed", tune(kSmallWorkload, "--seed=-1"), {"--seed", "not '-1'"}},
    {"UnknownStrategy", tune(kSmallWorkload, "--strategy luck"), {"--strategy", "luck", "evolutionary"}},
    {"UnknownCostModel", tune(kSmallWorkload, "--cost-model oracle"), {"--cost-model", "oracle", "xgboost"}},

    {"UnknownKnob",
     {"lower", kSmallWorkload, "--config", "warp=3"},
     {"there is no knob 'warp'", "the knobs are vector_axis, "}},
    {"MalformedConfig", {"lower", kSmallWorkload, "--config", "fast"}, {"part 'fast' is malformed", "knob=value"}},
    {"UnknownPass", {"lower", kSmallWorkload, "--print-after", "magic"}, {"no pass 'magic'", "vectorize"}},
    {"UnknownTemplate",
     {"lower", kSmallWorkload, "--template", "x", "--config", "a=1"},
     {"no template 'x'", "matmul.cpu"}},
    {"TemplateOfAnotherOperator", {"lower", kSmallWorkload, "--template", "softmax.gpu"}, {"softmax.gpu"}},
    {"LlvmOfADevice",
     {"lower", kSmallWorkload, "--target", "cuda,arch=sm_90", "--llvm"},
     {"--llvm: only kernels for CPUs", "--target cpu"}},
    {"LowerFinalOfNothing",
     {"lower", kSmallWorkload, "--final"},
     {"--final chooses how the kernel is compiled", "give --llvm, --asm or --resources"}},
    {"LowerPassesOfPrimitives", {"lower", kSmallWorkload, "--cpp", "--print-after", "all"}, {"--cpp", "--print-after"}},
    {"AssemblyOfOpenCl",
     {"lower", kSmallWorkload, "--target", "opencl", "--asm"},
     {"--asm: OpenCL's driver compiles the kernels"}},
    {"ResourcesOfACpu", {"lower", kSmallWorkload, "--resources"}, {"only CUDA's compiler reports", "--target cuda"}},
    {"ResourcesOfOpenCl",
     {"lower", kSmallWorkload, "--target", "opencl", "--resources"},
     {"only CUDA's compiler reports"}},

    {"ListingOfUnknownOperator", words("query --op conv"), {"no operator 'conv'"}},
    {"ListingOfUnknownType", words("query --dtype real"), {"real"}},
    {"ListingThatIsExact", words("query --exact"), {"--exact asks for one workload"}},
    {"WorkloadThatIsFiltered", {"query", kSmallWorkload, "--op", "matmul"}, {"--op and --dtype filter a listing"}},
    {"TopZero", {"query", kSmallWorkload, "--top", "0"}, {"--top", "not '0'"}},

    {"SwitchWithAValue",
     {"query", kSmallWorkload, "--json=1"},
     {"--json takes no value: give it alone", "nestwright query --help"}},
    {"TwoTexts", {"lower", kSmallWorkload, "--llvm", "--asm"}, {"--llvm excludes --asm"}},
    {"EmptyConfig", {"lower", kSmallWorkload, "--config", ""}, {"--config", "it is empty"}},
    {"EmptyName", {"export", kSmallWorkload, "--out", "x", "--name", ""}, {"--name", "it is empty"}},
    {"TargetThatEndsWithAComma", tune(kSmallWorkload, "--target cpu,isa=avx2,"), {"it ends with a comma", "drop it"}},
    {"ExportWithoutFolder", {"export", kSmallWorkload}, {"--out is required"}},
    {"SpaceOfUnknownOperator", words("space conv n=1"), {"no operator 'conv'"}},
};

INSTANTIATE_TEST_SUITE_P(All, BadUsageTest, ::testing::ValuesIn(kWrong),
                         [](const ::testing::TestParamInfo<Wrong>& wrong) { return wrong.param.name; });

TEST(BadKnobTest, UnknownKnobsAndCandidatesAreNamed) {
  const TemporaryFolder folder;
  const CommandOptions here{.folder = folder.path()};
  const CommandOutput lowered = run_nestwright({"lower", kSmallWorkload}, here);
  ASSERT_EQ(lowered.code, 0) << lowered.err;
  const std::size_t at = lowered.err.find("config    ") + 10;
  const std::string config = lowered.err.substr(at, lowered.err.find('\n', at) - at);
  EXPECT_EQ(run_nestwright({"lower", kSmallWorkload, "--config", config}, here).out, lowered.out);

  expect_refusal(run_nestwright({"lower", kSmallWorkload, "--config", config + " warp=3"}, here), 2,
                 {"no knob 'warp'", "unroll_k"});
  const std::string unrolled = "unroll_k=";
  std::string odd = config;
  odd.replace(odd.find(unrolled) + unrolled.size(), 1, "3");
  expect_refusal(run_nestwright({"lower", kSmallWorkload, "--config", odd}, here), 2,
                 {"unroll_k=3 is not a candidate", "its candidates are 1, 2, 4, 8"});
}

TEST(RequireRunnableTest, MissingInstructions) {
  Machine machine = Machine::host();
  machine.isa = CpuIsa::kAvx2;
  const Workload workload = parse_workload(kSmallWorkload);
  EXPECT_NO_THROW(require_runnable({workload, Target::parse("cpu,isa=avx2")}, machine));
  EXPECT_NO_THROW(require_runnable({workload, Target::parse("cpu,isa=x86-64")}, machine));
  try {
    require_runnable({workload, Target::parse("cpu,isa=avx512")}, machine);
    FAIL() << "not refused";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("cannot run avx512 code, its best is avx2: tune with --target cpu,isa=avx2"));
  }
}

}  // namespace
}  // namespace nestwright
