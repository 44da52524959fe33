#include "bench/figures/exported_kernel.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <random>

#include "measure/elements.h"
#include "support/error.h"
#include "templates/registry.h"

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

}  // namespace

ExportedKernel::ExportedKernel(const std::string& library, const std::string& function, const std::string& workload) {
  void* opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  function_ = opened == nullptr ? nullptr : dlsym(opened, function.c_str());
  if (function_ == nullptr) throw Error(fmt::format("cannot have {} of {}: {}", function, library, dlerror()));
  const Workload parsed = parse_workload(workload);
  std::mt19937_64 random(1);
  for (const Tensor& tensor : parsed.op->define(parsed).args) {
    tensors_.push_back(random_tensor(tensor.buffer(), random));
    pointers_.push_back(tensors_.back().data());
  }
}

void ExportedKernel::call() const {
  const int result = call_function(function_, pointers_);
  if (result != 0) throw Error(fmt::format("an exported kernel gave {} back", result));
}

}  // namespace nestwright::bench
