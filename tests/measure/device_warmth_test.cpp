#include "measure/run/device_warmth.h"

#include <gtest/gtest.h>

namespace nestwright {
namespace {

TEST(DeviceWarmth, ADeviceThatWasIdleIsLoadedFirst) {
  DeviceWarmth warmth;
  EXPECT_EQ(warmth.warm_up_ns(0), kDeviceWarmUpNs) << "it has done nothing yet";
  warmth.worked(1'000);
  EXPECT_EQ(warmth.warm_up_ns(1'000), 0);
  EXPECT_EQ(warmth.warm_up_ns(1'000 + kDeviceStaysWarmNs), 0);
  EXPECT_EQ(warmth.warm_up_ns(1'001 + kDeviceStaysWarmNs), kDeviceWarmUpNs);
  warmth.worked(1'001 + kDeviceStaysWarmNs);
  EXPECT_EQ(warmth.warm_up_ns(1'002 + kDeviceStaysWarmNs), 0);
}

}  // namespace
}  // namespace nestwright
