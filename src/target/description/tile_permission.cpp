#include "target/description/tile_permission.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "target/description/host.h"

namespace nestwright {
namespace {

constexpr int kRequestPermission = 0x1023;  ///< ARCH_REQ_XCOMP_PERM
constexpr int kTileData = 18;

bool ask() {
  const CpuFeatures features = host_cpu_features();
  if (!features.has(CpuFeature::kAmxBf16) && !features.has(CpuFeature::kAmxInt8)) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

}  // namespace

bool request_tile_permission() {
  static const bool allowed = ask();
  return allowed;
}

}  // namespace nestwright
