#include "tests/house/names.h"

#include <gmock/gmock.h>

#include "tests/house/source_tree.h"

namespace nestwright::house {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Suites that test something that no single file implements.
const NameExceptions kTestExceptions = {
    {"tests/bench/figure_report_test.cpp", "figures/report.h, as comparison/report.h has the same name"},
    {"tests/cli/cuda_toolkit_test.cpp", "tuning with several versions of NVRTC"},
    {"tests/cli/plugin_test.cpp", "plugins in all subcommands"},
    {"tests/cli/target_test.cpp", "CPU targets in all subcommands"},
    {"tests/codegen/amx_tiles_test.cpp", "products on tile registers through LLVM"},
    {"tests/codegen/device/double_buffer_stages_test.cpp", "copies in flight in CUDA sources"},
    {"tests/codegen/device/fragments_test.cpp", "fragments in CUDA sources"},
    {"tests/codegen/device/golden_test.cpp", "whole sources of devices"},
    {"tests/codegen/device/random_test.cpp", "random expressions on OpenCL"},
    {"tests/codegen/device/warpgroups_test.cpp", "products of warpgroups in CUDA sources"},
    {"tests/codegen/double_buffer_test.cpp", "double_buffer through LLVM"},
    {"tests/codegen/gpu_scan_test.cpp", "the scan template's kernels"},
    {"tests/codegen/gpu_templates_test.cpp", "kernels of all GPU templates"},
    {"tests/codegen/gpu_warps_test.cpp", "kernels of the tensor core templates"},
    {"tests/codegen/llvm_language_test.cpp", "expressions of all kinds through LLVM"},
    {"tests/codegen/matmul_test.cpp", "matrix products through expansion, LLVM and the linker"},
    {"tests/codegen/non_temporal_stores_test.cpp", "non-temporal stores through LLVM"},
    {"tests/codegen/padding_test.cpp", "padding by select through LLVM"},
    {"tests/codegen/rfactor_test.cpp", "rfactor through LLVM"},
    {"tests/codegen/semantics_test.cpp", "every IR node through LLVM"},
    {"tests/codegen/storage_align_test.cpp", "storage_align and pragma through LLVM"},
    {"tests/codegen/template_loops_test.cpp", "machine code of all CPU templates"},
    {"tests/codegen/template_run_test.cpp", "results of all CPU templates"},
    {"tests/codegen/tensorize_test.cpp", "a tensorized product through LLVM"},
    {"tests/codegen/tuple_test.cpp", "reductions of tuples through LLVM"},
    {"tests/codegen/types_test.cpp", "every element type through LLVM"},
    {"tests/codegen/vector_math_test.cpp", "lower/support/vector_math.h as machine code"},
    {"tests/error/", "the executables under wrong usage and broken databases and disks"},
    {"tests/exporter/consumer_test.cpp", "programs that use exported libraries"},
    {"tests/exporter/cuda_export_test.cpp", "exported CUDA kernels"},
    {"tests/exporter/export_refusal_test.cpp", "exports that cannot be made"},
    {"tests/exporter/narrow_types_test.cpp", "exported kernels of narrow types"},
    {"tests/exporter/opencl_export_test.cpp", "exported OpenCL kernels"},
    {"tests/house/", "the rules of this tree"},
    {"tests/kernel/in_place_test.cpp", "functions that write to an input's memory"},
    {"tests/kernel/prepare_test.cpp", "functions with prepared constants"},
    {"tests/kernel/scan_test.cpp", "functions with recurrences"},
    {"tests/kernel/strided_test.cpp", "functions of strided arguments"},
    {"tests/kernel/symbolic_test.cpp", "functions with symbolic extents"},
    {"tests/logs/durability_test.cpp", "several writers, and writers that are killed"},
    {"tests/logs/format_test.cpp", "logs/FORMAT.md"},
    {"tests/logs/history_test.cpp", "the history and the totals of a task"},
    {"tests/logs/lost_file_test.cpp", "databases that are removed while in use"},
    {"tests/logs/migration_test.cpp", "databases of older schemas"},
    {"tests/logs/provenance_test.cpp", "the provenance of records"},
    {"tests/logs/same_code_test.cpp", "trials with known machine code"},
    {"tests/lower/device_expand_test.cpp", "the vector form for devices"},
    {"tests/lower/expand_test.cpp", "the vector form for CPUs"},
    {"tests/lower/fragments_test.cpp", "stages in fragment scope"},
    {"tests/lower/fused_regions_test.cpp", "stages at parts of fused loops"},
    {"tests/lower/loop_forms_test.cpp", "the loop form of splits that divide"},
    {"tests/lower/parts_of_regions_test.cpp", "nparts on stages inside loops"},
    {"tests/lower/prepare_test.cpp", "prepared stages"},
    {"tests/lower/regression_test.cpp", "schedules that were once lowered wrongly"},
    {"tests/lower/rfactor_test.cpp", "rfactor in loop form"},
    {"tests/lower/scan_feeders_test.cpp", "stages that only the steps of a scan read"},
    {"tests/lower/scan_launches_test.cpp", "scans on devices"},
    {"tests/lower/scan_test.cpp", "scans in loop form"},
    {"tests/lower/shared_test.cpp", "stages in shared scope"},
    {"tests/lower/thread_reductions_test.cpp", "reductions by several threads"},
    {"tests/measure/end_to_end_test.cpp", "from a program to a verified time"},
    {"tests/property/generated_spaces_test.cpp", "generated spaces of random expressions"},
    {"tests/property/program_part_test.cpp", "parts of random programs"},
    {"tests/reference/bounds_test.cpp", "the bounds of errors"},
    {"tests/reference/computed_indices_test.cpp", "reads at indices that are computed numbers"},
    {"tests/reference/compute_reference_test.cpp", "compute_reference of reference/reference.h"},
    {"tests/reference/planted_faults_test.cpp", "faults that the reference shows"},
    {"tests/runtime/cuda_abi_test.cpp", "cuda/driver.h against the toolkit's cuda.h"},
    {"tests/schedule/annotations_test.cpp", "the primitives that annotate a loop or a stage"},
    {"tests/schedule/loop_primitives_test.cpp", "tile, reorder and fuse"},
    {"tests/schedule/refusals_test.cpp", "the messages of all primitives"},
    {"tests/templates/convolution/gpu_test.cpp", "the GPU templates of conv2d and depthwise_conv2d"},
    {"tests/templates/sketch/gpu/lowered_test.cpp", "generated.gpu in loop form"},
    {"tests/templates/sketch/lowered_test.cpp", "results of generated.cpu"},
    {"tests/templates/gpu_loop_forms_test.cpp", "loops of all GPU templates"},
    {"tests/templates/gpu_lowered_test.cpp", "results of all GPU templates"},
    {"tests/templates/matmul/loop_forms_test.cpp", "loops of the matmul templates"},
    {"tests/templates/matmul/lowered_test.cpp", "results of the matmul templates"},
    {"tests/templates/matmul/variants_test.cpp", "batches, strides, factors and epilogues of matmul"},
    {"tests/templates/memory_bound_lowered_test.cpp", "results of all memory-bound operators"},
    {"tests/templates/memory_bound_test.cpp", "definitions of all memory-bound operators"},
    {"tests/text/errors_test.cpp", "the messages of all errors in texts"},
};

/// Headers that are not named after one of their declarations, or by a word of their own, and what they declare.
const NameExceptions kHeaderExceptions = {
    {"bench/comparison/results/conditions.h", "three enumerations: pages, caches and weights"},
    {"src/cli/options/option_checks.h", "one function for each check"},
    {"src/codegen/cuda/compile_log.h", "what the log of NVRTC says"},
    {"src/codegen/inspect.h", "innermost_loop_problems"},
    {"src/codegen/kernel_resources.h", "complete"},
    {"src/ir/construction/intrinsics.h", "one function for each intrinsic"},
    {"src/ir/traversal/print.h", "to_string"},
    {"src/ir/traversal/rewrite.h", "Visitor and Mutator"},
    {"src/ir/serialize/format.h", "constants of the bytes of programs"},
    {"src/ir/simplify/inequality.h", "non_negative"},
    {"src/lower/nest/argument.h", "Arg"},
    {"src/lower/support/vector_math.h", "is_expanded and stated_ulp"},
    {"src/measure/run/worker_tensors.h", "the sets of inputs and outputs of a worker"},
    {"src/nestwright.h", "includes only"},
    {"src/schedule/state/storage_scope.h", "one constant for each scope"},
    {"src/support/data/wire.h", "Encoder and Decoder"},
    {"src/target/description/target_text.h", "the fields of a target's text, and what refuses them"},
    {"src/text/syntax/syntax.h", "the nodes of the syntax tree"},
    {"templates/checking/rounding.h", "bounds of sums"},
    {"templates/sketch/rules/inner_loops.h", "what runs as vectors and what is unrolled"},
    {"templates/loops/candidates.h", "up_to and powers_up_to"},
    {"templates/loops/divide.h", "ceil_div"},
    {"templates/reduce/shape.h", "the groups of dimensions of a reduction"},
    {"tests/codegen/device/schedules.h", "programs for devices"},
    {"tests/codegen/template_cases.h", "candidates of templates"},
    {"tests/logs/sample.h", "trials to record"},
    {"tests/lower/select/fragment_programs.h", "products in fragments"},
    {"tests/runtime/device_arrays.h", "send and fetch"},
    {"tests/space/spaces.h", "spaces, and the knobs that they are made of"},
    {"tests/templates/convolution/cases.h", "workloads and a loop over the formula"},
    {"tests/templates/sketch/expressions.h", "workload_of"},
    {"tests/templates/gpu_cases.h", "workloads, targets and samples of GPU templates"},
    {"tests/templates/matmul/cases.h", "inputs and targets of matmul"},
    {"tests/templates/memory_bound_cases.h", "workloads, inputs and targets"},
};

TEST(Names, WordsOfNames) {
  EXPECT_THAT(words_of("FinalRace"), ElementsAre("final", "race"));
  EXPECT_THAT(words_of("final_race_"), ElementsAre("final", "race"));
  EXPECT_THAT(words_of("kMaxIRNodes"), ElementsAre("k", "max", "ir", "nodes"));
  EXPECT_THAT(words_of(""), IsEmpty());
}

TEST(Names, DeclarationsOfAHeader) {
  EXPECT_THAT(
      declared_names("#pragma once\n#include <x>\nnamespace a::b {\n// class No {\nclass One final : public B {\n"
                     "  void member();\n  struct Two {};\n};\nenum class Three : int {};\nstd::vector<int> four(\n"
                     "    int argument);\ninline constexpr int kFive = f(5);\n#define SIX(x) x\n}  // namespace a\n"),
      ElementsAre("One", "Two", "Three", "four", "kFive", "SIX"));
}

TEST(Names, FormsOfAWordAreOneWord) {
  EXPECT_TRUE(shares_word("tiles", {"make_tile"}));
  EXPECT_TRUE(shares_word("lowering", {"LoweredProgram"}));
  EXPECT_FALSE(shares_word("trace", {"TraitsOfLoops", "track"}));
  EXPECT_FALSE(shares_word("utils", {"Loop", "split"}));
  EXPECT_FALSE(shares_word("utils", {}));
}

TEST(Names, ATestWithoutCounterpartIsFound) {
  const std::vector<std::string> paths = {"src/ir/core/expr.cpp",
                                          "logs/record.h",
                                          "tests/ir/core/expr_test.cpp",
                                          "tests/ir/core/expr_order_test.cpp",
                                          "tests/ir/core_test.cpp",
                                          "tests/ir/helper.h",
                                          "tests/ir/helper_test.cpp",
                                          "tests/ir/record_test.cpp",
                                          "tests/logs/record_order_test.cpp",
                                          "tests/logs/recordings_test.cpp"};
  EXPECT_THAT(test_name_violations(paths, {}),
              ElementsAre("tests/ir/record_test.cpp tests no file or folder of ir/ that its name begins with",
                          "tests/logs/recordings_test.cpp tests no file or folder of logs/ that its name begins with"));
  EXPECT_THAT(test_name_violations(paths, {{"tests/ir/record_test.cpp", "a reason"}, {"tests/logs/", "a reason"}}),
              IsEmpty());
}

TEST(Names, ATestThatIsNamedAfterAFolderOrOneOfManyFilesIsFound) {
  const std::vector<std::string> paths = {"templates/a/x.h",
                                          "templates/a/gpu.cpp",
                                          "templates/b/gpu.cpp",
                                          "templates/b/loops.cpp",
                                          "tests/templates/a/cases.h",
                                          "tests/templates/a/gpu_loops_test.cpp",
                                          "tests/templates/a/gpu_test.cpp",
                                          "tests/templates/a_loops_test.cpp",
                                          "tests/templates/b/cases_test.cpp",
                                          "tests/templates/b/cases_more_test.cpp",
                                          "tests/templates/c/gpu_test.cpp",
                                          "tests/templates/gpu_anything_test.cpp",
                                          "tests/templates/loops_of_b_test.cpp"};
  const auto violation = [](const std::string& name) {
    return "tests/templates/" + name + "_test.cpp tests no file or folder of templates/ that its name begins with";
  };
  EXPECT_THAT(test_name_violations(paths, {}), ElementsAre(violation("a_loops"), violation("b/cases_more"),
                                                           violation("c/gpu"), violation("gpu_anything")));
}

TEST(Names, AHeaderThatDeclaresSomethingElseIsFound) {
  const std::map<std::string, std::string> headers = {
      {"a/loop.h", "class Loop {};\n"},
      {"a/misc.h", "// Misc.\nnamespace misc {\nclass Loop {};\n}  // namespace misc\n"}};
  EXPECT_THAT(header_name_violations(headers, {}),
              ElementsAre("a/misc.h declares nothing that shares a word with its name"));
  EXPECT_THAT(header_name_violations(headers, {{"a/misc.h", "a reason"}}), IsEmpty());
}

TEST(Names, AWordThatAHeaderDoesNotExplainIsFound) {
  EXPECT_THAT(unexplained_words("a/loop_chart.h", "#include \"a/chart.h\"\nnamespace chart {\nclass Loop {};\n"),
              ElementsAre("chart"));
  EXPECT_THAT(unexplained_words("a/loop_chart.h", "/// Draws charts.\nclass Loop {};\n"), IsEmpty());
  EXPECT_THAT(unexplained_words("a/onednn_row.h", "// By oneDNN.\nint rows();\n"), IsEmpty());
  EXPECT_THAT(unexplained_words("cuda/cuda_device.h", "class Device;\n"), IsEmpty());
  EXPECT_THAT(header_name_violations({{"a/loop_chart.h", "class Loop {};\n"}}, {}),
              ElementsAre("a/loop_chart.h does not say what \"chart\" in its name means"));
}

TEST(Names, AnExceptionWithoutUseIsFound) {
  EXPECT_THAT(test_name_violations({"a/x.cpp", "tests/a/x_test.cpp"}, {{"tests/a/x_test.cpp", "a reason"}}),
              ElementsAre("tests/a/x_test.cpp needs no exception"));
  EXPECT_THAT(header_name_violations({}, {{"a/gone.h", "a reason"}}), ElementsAre("a/gone.h needs no exception"));
}

TEST(Names, OfTestsAgreeWithWhatTheyTest) {
  std::vector<std::string> paths;
  for (const SourceFile& file : whole_tree()) {
    paths.push_back(file.path);
  }
  ASSERT_GE(paths.size(), 900u);
  EXPECT_THAT(test_name_violations(paths, kTestExceptions), IsEmpty());
}

TEST(Names, OfHeadersAgreeWithWhatTheyDeclare) {
  std::map<std::string, std::string> headers;
  for (const SourceFile& file : whole_tree()) {
    if (!file.is_header()) continue;
    headers.emplace(file.path, file.text);
  }
  ASSERT_GE(headers.size(), 300u);
  EXPECT_THAT(header_name_violations(headers, kHeaderExceptions), IsEmpty());
}

}  // namespace
}  // namespace nestwright::house
