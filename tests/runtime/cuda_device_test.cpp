// The calls that we make of a CUDA driver, recorded by a fake one (fake_cuda.c), because there is no real one without a
// GPU.
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "nestwright/device.h"
#include "nestwright/error.h"
#include "runtime/device_program.h"
#include "tests/runtime/device_arrays.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Selects the fake driver before any test loads one.
class UseFakeDriver : public ::testing::Environment {
 public:
  void SetUp() override {
    setenv("NESTWRIGHT_CUDA_DRIVER", FAKE_CUDA, 1);
    setenv("NESTWRIGHT_NVML", FAKE_CUDA, 1);
  }
};
const auto* const fake_driver = ::testing::AddGlobalTestEnvironment(new UseFakeDriver);

template <class Function>
Function fake(const char* name) {
  static void* const library = dlopen(FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function>(dlsym(library, name));
}
void reset(int devices = 1, int capability = 90) { fake<void (*)(int, int)>("fake_cuda_reset")(devices, capability); }
std::string seen() { return fake<const char* (*)()>("fake_cuda_log")(); }
long long allocations() { return fake<long long (*)()>("fake_cuda_allocations")(); }

TEST(CudaDevice, SaysWhatItIs) {
  reset(2);
  const auto device = make_device(DeviceKind::kCuda, 1);
  const DeviceInfo& info = device->info();
  EXPECT_EQ(info.name, "Fake 8") << "the driver's number for the second one";
  EXPECT_EQ(info.driver, "CUDA 13.0");
  EXPECT_EQ(info.pci_address, "0000:08:00.0");
  EXPECT_EQ(info.memory_bytes, std::int64_t{80} << 30);
  EXPECT_EQ(info.target.str(), "cuda,arch=sm_90,multiprocessors=78,shared=100000,l2=4194304");
  EXPECT_EQ(seen(), "retain 8\n");
}

TEST(CudaDevice, LaunchesHandOverPointersThenNumbers) {
  reset();
  {
    const auto device = make_device(DeviceKind::kCuda);
    const DeviceMemoryPtr a = send(*device, std::vector<int>{11, 12}), b = send(*device, std::vector<int>{22});
    const auto module = device->load("code");
    const auto kernel = module->kernel("scale_4");
    device->launch(*kernel, {.grid = {9, 8, 7}, .block = {6, 5, 4}},
                   std::vector<LaunchArgument>{a.get(), b.get(), std::int64_t{-3}, std::int64_t{1024}});
    device->synchronise();
  }
  EXPECT_EQ(seen(),
            "retain 7\n"
            "alloc 8\n"
            "alloc 4\n"
            "load code\n"
            "launch scale_4 grid 9 8 7 block 6 5 4 shared 0: [11] [22] -3 1024\n"
            "synchronize\n"
            "unload\n"
            "release 7\n")
      << "and the context is let go when nothing needs it";
  EXPECT_EQ(allocations(), 0);
}

TEST(CudaDevice, MemoryAndSlices) {
  reset();
  const auto device = make_device(DeviceKind::kCuda);
  const DeviceMemoryPtr whole = device->allocate(1024);
  device->fill(*whole, 1);
  const DeviceMemoryPtr part = device->slice(whole, 256, 8);
  const std::vector<int> numbers{5, 6};
  device->upload(*part, std::as_bytes(std::span(numbers)));
  const DeviceMemoryPtr other = device->allocate(8);
  device->copy(*part, *other);
  EXPECT_THAT(fetch<int>(*device, *other), ElementsAre(5, 6));
  const std::vector<int> all = fetch<int>(*device, *whole);
  EXPECT_EQ(all[63], 0x01010101);
  EXPECT_EQ(all[64], 5);
  EXPECT_EQ(all[66], 0x01010101);
  EXPECT_EQ(message<DeviceError>([&] { device->allocate(std::int64_t{1} << 50); }),
            "CUDA cannot give 1125899906842624 bytes of memory of Fake 7 (CUDA_ERROR_OUT_OF_MEMORY: out of memory)");
}

TEST(CudaDevice, MoreThan48KiBOfDynamicSharedMemoryIsAskedForOnce) {
  reset();
  const auto device = make_device(DeviceKind::kCuda);
  const auto module = device->load("code");
  const auto kernel = module->kernel("tile_0");
  for (const std::int64_t bytes : {1000, 60000, 50000}) device->launch(*kernel, {.dynamic_shared_bytes = bytes}, {});
  EXPECT_THAT(seen(), HasSubstr("load code\n"
                                "launch tile_0 grid 1 1 1 block 1 1 1 shared 1000:\n"
                                "attribute of tile_0: 8 = 60000\n"
                                "launch tile_0 grid 1 1 1 block 1 1 1 shared 60000:\n"
                                "launch tile_0 grid 1 1 1 block 1 1 1 shared 50000:\n"));
  EXPECT_EQ(message<DeviceError>([&] { device->launch(*kernel, {.dynamic_shared_bytes = 98000}, {}); }),
            "kernel tile_0 takes 100048 bytes of shared memory a block, and Fake 7 has 100000")
      << "2048 of them the kernel declares";
}

TEST(CudaDevice, ALaunchThatDoesNotFitIsRefused) {
  reset();
  const auto device = make_device(DeviceKind::kCuda);
  const auto module = device->load("code");
  const auto kernel = module->kernel("f_0");
  EXPECT_EQ(message<DeviceError>([&] { device->launch(*kernel, {.block = {32, 32, 1}}, {}); }),
            "kernel f_0 is launched with 1024 threads a block, and Fake 7 runs at most 512 of it");
  EXPECT_EQ(message<DeviceError>([&] { device->launch(*kernel, {.grid = {1, 70000, 1}}, {}); }),
            "kernel f_0 is launched with 70000 blocks along y, and CUDA runs at most 65535");
  EXPECT_THAT(seen(), ::testing::Not(HasSubstr("launch")));
}

TEST(CudaDevice, CodeThatIsNoneIsRefusedWithTheDriversWords) {
  reset();
  const auto device = make_device(DeviceKind::kCuda);
  EXPECT_EQ(message<DeviceError>([&] { device->load("bad code"); }),
            "CUDA cannot load the code: no binary for this GPU (CUDA_ERROR_INVALID_IMAGE: device kernel image is "
            "invalid)");
  const auto module = device->load("code");
  EXPECT_EQ(message<DeviceError>([&] { module->kernel("missing"); }), "the code for CUDA has no kernel missing");
}

TEST(CudaDevice, AnErrorThatSticksSaysThatTheDeviceIsLost) {
  reset();
  const auto device = make_device(DeviceKind::kCuda);
  const auto module = device->load("code");
  const auto kernel = module->kernel("traps_0");
  device->launch(*kernel, {}, {});
  EXPECT_EQ(message<DeviceLostError>([&] { device->synchronise(); }),
            "CUDA cannot carry out what was launched (CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was "
            "encountered); the device is lost to this process");
  EXPECT_THROW(device->allocate(4), DeviceLostError);
  EXPECT_THROW(device->launch(*kernel, {}, {}), DeviceLostError);
  reset();
}

TEST(CudaDevice, TimesBetweenTwoEvents) {
  reset();
  const auto device = make_device(DeviceKind::kCuda);
  const auto module = device->load("code");
  const auto kernel = module->kernel("f_0");
  EXPECT_EQ(device->time_ns([&] { device->launch(*kernel, {}, {}); }), 250'000);
  EXPECT_THAT(seen(), HasSubstr("synchronize\nrecord\nlaunch f_0 grid 1 1 1 block 1 1 1 shared 0:\nrecord\n"));
}

TEST(CudaDevice, TellsClockAndTemperatureWhereTheDriverDoes) {
  reset(2);
  const DeviceConditions known = make_device(DeviceKind::kCuda, 0)->conditions(),
                         unknown = make_device(DeviceKind::kCuda, 1)->conditions();
  EXPECT_EQ(known.clock_mhz, 1980);
  EXPECT_EQ(known.temperature_c, 41);
  EXPECT_EQ(unknown.clock_mhz, 0);
}

TEST(CudaDevice, ListsWhatThereIsAndSaysWhatIsMissing) {
  reset(3);
  EXPECT_EQ(list_devices()[0].devices.size(), 3u);
  EXPECT_EQ(list_devices()[0].kind, DeviceKind::kCuda);
  reset(0);
  EXPECT_EQ(list_devices()[0].missing,
            "the CUDA driver finds no device: see whether nvidia-smi lists one and CUDA_VISIBLE_DEVICES hides none");
  reset(1, 70);
  EXPECT_EQ(list_devices()[0].missing, "Fake 7 has compute capability 7.0, which no code is generated for");
  reset(1);
  EXPECT_EQ(message<DeviceError>([] { make_device(DeviceKind::kCuda, 1); }),
            "CUDA has no device 1: it has 1, counted from 0");
}

TEST(CudaDevice, ProgramsWithMuchSharedMemoryGetItFromTheLaunch) {
  reset();
  const ir::Buffer out("out", kFloat32, {16}), tile("tile", kFloat32, {16, 1024}, ir::Scope::kShared);
  const ir::Var block("b"), thread("t");
  ir::Program program;
  program.name = "f";
  program.parameters = {{out, ir::Role::kOutput}};
  program.host = ir::make_launch(0);
  program.kernels = {
      {"f_1", ir::make_for(block, 0, 4, ir::LoopKind::kBlockX,
                           ir::make_allocate(tile, ir::make_for(thread, 0, 4, ir::LoopKind::kThreadX,
                                                                ir::make_store(out, {ir::Expr(block) * 4 + thread},
                                                                               ir::make_float(1, kFloat32)))))}};
  std::shared_ptr<Device> device = make_device(DeviceKind::kCuda);
  const DeviceMemoryPtr memory = send(*device, std::vector<int>(16, 3));
  DeviceProgram(device, "code", program).run(std::vector{memory});
  EXPECT_THAT(seen(), HasSubstr("attribute of f_1: 8 = 65536\nlaunch f_1 grid 4 1 1 block 4 1 1 shared 65536: [3]\n"));
}

}  // namespace
}  // namespace nestwright
