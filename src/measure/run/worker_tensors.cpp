#include "measure/run/worker_tensors.h"

#include <fmt/core.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "nestwright/error.h"

namespace nestwright {

std::span<const double> map_doubles(std::int64_t elements, std::int64_t offset) {
  void* memory = mmap(nullptr, static_cast<std::size_t>(elements) * sizeof(double), PROT_READ, MAP_SHARED,
                      kWorkerTensorsFd, offset);
  if (memory == MAP_FAILED) throw Error("the runner cannot map the reference");
  return {static_cast<const double*>(memory), static_cast<std::size_t>(elements)};
}

namespace {

LargeExpectation map_large(const TensorLayout& layout, std::int64_t block) {
  const LargeLayout& large = *layout.large;
  return LargeExpectation(large, layout.elements, map_doubles(large.samples, large.places),
                          map_doubles(large.doubles(), block));
}

}  // namespace

bool has_set(const TensorLayout& layout, InputSet set) {
  return set == InputSet::kUniform || (set == InputSet::kIntegers ? layout.integers : layout.wide) >= 0;
}

std::int64_t values_at_end(const TensorLayout& layout, InputSet set) {
  if (!has_set(layout, set)) return layout.first;
  return set == InputSet::kUniform ? layout.first : set == InputSet::kIntegers ? layout.integers : layout.wide;
}

MappedInput map_input(const TensorLayout& layout, InputSet set) {
  const std::int64_t bytes = layout.elements * layout.type.bytes(), at_end = values_at_end(layout, set);
  GuardedRegion region = GuardedRegion::read_only(bytes, kWorkerTensorsFd, at_end >= 0 ? at_end : layout.second);
  const void* const values = region.buffer(at_end >= 0 ? Placement::kAtEnd : Placement::kAtStart);
  return {std::move(region), {static_cast<const std::byte*>(values), static_cast<std::size_t>(bytes)}};
}

ExpectedOutput map_expected(const TensorLayout& layout, InputSet set) {
  if (layout.large) {
    const std::int64_t block = values_at_end(layout, set);
    return {{}, {}, has_set(layout, set) ? set : InputSet::kUniform, map_large(layout, block)};
  }
  const auto doubles = [&](std::int64_t offset) { return map_doubles(layout.elements, offset); };
  if (set == InputSet::kUniform || !has_set(layout, set))
    return {doubles(layout.first), doubles(layout.second), InputSet::kUniform, {}};
  if (set == InputSet::kWide) return {doubles(layout.wide), doubles(layout.wide_bound), set, {}};
  ExpectedOutput whole{doubles(layout.integers), {}, set, {}};
  if (layout.integer_bound >= 0) whole.bound = doubles(layout.integer_bound);
  return whole;
}

std::string explain_mismatch(std::size_t parameter, ir::Type type, const void* result, const ExpectedOutput& reference,
                             Evidence& evidence, const RunParts& run) {
  if (reference.large) return explain_large_mismatch(parameter, type, result, *reference.large, evidence, run);
  const Comparison c = compare_elements(type, result, reference.expected, reference.bound);
  return explain_mismatch(parameter, c, c.first_wrong < 0 ? 0 : element_at(type, result, c.first_wrong), reference,
                          evidence);
}

std::string explain_mismatch(std::size_t parameter, const Comparison& c, double got, const ExpectedOutput& reference,
                             Evidence& evidence) {
  evidence.largest_error = std::max(evidence.largest_error, c.largest_error);
  evidence.largest_error_ratio = std::max(evidence.largest_error_ratio, c.largest_error_ratio);
  if (c.first_wrong < 0) return {};
  const auto at = static_cast<std::size_t>(c.first_wrong);
  const std::string found =
      fmt::format("parameter {} element {}: expected {:.9g}, got {:.9g}", parameter, at, reference.expected[at], got);
  if (reference.set == InputSet::kIntegers) return found + " from integers, where no error is allowed";
  return fmt::format("{}, allowed error {:.3g}{}", found, reference.bound[at],
                     reference.set == InputSet::kWide ? ", from inputs of large and small magnitudes" : "");
}

}  // namespace nestwright
