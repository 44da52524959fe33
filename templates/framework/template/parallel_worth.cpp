#include "templates/framework/template/parallel_worth.h"

#include <algorithm>

namespace nestwright {
namespace {

// Peak rates of one core. Real kernels take longer, so work that these rates find worth a parallel loop is.
constexpr double kCyclesPerNs = 4;
constexpr double kVectorUnits = 2;
constexpr double kBytesPerNs = 100;  // of the second-level cache and beyond
constexpr double kTileSpeedup = 16;  // of AMX, against dot products in vectors

/// Many times the 0.3 us that starting a loop takes while the threads spin, about what it takes while they sleep.
constexpr double kMinWorkNs = 10e3;

double flops_per_ns(ir::Type type, const Target& target) {
  const bool has_tiles = (type == kBFloat16 && target.has(CpuFeature::kAmxBf16)) ||
                         ((type == kInt8 || type == kUInt8) && target.has(CpuFeature::kAmxInt8));
  return kCyclesPerNs * kVectorUnits * target.lanes(type) * (target.has_fma() ? 2 : 1) * (has_tiles ? kTileSpeedup : 1);
}

}  // namespace

bool is_worth_parallel_loop(const Definition& definition, const Target& target) {
  if (target.threads < 2) return false;
  const double serial_ns = std::max(definition.flops / flops_per_ns(definition.args.front().dtype(), target),
                                    definition.bytes / kBytesPerNs);
  return serial_ns >= kMinWorkNs;
}

}  // namespace nestwright
