#include "bench/compare/problem.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "support/error.h"

namespace nestwright::bench {
namespace {

constexpr int kLargest = 16384;

int parse_size(std::string_view text, std::string_view whole) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > kLargest) {
    throw UsageError(fmt::format("shape '{}': '{}' is not a size in 1 .. {}; write MxNxK, e.g. 128x3072x768, or 512^3",
                                 whole, text, kLargest));
  }
  return value;
}

}  // namespace

std::string Problem::str() const { return fmt::format("{}x{}x{}", m, n, k); }

std::string Problem::workload() const { return fmt::format("matmul m={} n={} k={}", m, n, k); }

Problem parse_problem(std::string_view text) {
  if (text.ends_with("^3")) {
    const int size = parse_size(text.substr(0, text.size() - 2), text);
    return {size, size, size};
  }
  std::vector<int> sizes;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('x', from), text.size());
    sizes.push_back(parse_size(text.substr(from, to - from), text));
    from = to + 1;
  }
  if (sizes.size() != 3) {
    throw UsageError(
        fmt::format("shape '{}' has {} sizes; write MxNxK, e.g. 128x3072x768, or 512^3", text, sizes.size()));
  }
  return {sizes[0], sizes[1], sizes[2]};
}

}  // namespace nestwright::bench
