#include "bench/figures/tunings/exported_kernel.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <span>
#include <string>

#include "measure/check/elements.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "target/description/host.h"
#include "templates/framework/template/operator_data.h"

namespace nestwright::bench {
namespace {

template <std::size_t... I>
int call_with(void* function, const std::vector<void*>& pointers, std::index_sequence<I...>) {
  using Exported = int (*)(decltype(static_cast<void>(I), static_cast<void*>(nullptr))...);
  return reinterpret_cast<Exported>(function)(pointers[I]...);
}

int call_function(void* function, const std::vector<void*>& pointers) {
  switch (pointers.size()) {
    case 2:
      return call_with(function, pointers, std::make_index_sequence<2>());
    case 3:
      return call_with(function, pointers, std::make_index_sequence<3>());
    case 4:
      return call_with(function, pointers, std::make_index_sequence<4>());
    case 5:
      return call_with(function, pointers, std::make_index_sequence<5>());
    default:
      throw Error(fmt::format("an exported kernel of {} tensors cannot be called from here", pointers.size()));
  }
}

/// A compact one-dimensional array that covers the buffer and the gaps between its strides.
Array random_tensor(const ir::Buffer& buffer, std::mt19937_64& random) {
  Array array = Array::empty(buffer->element, {buffer->elements()});
  std::vector<double> values(static_cast<std::size_t>(buffer->elements()));
  std::uniform_real_distribution<double> numbers(-1, 1);
  std::uniform_int_distribution<int> integers(0, 100);
  for (double& value : values) value = buffer->element.is_float() ? numbers(random) : integers(random);
  encode_elements(buffer->element, values, static_cast<std::byte*>(array.data()));
  return array;
}

std::span<std::byte> bytes_of(Array& array) { return {static_cast<std::byte*>(array.data()), array.size_bytes()}; }

}  // namespace

ExportedKernel::ExportedKernel(const ExportedLibrary& exported) {
  void* opened = dlopen(exported.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  function_ = opened == nullptr ? nullptr : dlsym(opened, exported.function.c_str());
  if (function_ == nullptr) {
    throw Error(fmt::format("cannot have {} of {}: {}", exported.function, exported.library, dlerror()));
  }
  const Workload parsed = parse_workload(exported.workload);
  std::mt19937_64 random(1);
  pointers_.emplace_back();
  for (const Tensor& tensor : parsed.definition->args) {
    tensors_.push_back(random_tensor(tensor.buffer(), random));
    pointers_.front().push_back(tensors_.back().data());
  }
  if (exported.caches == CacheState::kCold) rotate();
  if (exported.caches == CacheState::kStream) stream(exported, opened);
}

void ExportedKernel::rotate() {
  std::int64_t bytes = 0;
  for (Array& tensor : tensors_) bytes += GuardedRegion::padded(std::ssize(bytes_of(tensor)));
  const std::int64_t copies = copies_beyond_cache(bytes, last_cache_bytes());
  pointers_.assign(static_cast<std::size_t>(copies), pointers_.front());
  copies_.resize(tensors_.size());
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    copies_[t].refill(copies, bytes_of(tensors_[t]));
    for (std::int64_t c = 0; c < copies; ++c) pointers_[static_cast<std::size_t>(c)][t] = copies_[t].at(c);
  }
}

void ExportedKernel::stream(const ExportedLibrary& exported, void* opened) {
  const Workload parsed = parse_workload(exported.workload);
  const std::vector<std::size_t> constants = constant_operands(parsed);
  std::vector<std::span<std::byte>> written;
  std::vector<std::span<const std::byte>> evicted;
  const auto inputs = static_cast<std::size_t>(parsed.definition->inputs);
  for (std::size_t t = 0; t < inputs; ++t) {
    if (std::find(constants.begin(), constants.end(), t) != constants.end()) {
      evicted.push_back(bytes_of(tensors_[t]));
    } else {
      written.push_back(bytes_of(tensors_[t]));
    }
  }
  stream_ = std::make_unique<StreamState>(std::move(written), std::move(evicted));
  pool_ = make_pool(PoolKind::kSpin, exported.threads);
  using SetParallelFor = void (*)(void* threads, void (*run)(void*, std::int32_t, nestwright_body, void*));
  const std::string setter = exported.function + "_set_parallel_for";
  if (void* const set = dlsym(opened, setter.c_str()); set != nullptr) {
    reinterpret_cast<SetParallelFor>(set)(pool_->abi()->pool, pool_->abi()->run);
  }
}

void ExportedKernel::call() const {
  const int result = call_function(function_, pointers_[next_++ % pointers_.size()]);
  if (result != 0) throw Error(fmt::format("an exported kernel gave {} back", result));
}

}  // namespace nestwright::bench
