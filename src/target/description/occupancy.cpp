#include "target/description/occupancy.h"

#include <fmt/core.h>

#include <algorithm>

#include "support/base/round_up.h"
#include "target/description/gpu_target.h"

namespace nestwright {
namespace {

// For every architecture that we generate code for (cuda_occupancy.h: cudaOccRegAllocationGranularity,
// cudaOccSubPartitionsPerMultiprocessor): registers are allocated to a warp in units of 256, in one of four partitions.
constexpr int kRegisterGranularity = 256, kPartitions = 4;

int warps_of(const BlockResources& block, const Target& target) {
  return (block.threads + target.warp - 1) / target.warp;
}

int registers_of_warp(const BlockResources& block, const Target& target) {
  return round_up(block.registers * target.warp, kRegisterGranularity);
}

}  // namespace

std::string launch_rejection(const BlockResources& block, const Target& target) {
  const std::string device = target.arch.empty() ? "the device" : target.arch;
  if (block.threads > target.threads_per_block) {
    return fmt::format("a block of {} threads is more than the {} that {} allows", block.threads,
                       target.threads_per_block, device);
  }
  if (block.registers > target.registers_per_thread) {
    return fmt::format("{} registers a thread are more than the {} that {} has", block.registers,
                       target.registers_per_thread, device);
  }
  // The device checks as if each partition held the same number of the block's warps.
  const int registers = registers_of_warp(block, target) * round_up(warps_of(block, target), kPartitions);
  if (registers > target.registers_per_block) {
    return fmt::format("{} threads of {} registers take {} of them, more than the {} that {} has for a block",
                       block.threads, block.registers, registers, target.registers_per_block, device);
  }
  if (block.shared_bytes > target.shared_bytes) {
    return fmt::format("{} bytes of shared memory are more than the {} that a block may have on {}", block.shared_bytes,
                       target.shared_bytes, device);
  }
  return {};
}

std::optional<Occupancy> occupancy(const BlockResources& block, const Target& target) {
  const std::optional<MultiprocessorLimits> limits = multiprocessor_limits(target);
  if (!limits) return std::nullopt;
  Occupancy result{0, 0, limits->warps};
  if (!launch_rejection(block, target).empty()) return result;
  const int warps = warps_of(block, target);
  result.blocks = std::min(limits->blocks, limits->warps / warps);
  if (const int registers = registers_of_warp(block, target); registers > 0) {
    const int of_partition = target.registers_per_block / kPartitions / registers;
    result.blocks = std::min(result.blocks, of_partition * kPartitions / warps);
  }
  const std::int64_t shared = round_up(block.shared_bytes + limits->reserved_shared_bytes, limits->shared_granularity);
  if (shared > 0) result.blocks = std::min(result.blocks, static_cast<int>(limits->shared_bytes / shared));
  result.warps = result.blocks * warps;
  return result;
}

}  // namespace nestwright
