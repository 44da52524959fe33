// Kernels exported for CUDA, compiled as a user would (with the toolkit's header if there is one), and run on a fake
// driver (tests/runtime/fake_cuda.c) that records its calls.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "codegen/backend.h"
#include "export_fixture.h"
#include "ir/gpu/launch.h"
#include "ir/serialize/serialize.h"
#include "nestwright/device.h"
#include "nestwright/lower.h"
#include "nestwright/registry.h"
#include "nestwright/template.h"
#include "runtime/device_program.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Selects the fake driver before any test loads one.
class UseFakeDriver : public ::testing::Environment {
 public:
  void SetUp() override { setenv("NESTWRIGHT_CUDA_DRIVER", FAKE_CUDA, 1); }
};
const auto* const fake_driver = ::testing::AddGlobalTestEnvironment(new UseFakeDriver);

template <class Function>
Function fake(const char* name) {
  static void* const library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function>(dlsym(library, name));
}

std::vector<std::string> headers() {
  std::vector<std::string> folders{SMALL_CUDA_HEADERS};
#ifdef CUDA_HEADERS
  folders.emplace_back(CUDA_HEADERS);
#endif
  return folders;
}

/// Returns the lines that begin with "launch".
std::string launches_in(const std::string& log) {
  std::istringstream lines(log);
  std::string launches;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("launch")) launches += line + "\n";
  }
  return launches;
}

class CudaExport : public ExportTest {
 protected:
  CudaExport() : target(Target::parse("cuda,arch=sm_90")) {}

  CommandResult compile(const std::string& sources, const std::string& program, const std::string& include) const {
    return run(fmt::format("cc -std=c11 -O1 -Wall -Wextra -Werror -I{} -Ik {} {} -lm -o {}", include, sources,
                           FAKE_CUDA, program));
  }

  Target target;
};

TEST_F(CudaExport, EveryFileIsNamedAndNothingElseIsLeft) {
  const Task task{parse_workload("matmul m=64 n=64 k=64"), target};
  const ExportResult result = export_kernel(task, look_up(task, nullptr), {file("out"), "k"});
  EXPECT_THAT(result.files, ElementsAre("k.h", "k.c", "k_kernel.cu", "k_kernel.ptx", "k_kernel.cubin", "k_selftest.c",
                                        "k_manifest.json", "kConfig.cmake"));
  std::size_t there = 0;
  for (const auto& entry : std::filesystem::directory_iterator(file("out"))) there += entry.is_regular_file();
  EXPECT_EQ(there, result.files.size());
  EXPECT_THAT(read_text(file("out/k_kernel.cubin")), StartsWith("\177ELF"));
  EXPECT_THAT(read_text(file("out/k_kernel.ptx")), HasSubstr(".target sm_90"));
  EXPECT_THAT(read_text(file("out/k_kernel.cu")), HasSubstr("k_kernel0("));
  const auto manifest = nlohmann::json::parse(read_text(file("out/k_manifest.json")));
  EXPECT_EQ(manifest["target"], "cuda,arch=sm_90");
  EXPECT_THAT(manifest["exported"]["backend"].get<std::string>(), StartsWith("NVRTC "));
  EXPECT_EQ(manifest["kernels"][0]["name"], "k_kernel0");
  EXPECT_GT(manifest["kernels"][0]["registers"], 0);
  EXPECT_EQ(manifest["kernels"][0]["spill_bytes"], 0);
}

// The fake driver adds 1000 floats if a kernel's name says so, and does nothing otherwise.
TEST_F(CudaExport, SaysWhatLaterDevicesDoNotRun) {
  const auto launcher = [&](const char* workload, const std::string& name) {
    export_default(workload, target, name);
    return read_text(file(name + "/" + name + ".c"));
  };
  EXPECT_THAT(
      launcher("matmul m=64 n=32 k=16", "plain"),
      HasSubstr("plain_kernel.cubin, for sm_90, and plain_kernel.ptx, which drivers of later devices compile."));
  EXPECT_THAT(
      launcher("matmul m=64 n=32 k=64 dtype=bfloat16", "warpgroups"),
      HasSubstr("warpgroups_kernel.cubin, for sm_90a, and warpgroups_kernel.ptx, for that architecture alone, too."));
}

TEST_F(CudaExport, SelfTestsTellKernelsThatComputeFromOthers) {
  for (const std::string& include : headers()) {
    export_default("elementwise function=add shape=10x100", target, "adds");
    ASSERT_EQ(compile("adds/adds_selftest.c adds/adds.c", "right", include).output, "");
    const CommandResult right = run("./right");
    EXPECT_EQ(right.code, 0) << right.output;
    EXPECT_THAT(right.output, HasSubstr("adds: 1000 of 1000 elements checked, all right"));
    export_default("elementwise function=add shape=10x100", target, "idle");
    ASSERT_EQ(compile("idle/idle_selftest.c idle/idle.c", "wrong", include).output, "");
    const CommandResult wrong = run("./wrong");
    EXPECT_EQ(wrong.code, 1);
    EXPECT_THAT(wrong.output, HasSubstr("idle: element 0 of Y was not written"));
  }
}

struct Case {
  const char* name;
  const char* workload;
  const char* knob;  ///< of the exported guess; null: the default
  int launches;      ///< at least, because defaults may change
};

class CudaLaunches : public CudaExport, public ::testing::WithParamInterface<Case> {
 protected:
  /// Returns the calls that our runtime makes, with tensors numbered 100 and so on in their first elements.
  std::string by_the_runtime(const ir::Program& program, const std::string& object) {
    fake<void (*)(int, int)>("fake_cuda_reset")(1, 90);
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
      fake<void (*)(const char*, int)>("fake_cuda_takes")(program.kernels[k].name.c_str(), arguments(program, k));
    }
    std::shared_ptr<Device> device = make_device(DeviceKind::kCuda);
    std::vector<DeviceMemoryPtr> tensors;
    for (const ir::Parameter& parameter : program.parameters) {
      tensors.push_back(device->allocate(bytes_in_memory(parameter.buffer, {}, {})));
      const int number = 100 + static_cast<int>(tensors.size());
      device->upload(*tensors.back(), std::as_bytes(std::span(&number, 1)));
    }
    DeviceProgram(device, object, program).run(tensors);
    return launches_in(fake<const char* (*)()>("fake_cuda_log")());
  }

  static int arguments(const ir::Program& program, std::size_t kernel) {
    const ir::KernelArguments all = ir::kernel_arguments(program, static_cast<int>(kernel));
    return static_cast<int>(all.parameters.size() + all.workspaces.size() + all.scalars.size());
  }

  /// Returns a program that calls the exported function in the same way and prints the driver's record.
  static std::string caller(const ir::Program& program) {
    std::string known, tensors;
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
      known += fmt::format("  fake_cuda_takes(\"{}\", {});\n", program.kernels[k].name, arguments(program, k));
    }
    std::vector<std::string> names;
    for (const ir::Parameter& parameter : program.parameters) {
      names.push_back(fmt::format("tensor({}, {})", 101 + names.size(), bytes_in_memory(parameter.buffer, {}, {})));
    }
    return fmt::format(R"(#include <cuda.h>
#include <stdio.h>
#include "k.h"
const char* fake_cuda_log(void);
void fake_cuda_takes(const char* kernel, int arguments);
static void* tensor(int number, size_t bytes) {{
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, bytes);
  cuMemcpyHtoD(memory, &number, sizeof number);
  return (void*)memory;
}}
int main(void) {{
  CUcontext context;
  struct k_handle* handle;
  cuDevicePrimaryCtxRetain(&context, 7);
  cuCtxSetCurrent(context);
{0}  if (k_create(&handle) != 0) return 1;
  const int code = k(handle, {1}, 0);
  k_destroy(handle);
  fputs(fake_cuda_log(), stdout);
  return code;
}}
)",
                       known, fmt::join(names, ", "));
  }
};

TEST_P(CudaLaunches, AreThoseOfOurRuntime) {
  const Case& c = GetParam();
  const Task task{parse_workload(c.workload), target};
  Lookup found = look_up(task, nullptr);
  if (c.knob == nullptr) {
    export_default(c.workload, target, "k");
  } else {
    export_guess(c.workload, target, "k", c.knob);
    for (const Config& guess : found.source->seeds(task.workload, task.target)) {
      if (guess.str().find(c.knob) != std::string::npos) {
        found.config = guess;
        break;
      }
    }
  }
  const Instance instance = instantiate(*found.source, task.workload, target, found.config);
  const CompiledObject object =
      make_backend(DeviceKind::kCuda)
          ->compile(expand(lower(instance.schedule, instance.definition.args, target, "k"), target), target, {});
  const ir::Program program = ir::deserialize(object.launches);
  write_text(file("caller.c"), caller(program));
  const CommandResult built = compile("caller.c k/k.c", "caller", headers().back());
  ASSERT_EQ(built.code, 0) << built.output;
  const CommandResult called = run("./caller");
  EXPECT_EQ(called.code, 0) << called.output;
  const std::string launches = launches_in(called.output);
  EXPECT_EQ(launches, by_the_runtime(program, object.object));
  EXPECT_GE(std::count(launches.begin(), launches.end(), '\n'), c.launches) << launches;
}

INSTANTIATE_TEST_SUITE_P(
    Exporter, CudaLaunches,
    ::testing::Values(Case{"product", "matmul m=70 n=90 k=33", nullptr, 1},
                      Case{"product_in_parts", "matmul m=16 n=16 k=4096", nullptr, 2},
                      Case{"accumulated", "matmul m=33 n=40 k=21 beta=-0.5 ldc=43 lda=25", nullptr, 1},
                      Case{"all_of_it", "reduce function=sum shape=200000 axes=0", nullptr, 3},
                      Case{"much_shared_memory", "softmax rows=64 columns=20000", nullptr, 1},
                      Case{"launch_a_step", "scan function=sum steps=7 columns=100", "time=launches", 7},
                      Case{"images", "conv2d n=2 c=3 h=9 w=8 k=4 r=3 s=3 pad=1 stride=2", nullptr, 1}),
    [](const auto& test) { return test.param.name; });

TEST_F(CudaExport, MuchSharedMemoryIsAskedForAndStepsAreHandedOver) {
  export_default("softmax rows=64 columns=20000", target, "k");
  const auto kernel = nlohmann::json::parse(read_text(file("k/k_manifest.json")))["kernels"][0];
  ASSERT_GT(kernel["shared_bytes"], 80000);
  EXPECT_THAT(read_text(file("k/k.c")),
              HasSubstr(fmt::format("static const int shared_bytes[] = {{{}}};\n", kernel["shared_bytes"].dump())));
  export_guess("scan function=sum steps=7 columns=100", target, "k", "time=launches");
  const std::string launcher = read_text(file("k/k.c"));
  EXPECT_THAT(launcher, HasSubstr("for (int64_t step0 = "));
  EXPECT_THAT(launcher, HasSubstr("void* const arguments[] = {&X, &Y, &(int64_t){step0}};\n"));
}

constexpr const char* kBadCalls = R"(
#include <cuda.h>
#include <stdio.h>
#include "k.h"
const char* fake_cuda_log(void);
void fake_cuda_refuse_cubins(void);
long long fake_cuda_allocations(void);
int main(void) {
  static float memory[3 * 64 + 4];
  struct k_handle* handle = (struct k_handle*)memory;
  float* const good = (float*)(((size_t)memory + 15) / 16 * 16);
  printf("%d%d ", k_create(0), k_create(&handle)); /* no context is current */
  CUcontext context;
  cuDevicePrimaryCtxRetain(&context, 7);
  cuCtxSetCurrent(context);
  printf("%d", handle == 0 ? k_create(&handle) : -1);
  printf(" %d%d%d%d", k(0, good, good, good, 0), k(handle, 0, good, good, 0), k(handle, good, good + 1, good, 0),
         k(handle, good, good, good, 0));
  /* The fake driver takes none but the default stream. */
  printf(" %d", k(handle, good, good, good, (struct CUstream_st*)memory));
  printf(" %d\n", k_driver_error());
  k_destroy(handle);
  k_destroy(0);
  fake_cuda_refuse_cubins();
  if (k_create(&handle) != 0) return 1;
  k_destroy(handle);
  fputs(fake_cuda_log(), stdout);
  return 0;
}
)";

TEST_F(CudaExport, BadArgumentsAreRefusedAndOtherDevicesGetThePtx) {
  export_default("matmul m=8 n=8 k=8", target, "k");
  write_text(file("bad.c"), kBadCalls);
  for (const std::string& include : headers()) {
    const CommandResult built = compile("bad.c k/k.c", "bad", include);
    ASSERT_EQ(built.code, 0) << built.output;
    const CommandResult result = run("./bad");
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.output, StartsWith("33 0 3330 4 1\n"));
    EXPECT_THAT(result.output, HasSubstr("load \177ELF"));
    EXPECT_THAT(result.output, HasSubstr("unload\nload //\n// Generated by NVIDIA NVVM Compiler"));
  }
}

}  // namespace
}  // namespace nestwright
