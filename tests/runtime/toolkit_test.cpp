#include "runtime/cuda/toolkit.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

namespace nestwright::cuda {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

std::vector<std::string> without_folder(const std::vector<std::string>& names) {
  std::vector<std::string> plain;
  std::copy_if(names.begin(), names.end(), std::back_inserter(plain),
               [](const std::string& name) { return name.find('/') == std::string::npos; });
  return plain;
}

// The driver of these tests supports CUDA 13 (fake_cuda.c).
TEST(Toolkit, LibrariesAreLookedForWhereUsersHaveThem) {
  ASSERT_EQ(driver_version(), 13000);
  setenv("CUDA_PATH", "/made/up", 1);
  setenv("CUDA_HOME", "/other", 1);
  const std::vector<std::string> names = toolkit_libraries("cublas");
  EXPECT_EQ(names.front(), "libcublas.so.13") << "the dynamic linker first";
  for (const char* file : {"/made/up/lib64/libcublas.so.13", "/other/lib64/libcublas.so.12",
                           "/made/up/lib/libcublas.so.13", "/usr/local/cuda/lib64/libcublas.so"}) {
    EXPECT_THAT(names, Contains(file));
  }
  unsetenv("CUDA_PATH");
  unsetenv("CUDA_HOME");
}

TEST(Toolkit, WhatTheDriverServesComesFirst) {
  EXPECT_THAT(without_folder(toolkit_libraries("nvrtc")),
              ElementsAre("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"));
  setenv("FAKE_CUDA_VERSION", "12080", 1);
  EXPECT_THAT(without_folder(toolkit_libraries("nvrtc")),
              ElementsAre("libnvrtc.so.12", "libnvrtc.so.13", "libnvrtc.so"));
  unsetenv("FAKE_CUDA_VERSION");
}

}  // namespace
}  // namespace nestwright::cuda
