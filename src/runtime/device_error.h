// What devices (runtime/device.h) throw.
// Thread rule: values.
#pragma once

#include "support/error.h"

namespace nestwright {

/// A device, its driver or what was asked of it fails: no driver, no memory, a launch that is refused.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The device's context is beyond repair (an illegal address, an uncorrectable ECC error): every further call on this
/// device fails in this process, and only a new process gets a working one.
class DeviceLostError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

}  // namespace nestwright
