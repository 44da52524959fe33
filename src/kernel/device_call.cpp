#include "kernel/device_call.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ir/analysis/evaluate.h"

namespace nestwright {
namespace {

/// Copies the elements of a tensor, dimension by dimension; both sides have the same layout.
void copy_elements(const std::byte* from, std::byte* to, std::size_t element, std::span<const std::int64_t> extents,
                   std::span<const std::int64_t> strides) {
  if (extents.empty()) {
    std::memcpy(to, from, element);
    return;
  }
  if (extents.size() == 1 && strides[0] == 1) {
    std::memcpy(to, from, static_cast<std::size_t>(extents[0]) * element);
    return;
  }
  const std::int64_t step = strides[0] * static_cast<std::int64_t>(element);
  for (std::int64_t i = 0; i < extents[0]; ++i) {
    copy_elements(from + i * step, to + i * step, element, extents.subspan(1), strides.subspan(1));
  }
}

}  // namespace

DeviceCall::DeviceCall(DeviceProgram program) : program_(std::move(program)) {
  memory_.resize(program_.program().parameters.size());
}

void DeviceCall::operator()(std::span<void* const> buffers, std::span<const std::int64_t> symbols) {
  const ir::Program& program = program_.program();
  for (std::size_t p = 0; p < memory_.size(); ++p) {
    const ir::Parameter& parameter = program.parameters[p];
    const std::int64_t bytes = bytes_in_memory(parameter.buffer, program.symbols, symbols);
    if (memory_[p] == nullptr || memory_[p]->bytes() < bytes) memory_[p] = program_.device().allocate(bytes);
    if (parameter.role != ir::Role::kInput) continue;
    program_.device().upload(*memory_[p], {static_cast<const std::byte*>(buffers[p]), static_cast<std::size_t>(bytes)});
  }
  program_.run(memory_, symbols);
  program_.device().synchronise();
  for (std::size_t p = 0; p < memory_.size(); ++p) {
    if (program.parameters[p].role != ir::Role::kInput) {
      fetch(program.parameters[p].buffer, *memory_[p], buffers[p], symbols);
    }
  }
}

void DeviceCall::fetch(const ir::Buffer& buffer, const DeviceMemory& from, void* to,
                       std::span<const std::int64_t> symbols) {
  const std::vector<ir::Var>& vars = program_.program().symbols;
  const auto bytes = static_cast<std::size_t>(bytes_in_memory(buffer, vars, symbols));
  if (buffer->strides.empty()) {
    program_.device().download(from, {static_cast<std::byte*>(to), bytes});
    return;
  }
  staging_.resize(std::max(staging_.size(), bytes));
  program_.device().download(from, {staging_.data(), bytes});
  if (bytes == 0) return;
  std::vector<std::int64_t> extents, strides;
  for (int d = 0; d < buffer->rank(); ++d) {
    extents.push_back(ir::evaluate(buffer->shape[static_cast<std::size_t>(d)], vars, symbols));
    strides.push_back(ir::evaluate(buffer->stride(d), vars, symbols));
  }
  copy_elements(staging_.data(), static_cast<std::byte*>(to), static_cast<std::size_t>(buffer->element.bytes()),
                extents, strides);
}

}  // namespace nestwright
