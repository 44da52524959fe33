#include "bench/compare/tensors.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/error.h"

namespace nestwright::bench {
namespace {

void append(int fd, const void* bytes, std::size_t size) {
  const char* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t n = write(fd, from, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) throw Error(std::string("cannot keep the tensors in memory: ") + std::strerror(errno));
    from += n;
    size -= static_cast<std::size_t>(n);
  }
}

}  // namespace

UniqueFd make_tensor_file(const CheckData& data) {
  UniqueFd fd(memfd_create("bench-tensors", MFD_CLOEXEC));
  // Doubles first: they stay aligned whatever the sizes are.
  append(fd.get(), data.expected.at(0).data(), data.expected[0].size() * sizeof(double));
  append(fd.get(), data.bound.at(0).data(), data.bound[0].size() * sizeof(double));
  for (const std::vector<double>& input : data.inputs) {
    const std::vector<float> values(input.begin(), input.end());
    append(fd.get(), values.data(), values.size() * sizeof(float));
  }
  return fd;
}

TensorView map_tensors(int fd, const Problem& problem) {
  const auto m = static_cast<std::size_t>(problem.m), n = static_cast<std::size_t>(problem.n),
             k = static_cast<std::size_t>(problem.k);
  const std::size_t size = 2 * m * n * sizeof(double) + (m * k + k * n) * sizeof(float);
  void* const memory = mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) throw Error(std::string("cannot map the tensors: ") + std::strerror(errno));
  const auto* doubles = static_cast<const double*>(memory);
  const auto* floats = reinterpret_cast<const float*>(doubles + 2 * m * n);
  return {{floats, m * k}, {floats + m * k, k * n}, {doubles, m * n}, {doubles + m * n, m * n}};
}

double largest_error_ratio(std::span<const float> c, const TensorView& tensors) {
  double largest = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const double error = std::abs(static_cast<double>(c[i]) - tensors.expected[i]);
    if (std::isnan(error)) return std::numeric_limits<double>::infinity();
    if (error > 0) largest = std::max(largest, error / tensors.bound[i]);
  }
  return largest;
}

}  // namespace nestwright::bench
