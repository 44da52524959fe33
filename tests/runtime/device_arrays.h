// Copies arrays between a test and a device.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "nestwright/device.h"

namespace nestwright {

/// Returns the contents of a memory as elements of T.
template <class T>
std::vector<T> fetch(Device& device, const DeviceMemory& memory) {
  std::vector<T> elements(static_cast<std::size_t>(memory.bytes()) / sizeof(T));
  device.download(memory, std::as_writable_bytes(std::span(elements)));
  return elements;
}

template <class T>
DeviceMemoryPtr send(Device& device, const std::vector<T>& elements) {
  const DeviceMemoryPtr memory = device.allocate(static_cast<std::int64_t>(elements.size() * sizeof(T)));
  device.upload(*memory, std::as_bytes(std::span(elements)));
  return memory;
}

}  // namespace nestwright
