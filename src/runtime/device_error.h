// The exceptions of devices (runtime/device.h).
// Thread rule: values.
#pragma once

#include "support/base/error.h"

namespace nestwright {

/// A failure of a device, its driver or an operation on it: no driver, no memory, a launch that is refused.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The device's context is corrupted (an illegal address, an uncorrectable ECC error): every further call on this
/// device fails in this process, and only a new process gets a working context.
class DeviceLostError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

}  // namespace nestwright
