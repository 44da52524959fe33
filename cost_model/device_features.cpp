#include "cost_model/device_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cost_model/loop_nest.h"

namespace nestwright {
namespace {

constexpr double kWarp = 32, kSector = 32;

constexpr std::array kNames = {"warps",          "lanes_filled", "waves",        "wave_share",
                               "resident_warps", "shared_block", "sector_bytes", "coalescing",
                               "shared_ways",    "shared_uses",  "thread_trips", "intensity"};

float scale(double x) { return static_cast<float>(std::log2(1 + std::max(0.0, x))); }

/// How the kernel of the heaviest store fills the device.
struct Occupancy {
  double warps = 0;  ///< per block
  double lanes_filled = 0;
  double resident = 0;  ///< blocks per multiprocessor, not limited by registers
  double waves = 0;     ///< rounds of blocks over all multiprocessors
};

Occupancy occupancy(const NestStore& heaviest, double shared_bytes, const DeviceShape& device) {
  Occupancy f;
  const double threads = heaviest.extents(ir::is_device_thread);
  f.warps = std::ceil(threads / kWarp);
  f.lanes_filled = threads / (f.warps * kWarp);
  f.resident = std::min<double>(device.blocks, std::floor(device.warps / f.warps));
  if (shared_bytes > 0)
    f.resident = std::min(f.resident, std::floor(static_cast<double>(device.shared_bytes) / shared_bytes));
  f.resident = std::max(f.resident, 1.0);
  f.waves = heaviest.extents(ir::is_block_index) / (f.resident * device.multiprocessors);
  return f;
}

/// The traffic of all accesses, weighted by how often warps execute them.
struct Traffic {
  double asked_bytes = 0, sector_bytes = 0;  ///< in global memory
  double shared_uses = 0, shared_ways = 0;   ///< accesses by a warp, and the bank cycles that they take
};

Traffic traffic(const FlatProgram& flat) {
  Traffic t;
  for (const NestStore& store : flat.stores) {
    const double threads = std::min(store.extents(ir::is_device_thread), kWarp);
    for (const NestAccess& access : store.accesses) {
      if (access.warp.bytes == 0) continue;
      // Moving a vector takes fewer accesses than it has lanes.
      const double at_once = access.warp.bytes / (threads * access.buffer->element.bytes());
      const double uses = store.trips() / (threads * at_once);
      t.asked_bytes += access.warp.sectors > 0 ? uses * access.warp.bytes : 0;
      t.sector_bytes += uses * access.warp.sectors * kSector;
      t.shared_uses += access.warp.ways > 0 ? uses : 0;
      t.shared_ways += uses * access.warp.ways;
    }
  }
  return t;
}

}  // namespace

std::vector<std::string> device_feature_names() { return {kNames.begin(), kNames.end()}; }

void device_features(const ir::Program& program, const DeviceShape& device, Features& out) {
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  const FlatProgram flat = flatten(program);
  const auto work = [](const NestStore& s) { return s.trips() * (1 + s.flops); };
  const auto heaviest = std::max_element(flat.stores.begin(), flat.stores.end(),
                                         [&](const NestStore& a, const NestStore& b) { return work(a) < work(b); });
  const bool has_threads =
      heaviest != flat.stores.end() && std::any_of(heaviest->loops.begin(), heaviest->loops.end(),
                                                   [](const NestLoop& l) { return ir::is_device_thread(l.kind); });
  if (!has_threads) {
    out.insert(out.end(), kNames.size(), kUnknown);
    return;
  }
  const Occupancy f = occupancy(*heaviest, flat.shared_bytes, device);
  const Traffic t = traffic(flat);
  double flops = 0;
  for (const NestStore& store : flat.stores) flops += store.trips() * store.flops;
  const double threads = heaviest->extents(ir::is_device_thread) * heaviest->extents(ir::is_block_index);
  const std::array columns = {
      scale(f.warps),
      static_cast<float>(f.lanes_filled),
      scale(f.waves),
      static_cast<float>(f.waves / std::ceil(f.waves)),
      static_cast<float>(f.resident * f.warps),
      scale(flat.shared_bytes),
      scale(t.sector_bytes),
      t.sector_bytes > 0 ? static_cast<float>(t.asked_bytes / t.sector_bytes) : kUnknown,
      t.shared_uses > 0 ? static_cast<float>(t.shared_ways / t.shared_uses) : kUnknown,
      scale(t.shared_uses),
      scale(heaviest->trips() / threads),
      t.sector_bytes > 0 ? scale(flops / t.sector_bytes) : kUnknown,
  };
  static_assert(columns.size() == kNames.size());
  out.insert(out.end(), columns.begin(), columns.end());
}

}  // namespace nestwright
