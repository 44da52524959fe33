// Compares the checker on OpenCL with compare_elements(); for CUDA it is only compiled.
#include "measure/check/device_checker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measure/check/device_checker_source.h"

namespace nestwright {
namespace {

TEST(DeviceCheckerSource, HasOneKernelAType) {
  const std::vector<ir::Type> types{kFloat32, kBool, kUInt8, kFloat32};
  const std::string source = device_checker_source(DeviceKind::kOpenCl, types);
  EXPECT_EQ(comparison_kernel(kBFloat16), "compare_bfloat16");
  for (const char* name : {"COMPARISON(compare_float32,", "COMPARISON(compare_uint8,", "COMPARISON(compare_bool,"}) {
    EXPECT_NE(source.find(name), std::string::npos) << name;
    EXPECT_EQ(source.find(name), source.rfind(name)) << name;
  }
}

TEST(DeviceCheckerSource, WithoutACompilerThereIsNoObject) {
  Target target = Target::parse("cuda,arch=sm_90");
  target.arch = "sm_12";
  EXPECT_EQ(device_checker_object(target, ir::element_types()), "");
}

#ifdef WITH_CUDA
TEST(DeviceCheckerSource, IsCompiledForCuda) {
  for (const char* target : {"cuda,arch=sm_80", "cuda,arch=sm_90"}) {
    const std::string object = device_checker_object(Target::parse(target), ir::element_types());
    ASSERT_GT(object.size(), 1000u) << target;
    EXPECT_EQ(object.substr(1, 3), "ELF");
    for (const ir::Type& type : ir::element_types()) EXPECT_NE(object.find(comparison_kernel(type)), std::string::npos);
  }
}
#endif

TEST(DeviceDigest, DependsOnEveryByteItsPlaceAndNothingBehind) {
  std::vector<std::byte> bytes(1003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 7);
  const std::uint64_t sum = device_digest(bytes);
  for (std::byte& byte : bytes) {
    byte ^= std::byte{1};
    EXPECT_NE(device_digest(bytes), sum);
    byte ^= std::byte{1};
  }
  std::vector<std::byte> swapped = bytes;
  std::swap_ranges(swapped.begin(), swapped.begin() + 8, swapped.begin() + 32);
  EXPECT_NE(device_digest(swapped), sum);
}

#ifdef WITH_OPENCL
class OnOpenCl : public ::testing::Test {
 protected:
  DeviceMemoryPtr uploaded(std::span<const std::byte> bytes) {
    DeviceMemoryPtr memory = device_->allocate(static_cast<std::int64_t>(bytes.size()));
    device_->upload(*memory, bytes);
    return memory;
  }
  /// Expects the same result of both, with bounds and without.
  void expect_agreement(ir::Type type, std::span<const std::byte> got, const std::vector<double>& expected,
                        const std::vector<double>& bound, const std::string& what) {
    const DeviceMemoryPtr g = uploaded(got), e = uploaded(std::as_bytes(std::span(expected))),
                          b = uploaded(std::as_bytes(std::span(bound)));
    const auto n = static_cast<std::int64_t>(expected.size());
    checker_->compare(type, *g, *e, b.get(), n);
    checker_->compare(type, *g, *e, nullptr, n);
    const std::vector<DeviceSummary> found = checker_->finish();
    ASSERT_EQ(found.size(), 2u);
    for (const bool is_exact : {false, true}) {
      const Comparison right = is_exact ? compare_elements(type, got.data(), expected, {})
                                        : compare_elements(type, got.data(), expected, bound);
      const Comparison& on_device = found[is_exact].comparison;
      const std::string where = what + " of " + comparison_kernel(type) + (is_exact ? ", exact" : "");
      EXPECT_EQ(on_device.first_wrong, right.first_wrong) << where;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(on_device.largest_error),
                std::bit_cast<std::uint64_t>(right.largest_error))
          << where << ": " << on_device.largest_error << " and " << right.largest_error;
      EXPECT_EQ(std::bit_cast<std::uint64_t>(on_device.largest_error_ratio),
                std::bit_cast<std::uint64_t>(right.largest_error_ratio))
          << where << ": " << on_device.largest_error_ratio << " and " << right.largest_error_ratio;
      EXPECT_EQ(found[is_exact].wrong_elements > 0, right.first_wrong >= 0) << where;
    }
  }

  /// Made once for all tests, because a driver takes seconds to compile it for all types.
  static std::pair<std::shared_ptr<Device>, DeviceChecker*> shared() {
    static const std::shared_ptr<Device> device = make_device(DeviceKind::kOpenCl);
    static const std::unique_ptr<DeviceChecker> checker = DeviceChecker::make(
        device, device_checker_object(Target::parse("opencl"), ir::element_types()), ir::element_types());
    return {device, checker.get()};
  }

  std::shared_ptr<Device> device_ = shared().first;
  DeviceChecker* checker_ = shared().second;
};

// One element at a time, so that a larger error does not hide it.
TEST_F(OnOpenCl, EachPatternOfBitsIsJudgedAsOnTheHost) {
  ASSERT_NE(checker_, nullptr);
  constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN(),
                   kDenormal = std::numeric_limits<double>::denorm_min();
  const std::vector<std::uint64_t> patterns{0,
                                            1,
                                            2,
                                            0x7f,
                                            0x80,
                                            0xff,
                                            0x3ff,
                                            0x400,
                                            0x3c00,
                                            0x7bff,
                                            0x7c00,
                                            0x7c01,
                                            0x7f80,
                                            0x7f81,
                                            0x8000,
                                            0x8001,
                                            0xfc00,
                                            0xff80,
                                            0xffff,
                                            0x3f800000,
                                            0x3f800001,
                                            0x7f800000,
                                            0x7fc00000,
                                            0x80000001,
                                            0xff800000,
                                            0xffffffff,
                                            0x007fffff,
                                            0x3ff0000000000000,
                                            0x3ff0000000000001,
                                            0x7ff0000000000000,
                                            0xfff0000000000000,
                                            0x7ff8000000000000,
                                            0x8000000000000001,
                                            0x7fffffffffffffff,
                                            ~std::uint64_t{0}};
  for (const ir::Type& type : ir::element_types()) {
    for (const std::uint64_t pattern : patterns) {
      const std::span<const std::byte> got = std::as_bytes(std::span(&pattern, 1));
      const double value = element_at(type, &pattern, 0);
      for (const double expected :
           {value, std::nextafter(value, kInfinity), -value, 0.0, -0.0, 1.0, kInfinity, -kInfinity, kNan, kDenormal}) {
        const double error = std::abs(value - expected);
        for (const double bound : {0.0, error, std::nextafter(error, 0), 1.0, kInfinity, kDenormal}) {
          if (HasFailure()) return;
          expect_agreement(type, got, {expected}, {bound},
                           "pattern " + std::to_string(pattern) + " where " + std::to_string(expected) + " +- " +
                               std::to_string(bound));
        }
      }
    }
  }
}

TEST_F(OnOpenCl, TheFirstAndTheLastWrongElementAreFoundAmongMany) {
  ASSERT_NE(checker_, nullptr);
  constexpr std::size_t kElements = 1'300'013;  // more than one block, and not a multiple of any size
  for (const ir::Type& type : {kFloat32, kFloat16, kBFloat16, kInt8, kInt32}) {
    std::vector<double> expected(kElements), bound(kElements, 0.25);
    for (std::size_t i = 0; i < kElements; ++i) expected[i] = static_cast<double>(i % 100);
    std::vector<std::byte> got(kElements * static_cast<std::size_t>(type.bytes()));
    encode_elements(type, expected, got.data());
    expect_agreement(type, got, expected, bound, "right");
    for (const std::size_t wrong : {kElements - 1, std::size_t{700'001}, std::size_t{0}}) {
      const double other = expected[wrong] + 1;
      encode_elements(type, {&other, 1}, got.data() + wrong * static_cast<std::size_t>(type.bytes()));
      expect_agreement(type, got, expected, bound, "wrong from " + std::to_string(wrong));
    }
  }
}

TEST_F(OnOpenCl, DigestsAreThoseOfTheHost) {
  ASSERT_NE(checker_, nullptr);
  std::vector<std::byte> bytes(70'003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 / 7);
  const DeviceMemoryPtr memory = uploaded(bytes);
  const std::vector<std::pair<std::size_t, std::size_t>> parts{{0, 70'003}, {0, 8},  {1, 7},
                                                               {3, 69'000}, {16, 1}, {8, 0}};
  for (const auto& [offset, size] : parts) {
    checker_->digest(*memory, static_cast<std::int64_t>(offset), static_cast<std::int64_t>(size));
  }
  const std::vector<DeviceSummary> found = checker_->finish();
  ASSERT_EQ(found.size(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(found[i].digest, device_digest(std::span(bytes).subspan(parts[i].first, parts[i].second))) << i;
  }
}

TEST_F(OnOpenCl, AChangeOfWhatIsExpectedIsSeen) {
  ASSERT_NE(checker_, nullptr);
  const std::vector<float> got(100, 1);
  std::vector<double> expected(100, 1), bound(100, 0.5);
  const DeviceMemoryPtr g = uploaded(std::as_bytes(std::span(got)));
  const auto digest = [&] {
    checker_->compare(kFloat32, *g, *uploaded(std::as_bytes(std::span(expected))),
                      uploaded(std::as_bytes(std::span(bound))).get(), 100);
    return checker_->finish().at(0).digest;
  };
  const std::uint64_t before = digest();
  bound[99] = 2;
  EXPECT_NE(digest(), before);
  bound[99] = 0.5;
  expected[0] = 2;
  EXPECT_NE(digest(), before);
}

TEST_F(OnOpenCl, MoreResultsThanAreKeptAtOnceComeInOrder) {
  ASSERT_NE(checker_, nullptr);
  const std::vector<std::byte> bytes(200, std::byte{7});
  const DeviceMemoryPtr memory = uploaded(bytes);
  for (std::int64_t i = 0; i < 150; ++i) checker_->digest(*memory, 0, i);
  const std::vector<DeviceSummary> found = checker_->finish();
  ASSERT_EQ(found.size(), 150u);
  for (std::size_t i = 0; i < 150; ++i) EXPECT_EQ(found[i].digest, device_digest(std::span(bytes).first(i)));
}

TEST_F(OnOpenCl, WithoutCodeThatItTakesThereIsNoChecker) {
  EXPECT_EQ(DeviceChecker::make(device_, "", ir::element_types()), nullptr);
  EXPECT_EQ(DeviceChecker::make(device_, "not OpenCL", ir::element_types()), nullptr);
  std::string other = device_checker_source(DeviceKind::kOpenCl, ir::element_types());
  other.replace(other.find("difference <= bound"), 19, "difference < bound ");
  EXPECT_EQ(DeviceChecker::make(device_, other, ir::element_types()), nullptr) << "the trial finds another result";
}
#endif

}  // namespace
}  // namespace nestwright
