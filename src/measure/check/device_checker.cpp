#include "measure/check/device_checker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "measure/check/device_checker_source.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::int64_t kFields = 5;
constexpr std::int64_t kMaxBlocks = 1024;     // about as many as the multiprocessors of a large device hold at a time
constexpr std::int64_t kItemsOfAThread = 32;  // if there are fewer blocks
constexpr std::int64_t kMaxQueued = 64;
using Fields = std::array<std::uint64_t, kFields>;

/// The division of elements or words among blocks.
struct Division {
  std::int64_t blocks, share;
};
Division divided(std::int64_t items) {
  const std::int64_t least = kCheckerThreads * kItemsOfAThread;
  const std::int64_t blocks = std::clamp<std::int64_t>((items + least - 1) / least, 1, kMaxBlocks);
  return {blocks, (items + blocks - 1) / blocks};
}

DeviceSummary summary_of(const Fields& fields) {
  return {.wrong_elements = static_cast<std::int64_t>(fields[0]),
          .comparison = {.first_wrong = static_cast<std::int64_t>(fields[1]),  // all bits set if there is none
                         .largest_error = std::bit_cast<double>(fields[2]),
                         .largest_error_ratio = std::bit_cast<double>(fields[3])},
          .digest = fields[4]};
}

bool is_same(const Comparison& a, const Comparison& b) {
  return a.first_wrong == b.first_wrong && a.largest_error == b.largest_error &&
         a.largest_error_ratio == b.largest_error_ratio;
}

}  // namespace

std::uint64_t device_digest(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; 8 * i < bytes.size(); ++i) {
    std::uint64_t x = 0;
    std::memcpy(&x, bytes.data() + 8 * i, std::min<std::size_t>(8, bytes.size() - 8 * i));
    x += (i + 1) * 0x9e3779b97f4a7c15;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93;
    sum += x ^ (x >> 32);
  }
  return sum;
}

std::unique_ptr<DeviceChecker> DeviceChecker::make(std::shared_ptr<Device> device, const std::string& object,
                                                   std::span<const ir::Type> types) {
  if (object.empty()) return nullptr;
  try {
    std::unique_ptr<DeviceChecker> made(new DeviceChecker(std::move(device), object, types));
    return made->is_trusted(types) ? std::move(made) : nullptr;
  } catch (const DeviceError&) {
    return nullptr;  // if it is lost, its next user gets the error
  }
}

DeviceChecker::DeviceChecker(std::shared_ptr<Device> device, const std::string& object, std::span<const ir::Type> types)
    : device_(std::move(device)), module_(device_->load(object)) {
  for (const ir::Type& type : types) {
    const std::string name = comparison_kernel(type);
    comparisons_.insert_or_assign(name, module_->kernel(name));
  }
  digest_ = module_->kernel("digest");
  combine_ = module_->kernel("combine");
  partial_ = device_->allocate(kMaxBlocks * static_cast<std::int64_t>(sizeof(Fields)));
  results_ = device_->allocate(kMaxQueued * static_cast<std::int64_t>(sizeof(Fields)));
}

void DeviceChecker::compare(ir::Type type, const DeviceMemory& got, const DeviceMemory& expected,
                            const DeviceMemory* bound, std::int64_t elements) {
  const Division division = divided(elements);
  const std::array<LaunchArgument, 7> arguments{
      &got,           &expected,     bound != nullptr ? bound : &expected, elements, std::int64_t{bound != nullptr},
      division.share, partial_.get()};
  device_->launch(*comparisons_.at(comparison_kernel(type)),
                  {.grid = {division.blocks, 1, 1}, .block = {kCheckerThreads, 1, 1}}, arguments);
  combine(division.blocks);
}

void DeviceChecker::digest(const DeviceMemory& memory, std::int64_t offset, std::int64_t bytes) {
  const Division division = divided((bytes + 7) / 8);
  const std::array<LaunchArgument, 5> arguments{&memory, offset, bytes, division.share, partial_.get()};
  device_->launch(*digest_, {.grid = {division.blocks, 1, 1}, .block = {kCheckerThreads, 1, 1}}, arguments);
  combine(division.blocks);
}

void DeviceChecker::combine(std::int64_t blocks) {
  const std::array<LaunchArgument, 4> arguments{partial_.get(), blocks, queued_, results_.get()};
  device_->launch(*combine_, {.block = {kCheckerThreads, 1, 1}}, arguments);
  if (++queued_ == kMaxQueued) take_results();
}

void DeviceChecker::take_results() {
  std::vector<Fields> fields(static_cast<std::size_t>(std::exchange(queued_, 0)));
  device_->download(*results_, std::as_writable_bytes(std::span(fields)));
  for (const Fields& each : fields) found_.push_back(summary_of(each));
}

std::vector<DeviceSummary> DeviceChecker::finish() {
  take_results();
  return std::exchange(found_, {});
}

bool DeviceChecker::is_trusted(std::span<const ir::Type> types) {
  // The second is off by its bound, the third by more; the fourth was written but must not be.
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::array<double, 4> got{1, 2, 3, 4}, expected{1, 1, 1, kNan}, bound{0, 1, 1.5, 0};
  const auto uploaded = [&](std::span<const std::byte> bytes) {
    DeviceMemoryPtr memory = device_->allocate(static_cast<std::int64_t>(bytes.size()));
    device_->upload(*memory, bytes);
    return memory;
  };
  const DeviceMemoryPtr e = uploaded(std::as_bytes(std::span(expected))), b = uploaded(std::as_bytes(std::span(bound)));
  for (const ir::Type& type : types) {
    std::array<std::byte, sizeof got> elements{};
    encode_elements(type, got, elements.data());
    const DeviceMemoryPtr g = uploaded(elements);
    compare(type, *g, *e, b.get(), 4);
    digest(*g, 1, static_cast<std::int64_t>(elements.size()) - 2);
    const std::vector<DeviceSummary> found = finish();
    const Comparison right = compare_elements(type, elements.data(), expected, bound);
    if (!is_same(found[0].comparison, right) ||
        found[1].digest != device_digest(std::span(elements).subspan(1, elements.size() - 2))) {
      return false;
    }
  }
  return true;
}

}  // namespace nestwright
