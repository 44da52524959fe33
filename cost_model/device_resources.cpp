#include "cost_model/device_resources.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "nestwright/error.h"

namespace nestwright {
namespace {

constexpr std::array kNames = {"registers", "spill_bytes", "shared_bytes", "occupancy"};

float scale(double x) { return static_cast<float>(std::log2(1 + x)); }

}  // namespace

void append_unknown_resources(Features& features) {
  features.insert(features.end(), kNames.size(), std::numeric_limits<float>::quiet_NaN());
}

Features with_resources(Features features, const DeviceResources& resources) {
  check(features.size() >= kNames.size(), "features without columns for what a device's compiler tells");
  const std::array columns = {static_cast<float>(resources.registers), scale(resources.spill_bytes),
                              scale(resources.shared_bytes), static_cast<float>(resources.occupancy)};
  static_assert(columns.size() == kNames.size());
  std::copy(columns.begin(), columns.end(), features.end() - columns.size());
  return features;
}

std::vector<std::string> device_resource_names() { return {kNames.begin(), kNames.end()}; }

}  // namespace nestwright
