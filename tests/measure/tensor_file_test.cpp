// What TensorFile writes is read back from the file: small tensors, and such as are written in several chunks.
#include "measure/run/tensor_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "measure/check/elements.h"
#include "measure/process/guarded_region.h"
#include "support/base/chunks.h"

namespace nestwright {
namespace {

std::string read_file(const TensorFile& file, std::int64_t at, std::int64_t bytes) {
  std::string data(static_cast<std::size_t>(bytes), '\0');
  EXPECT_EQ(pread(file.fd(), data.data(), data.size(), at), bytes);
  return data;
}

std::vector<double> read_doubles(const TensorFile& file, std::int64_t at, std::size_t n) {
  const std::string data = read_file(file, at, static_cast<std::int64_t>(n * sizeof(double)));
  std::vector<double> values(n);
  std::memcpy(values.data(), data.data(), data.size());
  return values;
}

/// `n` numbers that no two neighbours of a chunk have in common.
std::vector<double> numbers(std::size_t n, double first) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = first + static_cast<double>(i % 1000003);
  return values;
}

/// Whether the region has the canary, the elements of `values` at their place, and the canary again.
void expect_input(const TensorFile& file, std::int64_t at, const std::vector<double>& values, Placement placement) {
  const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(float));
  const std::string region = read_file(file, at, GuardedRegion::padded(bytes));
  std::string expected(region.size(), static_cast<char>(GuardedRegion::kCanary));
  encode_elements(kFloat32, values, expected.data() + GuardedRegion::offset(bytes, placement));
  EXPECT_TRUE(region == expected) << values.size() << " elements";
}

TEST(TensorFile, HasAllSetsOfInputsAndResults) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, kChunkElements, 2 * kChunkElements + 5}) {
    const auto elements = static_cast<std::int64_t>(n);
    CheckData data;
    data.types = {kFloat32, kFloat32};
    data.elements = {elements, elements};
    data.roles = {ir::Role::kInput, ir::Role::kOutput};
    data.inputs = {numbers(n, 1)};
    data.integer_inputs = {numbers(n, 2)};
    data.wide_inputs = {numbers(n, 3)};
    data.expected = {numbers(n, 0.5)};
    data.bound = {numbers(n, 0.25)};
    data.integer_expected = {numbers(n, 1.5)};
    data.integer_bound = {numbers(n, 4.5)};
    data.wide_expected = {numbers(n, 2.5)};
    data.wide_bound = {numbers(n, 3.5)};
    const TensorFile file(data);
    ASSERT_EQ(file.layout().size(), 2u);
    const TensorLayout &in = file.layout()[0], &out = file.layout()[1];
    expect_input(file, in.first, data.inputs[0], Placement::kAtEnd);
    expect_input(file, in.second, data.inputs[0], Placement::kAtStart);
    expect_input(file, in.integers, data.integer_inputs[0], Placement::kAtEnd);
    expect_input(file, in.wide, data.wide_inputs[0], Placement::kAtEnd);
    EXPECT_TRUE(read_doubles(file, out.first, n) == data.expected[0]) << n;
    EXPECT_TRUE(read_doubles(file, out.second, n) == data.bound[0]) << n;
    EXPECT_TRUE(read_doubles(file, out.integers, n) == data.integer_expected[0]) << n;
    EXPECT_TRUE(read_doubles(file, out.integer_bound, n) == data.integer_bound[0]) << n;
    EXPECT_TRUE(read_doubles(file, out.wide, n) == data.wide_expected[0]) << n;
    EXPECT_TRUE(read_doubles(file, out.wide_bound, n) == data.wide_bound[0]) << n;
    EXPECT_EQ(lseek(file.fd(), 0, SEEK_END), file.bytes());
  }
}

}  // namespace
}  // namespace nestwright
