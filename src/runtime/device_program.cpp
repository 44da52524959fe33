#include "runtime/device_program.h"

#include <fmt/core.h>

#include <utility>

#include "ir/analysis/evaluate.h"
#include "nestwright/error.h"

namespace nestwright {

std::int64_t bytes_in_memory(const ir::Buffer& buffer, std::span<const ir::Var> symbols,
                             std::span<const std::int64_t> values) {
  std::int64_t last = 0;  // the offset of the last element, in elements
  bool overflow = false;
  for (int d = 0; d < buffer->rank(); ++d) {
    const std::int64_t extent = ir::evaluate(buffer->shape[static_cast<std::size_t>(d)], symbols, values);
    if (extent <= 0) return 0;
    std::int64_t steps = 0;
    overflow |= __builtin_mul_overflow(extent - 1, ir::evaluate(buffer->stride(d), symbols, values), &steps);
    overflow |= __builtin_add_overflow(last, steps, &last);
  }
  std::int64_t bytes = 0;
  overflow |= __builtin_add_overflow(last, 1, &last);
  overflow |= __builtin_mul_overflow(last, buffer->element.bytes(), &bytes);
  if (overflow) throw UsageError(fmt::format("buffer {} exceeds 64 bits: use smaller extents", buffer->name));
  return bytes;
}

DeviceProgram::DeviceProgram(std::shared_ptr<Device> device, const std::string& object, ir::Program program,
                             Allocator allocator)
    : device_(std::move(device)), program_(std::move(program)), allocator_(std::move(allocator)) {
  if (program_.preparation.defined()) {
    throw UsageError(
        fmt::format("{} prepares constants, which is done for CPUs only: compute them at root", program_.name));
  }
  if (!allocator_) allocator_ = [owner = device_.get()](std::int64_t bytes) { return owner->allocate(bytes); };
  module_ = device_->load(object);
  for (std::size_t k = 0; k < program_.kernels.size(); ++k) {
    const ir::Kernel& kernel = program_.kernels[k];
    LoadedKernel& loaded = kernels_.emplace_back();
    loaded.kernel = module_->kernel(kernel.name);
    loaded.shape = ir::launch_shape(kernel);
    loaded.arguments = ir::kernel_arguments(program_, static_cast<int>(k));
    if (device_->info().kind == DeviceKind::kCuda) {
      loaded.dynamic_shared_bytes = ir::shared_layout(kernel).dynamic_bytes();
    }
  }
}

void DeviceProgram::run(std::span<const DeviceMemoryPtr> parameters, std::span<const std::int64_t> symbols) {
  check(parameters.size() == program_.parameters.size(),
        "a program on a device is run with too few or many parameters");
  check(symbols.size() == program_.symbols.size(), "a program on a device is run with too few or many symbols");
  parameters_ = parameters;
  vars_ = program_.symbols;
  values_.assign(symbols.begin(), symbols.end());
  follow(program_.host);
}

void DeviceProgram::follow(const ir::Stmt& s) {
  if (!s.defined()) return;
  if (const auto* block = s.as<ir::Block>()) {
    for (const ir::Stmt& each : block->stmts) follow(each);
  } else if (const auto* loop = s.as<ir::For>()) {
    repeat(*loop);
  } else if (const auto* let = s.as<ir::Let>()) {
    values_.push_back(value(let->value));
    vars_.push_back(let->var);
    follow(let->body);
    vars_.pop_back();
    values_.pop_back();
  } else if (const auto* condition = s.as<ir::IfThenElse>()) {
    follow(value(condition->condition) != 0 ? condition->then_case : condition->else_case);
  } else if (const auto* allocation = s.as<ir::Allocate>()) {
    const std::int64_t bytes = bytes_in_memory(allocation->buffer, vars_, values_);
    DeviceMemoryPtr& memory = workspace_[allocation->buffer];
    if (memory == nullptr || memory->bytes() < bytes) memory = allocator_(bytes);
    follow(allocation->body);
  } else if (const auto* started = s.as<ir::Launch>()) {
    launch(kernels_.at(static_cast<std::size_t>(started->kernel)));
  } else {
    throw InternalError("internal error: the host statement of " + program_.name + " does more than launch kernels");
  }
}

void DeviceProgram::repeat(const ir::For& loop) {
  check(!ir::is_bound(loop.kind), "a loop of the host is bound to an index of a device");
  const std::int64_t min = value(loop.min), extent = value(loop.extent);
  vars_.push_back(loop.var);
  values_.push_back(0);
  for (std::int64_t i = 0; i < extent; ++i) {
    values_.back() = min + i;
    follow(loop.body);
  }
  vars_.pop_back();
  values_.pop_back();
}

void DeviceProgram::launch(const LoadedKernel& kernel) {
  LaunchSize size;
  for (std::size_t d = 0; d < 3; ++d) {
    size.grid[d] = value(kernel.shape.grid[d]);
    size.block[d] = value(kernel.shape.block[d]);
    if (size.grid[d] <= 0 || size.block[d] <= 0) return;
  }
  size.dynamic_shared_bytes = kernel.dynamic_shared_bytes;
  arguments_.clear();
  for (const int p : kernel.arguments.parameters) {
    arguments_.emplace_back(parameters_[static_cast<std::size_t>(p)].get());
  }
  for (const ir::Buffer& buffer : kernel.arguments.workspaces) arguments_.emplace_back(memory_of(buffer).get());
  for (const ir::Var& scalar : kernel.arguments.scalars) arguments_.emplace_back(value(scalar));
  device_->launch(*kernel.kernel, size, arguments_);
}

const DeviceMemoryPtr& DeviceProgram::memory_of(const ir::Buffer& buffer) {
  const auto found = workspace_.find(buffer);
  check(found != workspace_.end(), "a kernel uses memory of the workspace that the host has not allocated");
  return found->second;
}

std::int64_t DeviceProgram::value(const ir::Expr& e) const { return ir::evaluate(e, vars_, values_); }

}  // namespace nestwright
