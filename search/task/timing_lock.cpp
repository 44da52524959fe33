#include "search/task/timing_lock.h"

#include "nestwright/error.h"

namespace nestwright {

std::string timing_lock_name(const Target& target) {
  switch (target.device) {
    case DeviceKind::kCpu:
      return "cpu";
    case DeviceKind::kCuda:
      return "cuda-0";
    case DeviceKind::kOpenCl:
      return "opencl-0";
  }
  throw InternalError("internal error: a kind of device that is none of the known ones");
}

}  // namespace nestwright
