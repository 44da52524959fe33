// Kernels exported for OpenCL, compiled as a user would and run on the available OpenCL: correct ones pass their
// self-tests, wrong ones fail.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "export_fixture.h"
#include "nestwright/registry.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class OpenClExport : public ExportTest {
 protected:
  OpenClExport() : target(Target::parse("opencl,multiprocessors=64")) {}

  nlohmann::json manifest(const std::string& name) const {
    return nlohmann::json::parse(read_text(file(name + "/" + name + "_manifest.json")));
  }
  /// Replaces a part of the kernel: the driver compiles the source in the C file.
  void replace_in(const std::string& path, const std::string& from, const std::string& to) const {
    std::string text = read_text(file(path));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from << " is not in\n" << text;
    write_text(file(path), text.replace(at, from.size(), to));
  }
  CommandResult build(const std::string& name) const {
    return run(
        fmt::format("cd {0} && cc -std=c11 -O1 -Wall -Wextra -Werror {0}_selftest.c {0}.c -lm "
                    "-l:libOpenCL.so.1 -o selftest",
                    name));
  }
  CommandResult run_self_test(const std::string& name) const {
    const CommandResult built = build(name);
    return built.code != 0 ? built : run(fmt::format("timeout 60 ./{}/selftest", name));
  }

  Target target;
};

struct Case {
  const char* name;
  const char* workload;
  const char* knob;  ///< of the exported guess; null: the default
  int kernels;       ///< at least
};

class OpenClExportedKernel : public OpenClExport, public ::testing::WithParamInterface<Case> {};

TEST_P(OpenClExportedKernel, PassesItsSelfTest) {
  const Case& c = GetParam();
  if (c.knob != nullptr) {
    export_guess(c.workload, target, "k", c.knob);
  } else {
    export_default(c.workload, target, "k");
  }
  EXPECT_GE(manifest("k")["kernels"].size(), static_cast<std::size_t>(c.kernels)) << "defaults may change";
  const CommandResult result = run_self_test("k");
  EXPECT_EQ(result.code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("elements checked, all right"));
}

INSTANTIATE_TEST_SUITE_P(
    Exporter, OpenClExportedKernel,
    ::testing::Values(Case{"product", "matmul m=37 n=53 k=29", nullptr, 1},
                      Case{"product_in_parts", "matmul m=16 n=16 k=4096", nullptr, 2},
                      Case{"batch", "matmul batch=3 m=20 n=37 k=41 tb=1 epilogue=bias_gelu alpha=2", nullptr, 1},
                      Case{"accumulated", "matmul m=33 n=40 k=21 beta=-0.5 ldc=43 lda=25", nullptr, 1},
                      Case{"in_half", "matmul m=32 n=48 k=40 dtype=float16", nullptr, 1},
                      Case{"of_bytes", "matmul m=32 n=48 k=40 dtype=int8", nullptr, 1},
                      Case{"all_of_it", "reduce function=sum shape=200000 axes=0", nullptr, 3},
                      Case{"softmax_rows", "softmax rows=9 columns=101", nullptr, 1},
                      Case{"turned", "transpose rows=37 columns=53", nullptr, 1},
                      Case{"products", "elementwise function=multiply shape=5x99", nullptr, 1},
                      Case{"running_sum", "scan function=sum steps=10 columns=1024", nullptr, 2},
                      Case{"launch_a_step", "scan function=sum steps=7 columns=100", "time=launches", 2},
                      Case{"images", "conv2d n=2 c=3 h=9 w=8 k=4 r=3 s=3 pad=1 stride=2", nullptr, 1}),
    [](const auto& test) { return test.param.name; });

TEST_F(OpenClExport, EveryFileIsNamedAndNothingElseIsLeft) {
  const Task task{parse_workload("matmul m=8 n=16 k=4"), target};
  const ExportResult result = export_kernel(task, look_up(task, nullptr), {file("out"), "k"});
  EXPECT_THAT(result.files,
              ElementsAre("k.h", "k.c", "k_kernel.cl", "k_selftest.c", "k_manifest.json", "kConfig.cmake"));
  std::size_t there = 0;
  for (const auto& entry : std::filesystem::directory_iterator(file("out"))) there += entry.is_regular_file();
  EXPECT_EQ(there, result.files.size());
}

// Each kind of error is detected: missing blocks, wrong values, writes beside the output.
TEST_F(OpenClExport, SelfTestsTellWrongKernels) {
  const auto output_of = [&](const std::string& from, const std::string& to) {
    export_default("elementwise function=multiply shape=5x7", target, "k");
    replace_in("k/k.c", from, to);
    const CommandResult result = run_self_test("k");
    EXPECT_EQ(result.code, 1) << result.output;
    return result.output;
  };
  EXPECT_THAT(output_of("if (sizes[d] < 1", "if (sizes[d] < 1000000"), HasSubstr("element 0 of Y was not written"));
  EXPECT_THAT(output_of("*B[", "+B["), HasSubstr(", expected "));
  EXPECT_THAT(output_of("Y[", "Y[1 + "), HasSubstr("wrote outside its output in call 0"));
}

constexpr const char* kBadCalls = R"(
#include <stdio.h>
#include "k.h"
int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  if (clGetPlatformIDs(1, &platform, 0) != 0 || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, 0) != 0) return 1;
  cl_context context = clCreateContext(0, 1, &device, 0, 0, 0), other = clCreateContext(0, 1, &device, 0, 0, 0);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, 0);
  cl_command_queue foreign = clCreateCommandQueue(other, device, 0, 0);
  cl_command_queue unordered = clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0);
  cl_mem good = clCreateBuffer(context, CL_MEM_READ_WRITE, 256, 0, 0);
  cl_mem small = clCreateBuffer(context, CL_MEM_READ_WRITE, 255, 0, 0);
  struct k_handle* handle = (struct k_handle*)&platform;
  printf("%d%d%d ", k_create(0, &handle), k_create(queue, 0), k_create(queue, &handle));
  printf("%d%d%d ", k(0, good, good, good, queue), k(handle, 0, good, good, queue), k(handle, good, good, good, 0));
  printf("%d%d%d ", k(handle, good, small, good, queue), k(handle, good, good, good, foreign),
         unordered ? k(handle, good, good, good, unordered) : 3);
  printf("%d %d\n", k(handle, good, good, good, queue), k_driver_error());
  clFinish(queue);
  k_destroy(handle);
  k_destroy(0);
  clReleaseMemObject(good), clReleaseMemObject(small);
  return 0;
}
)";

TEST_F(OpenClExport, BadArgumentsAreRefused) {
  export_default("matmul m=8 n=8 k=8", target, "k");
  write_text(file("bad.c"), kBadCalls);
  const CommandResult built = run("cc -std=c11 -Wall -Wextra -Werror -Ik bad.c k/k.c -l:libOpenCL.so.1 -o bad");
  ASSERT_EQ(built.code, 0) << built.output;
  const CommandResult result = run("timeout 60 ./bad");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.output, "330 333 333 0 0\n");
}

// A device without the resources that a kernel needs is detected before the driver runs anything.
TEST_F(OpenClExport, KernelsThatTheDeviceCannotRunAreRefused) {
  export_default("transpose rows=37 columns=53", target, "k");
  replace_in("k/k.c", "__local float tile[", "__local float tile[100000000 + ");
  const CommandResult local = run_self_test("k");
  EXPECT_EQ(local.code, 1);
  EXPECT_THAT(local.output, StartsWith("k: k_create returned 1, the driver -54"));
  export_default("transpose rows=37 columns=53", target, "k");
  replace_in("k/k.c", "get_group_id", "no_such_function");
  const CommandResult refused = run_self_test("k");
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.output, HasSubstr("k: k_create returned 1, the driver -11"));
}

TEST_F(OpenClExport, CMakePackageBuildsTheLibrary) {
  export_default("matmul m=40 n=40 k=40", target, "my_kernel");
  std::filesystem::create_directory(file("user"));
  write_text(file("user/CMakeLists.txt"), R"(cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(my_kernel CONFIG REQUIRED)
find_package(my_kernel CONFIG REQUIRED)
add_executable(user ../my_kernel/my_kernel_selftest.c)
target_link_libraries(user my_kernel::my_kernel m)
)");
  const CommandResult configured =
      run(fmt::format("{0} -S user -B b -Dmy_kernel_DIR=$PWD/my_kernel && {0} --build b", NESTWRIGHT_CMAKE));
  ASSERT_EQ(configured.code, 0) << configured.output;
  const CommandResult result = run("timeout 20 b/user");
  EXPECT_EQ(result.code, 0) << result.output;
}

}  // namespace
}  // namespace nestwright
