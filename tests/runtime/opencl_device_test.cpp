// OpenCL devices, through the driver of this machine: PoCL if there is no GPU.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "nestwright/device.h"
#include "nestwright/error.h"
#include "runtime/device_bandwidth.h"
#include "tests/runtime/device_arrays.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

constexpr const char* kSource = R"(
__kernel void where(__global int* out, long scale) {
  const long x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  const long at = (z * get_global_size(1) + y) * get_global_size(0) + x;
  out[at] = (int)(scale * (get_group_id(2) * 100 + get_group_id(1) * 10 + get_group_id(0)) + get_local_id(0));
}
__kernel void reverse_groups(__global const float* in, __global float* out) {
  __local float tile[64];
  const int t = get_local_id(0);
  tile[t] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = tile[get_local_size(0) - 1 - t];
}
__kernel void count(__global int* out, long times) {
  volatile int n = 0;
  for (long i = 0; i < times; ++i) n = n + 1;
  out[get_global_id(0)] = n;
}
)";

class OpenClDevice : public ::testing::Test {
 protected:
  std::unique_ptr<Device> device_ = make_device(DeviceKind::kOpenCl);
};

TEST_F(OpenClDevice, SaysWhatItIs) {
  const DeviceInfo& info = device_->info();
  EXPECT_EQ(info.kind, DeviceKind::kOpenCl);
  EXPECT_EQ(info.index, 0);
  EXPECT_NE(info.name, "");
  EXPECT_NE(info.driver, "");
  EXPECT_GT(info.memory_bytes, 1 << 20);
  EXPECT_EQ(info.target.device, DeviceKind::kOpenCl);
  EXPECT_EQ(Target::parse(info.target.str()), info.target);
  const Target least = Target::parse("opencl");
  EXPECT_GE(info.target.shared_bytes, least.shared_bytes) << "the plain target has to run everywhere";
  EXPECT_GE(info.target.threads_per_block, least.threads_per_block);
  for (const DeviceListing& listing : list_devices()) {
    if (listing.kind != DeviceKind::kOpenCl) continue;
    ASSERT_FALSE(listing.devices.empty());
    EXPECT_EQ(listing.missing, "");
    EXPECT_EQ(listing.devices[0].name, info.name);
    EXPECT_EQ(message<DeviceError>([&] { make_device(DeviceKind::kOpenCl, static_cast<int>(listing.devices.size())); }),
              "OpenCL has no device " + std::to_string(listing.devices.size()) + ": it has " +
                  std::to_string(listing.devices.size()) + ", counted from 0");
  }
}

TEST_F(OpenClDevice, MemoryIsFilledCopiedAndReadBack) {
  std::vector<int> numbers(100);
  std::iota(numbers.begin(), numbers.end(), 1);
  const DeviceMemoryPtr a = device_->allocate(400), b = device_->allocate(400);
  device_->upload(*a, std::as_bytes(std::span(numbers)));
  device_->copy(*a, *b);
  EXPECT_EQ(fetch<int>(*device_, *b), numbers);
  device_->fill(*b, 0xff);
  EXPECT_THAT(fetch<int>(*device_, *b), Each(-1));
  EXPECT_EQ(fetch<int>(*device_, *a), numbers);
  EXPECT_EQ(device_->allocate(0)->bytes(), 0);
}

TEST_F(OpenClDevice, ASliceIsAPartOfItsMemoryAndOutlivesItsOwner) {
  const std::int64_t step = device_->slice_alignment();
  ASSERT_EQ(step % 4, 0);
  DeviceMemoryPtr whole = device_->allocate(3 * step);
  device_->fill(*whole, 0);
  const DeviceMemoryPtr middle = device_->slice(whole, step, step - 1);
  EXPECT_EQ(middle->bytes(), step - 1);
  device_->fill(*middle, 0x5a);
  const std::vector<unsigned char> seen = fetch<unsigned char>(*device_, *whole);
  for (std::int64_t i = 0; i < 3 * step; ++i) {
    EXPECT_EQ(seen[static_cast<std::size_t>(i)], i >= step && i < 2 * step - 1 ? 0x5a : 0) << i;
  }
  whole.reset();
  EXPECT_THAT(fetch<unsigned char>(*device_, *middle), Each(0x5a));
}

TEST_F(OpenClDevice, LaunchesGridsOfBlocks) {
  const auto module = device_->load(kSource);
  const auto kernel = module->kernel("where");
  const DeviceMemoryPtr out = device_->allocate(6 * 4 * 2 * 4);
  device_->launch(*kernel, {.grid = {3, 4, 2}, .block = {2, 1, 1}},
                  std::vector<LaunchArgument>{out.get(), std::int64_t{1000}});
  device_->synchronise();
  const std::vector<int> seen = fetch<int>(*device_, *out);
  for (int z = 0; z < 2; ++z) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 6; ++x) {
        EXPECT_EQ(seen[static_cast<std::size_t>((z * 4 + y) * 6 + x)], 1000 * (z * 100 + y * 10 + x / 2) + x % 2);
      }
    }
  }
}

TEST_F(OpenClDevice, ThreadsOfABlockShareLocalMemory) {
  const std::vector<float> numbers = [] {
    std::vector<float> v(256);
    std::iota(v.begin(), v.end(), 0.0F);
    return v;
  }();
  const DeviceMemoryPtr in = device_->allocate(1024), out = device_->allocate(1024);
  device_->upload(*in, std::as_bytes(std::span(numbers)));
  const auto module = device_->load(kSource);
  const auto kernel = module->kernel("reverse_groups");
  device_->launch(*kernel, {.grid = {4, 1, 1}, .block = {64, 1, 1}}, std::vector<LaunchArgument>{in.get(), out.get()});
  const std::vector<float> seen = fetch<float>(*device_, *out);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_EQ(seen[i], numbers[i / 64 * 64 + 63 - i % 64]);
}

TEST_F(OpenClDevice, TimesWhatIsLaunched) {
  const auto module = device_->load(kSource);
  const auto kernel = module->kernel("count");
  const DeviceMemoryPtr out = device_->allocate(4);
  const auto run = [&](std::int64_t times) {
    device_->launch(*kernel, {}, std::vector<LaunchArgument>{out.get(), times});
  };
  run(1);  // the first launch may compile
  double once = 1e12;
  for (int i = 0; i < 5; ++i) once = std::min(once, device_->time_ns([&] { run(2'000'000); }));  // undisturbed
  const double twice = device_->time_ns([&] {
    run(2'000'000);
    run(6'000'000);
  });
  EXPECT_GT(once, 1e5);
  EXPECT_GT(twice, 2 * once) << "four times the work";
  EXPECT_EQ(fetch<int>(*device_, *out)[0], 6'000'000);
  EXPECT_EQ(device_->time_ns([] {}), 0);
}

TEST_F(OpenClDevice, TimesCopiesToo) {
  const DeviceMemoryPtr a = device_->allocate(8 << 20), b = device_->allocate(8 << 20);
  device_->fill(*a, 1);
  device_->copy(*a, *b);
  EXPECT_GT(device_->time_ns([&] { device_->copy(*a, *b); }), 1000);
  const double bandwidth = measure_copy_bandwidth(*device_);
  EXPECT_GT(bandwidth, 0.1);
  EXPECT_LT(bandwidth, 20000);
}

TEST_F(OpenClDevice, CodeThatIsNoneIsRefusedWithTheCompilersWords) {
  EXPECT_THAT(message<DeviceError>([&] { device_->load("__kernel void f(__global int* x) { x[0] = missing; }"); }),
              MatchesRegex(".* refuses the source \\(CL_BUILD_PROGRAM_FAILURE\\): .*missing.*"));
  const auto module = device_->load(kSource);
  EXPECT_EQ(message<DeviceError>([&] { module->kernel("elsewhere"); }), "the code for OpenCL has no kernel elsewhere");
}

TEST_F(OpenClDevice, ALaunchThatDoesNotFitIsRefusedBeforeItRuns) {
  const auto module = device_->load(kSource);
  const auto kernel = module->kernel("where");
  const DeviceMemoryPtr out = device_->allocate(4);
  const std::vector<LaunchArgument> arguments{out.get(), std::int64_t{1}};
  const std::int64_t most = device_->info().target.threads_per_block;
  EXPECT_THAT(message<DeviceError>([&] { device_->launch(*kernel, {.block = {2 * most, 1, 1}}, arguments); }),
              HasSubstr("kernel where is launched with " + std::to_string(2 * most) + " threads a block, and "));
  EXPECT_EQ(message<DeviceError>([&] { device_->launch(*kernel, {}, std::vector<LaunchArgument>{out.get()}); }),
            "kernel where takes 2 arguments and is given 1");
  const std::string floats = std::to_string(device_->info().target.shared_bytes / 4 + 64);
  const std::string greedy = "__kernel void greedy(__global float* out) { __local float tile[" + floats +
                             "]; tile[get_local_id(0)] = 1; barrier(CLK_LOCAL_MEM_FENCE); out[0] = tile[0]; }";
  EXPECT_THAT(message<DeviceError>([&] {
                const auto large = device_->load(greedy);
                const auto large_kernel = large->kernel("greedy");
                device_->launch(*large_kernel, {}, std::vector<LaunchArgument>{out.get()});
                device_->synchronise();
              }),
              HasSubstr("greedy takes "))
      << "and the process lives on";
}

}  // namespace
}  // namespace nestwright
