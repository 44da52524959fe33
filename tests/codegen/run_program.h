// Expands, compiles, links and runs programs, and compares them with the interpreter on the same data.
// Thread rule: one thread each.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "codegen/backend.h"
#include "ir/analysis/preparation.h"
#include "ir/core/scalar.h"
#include "nestwright/array.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "nestwright/program.h"
#include "runtime/compiled_kernel.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {

inline Target target_of(CpuIsa isa) { return cpu_target(isa); }

/// Whether this machine can run code for `isa`.
inline bool can_run(CpuIsa isa) {
  switch (isa) {
    case CpuIsa::kX86_64:
      return true;
    case CpuIsa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case CpuIsa::kAvx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  }
  return false;
}

inline std::vector<CpuIsa> runnable_isas() {
  std::vector<CpuIsa> isas;
  for (CpuIsa isa : {CpuIsa::kX86_64, CpuIsa::kAvx2, CpuIsa::kAvx512}) {
    if (can_run(isa)) isas.push_back(isa);
  }
  return isas;
}

inline CompiledObject compile(const ir::Program& loop_form, const Target& target, const CompileOptions& options = {}) {
  return make_backend(DeviceKind::kCpu)->compile(expand(loop_form, target), target, options);
}

/// Machine code whose preparation, if any, runs before every call.
class LinkedProgram {
 public:
  LinkedProgram(const CompiledObject& object, const std::shared_ptr<ParallelPool>& pool)
      : loaded_(load_object(object)), kernel_(kernel_at(loaded_->entry(), object, pool)) {
    if (loaded_->preparation() != nullptr) preparation_ = kernel_at(loaded_->preparation(), object, pool);
    for (const std::int64_t bytes : object.prepared_bytes) prepared_.push_back(Array::empty(kUInt8, {bytes}));
  }

  /// Calls the kernel with one buffer for each parameter of the operator.
  std::int32_t call(std::span<void* const> buffers, std::span<const std::int64_t> symbols = {}) const {
    std::vector<void*> all(buffers.begin(), buffers.end());
    for (const Array& array : prepared_) all.push_back(const_cast<void*>(array.data()));
    const std::int32_t status = preparation_ ? preparation_->call(all, symbols) : 0;
    return status != 0 ? status : kernel_.call(all, symbols);
  }

 private:
  CompiledKernel kernel_at(void* entry, const CompiledObject& object, const std::shared_ptr<ParallelPool>& pool) const {
    return {reinterpret_cast<nestwright_kernel>(entry), object.workspace, pool, loaded_, object.symbols};
  }

  std::shared_ptr<LoadedObject> loaded_;
  CompiledKernel kernel_;
  std::optional<CompiledKernel> preparation_;
  std::vector<Array> prepared_;
};

inline LinkedProgram link(const CompiledObject& object, const std::shared_ptr<ParallelPool>& pool) {
  return {object, pool};
}

/// One array for each parameter of the operator, filled with small integers, so that sums are exact in any order.
inline std::vector<Array> make_arguments(const ir::Program& program, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<Array> arrays;
  for (const ir::Parameter& parameter : ir::operator_parameters(program)) {
    Array array = Array::empty(parameter.buffer->element, ir::constants_of(parameter.buffer->shape));
    const ir::Type type = array.type();
    for (std::int64_t i = 0; i < array.elements(); ++i) {
      const int value = static_cast<int>(random() % 9) - 4;
      auto* at = static_cast<std::byte*>(array.data()) + i * type.bytes();
      const ir::Scalar integer = ir::integer_scalar(type.is_bool() ? (value > 0 ? 1 : 0) : value);
      ir::write_element(type, type.is_float() ? ir::float_scalar(value) : integer, at);
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

inline std::vector<Array> copies(const std::vector<Array>& arrays) {
  std::vector<Array> result;
  for (const Array& array : arrays) {
    Array copy = Array::empty(array.type(), array.shape());
    std::memcpy(copy.data(), array.data(), array.size_bytes());
    result.push_back(std::move(copy));
  }
  return result;
}

inline void run_interpreted(const ir::Program& program, std::vector<Array>& arrays,
                            std::span<const std::int64_t> symbols = {}) {
  std::vector<ir::Memory> memory;
  for (Array& array : arrays) memory.emplace_back(static_cast<std::byte*>(array.data()), array.size_bytes());
  ir::interpret(program, memory, symbols);
}

inline std::int32_t run_compiled(const LinkedProgram& kernel, std::vector<Array>& arrays,
                                 std::span<const std::int64_t> symbols = {}) {
  std::vector<void*> pointers;
  for (Array& array : arrays) pointers.push_back(array.data());
  return kernel.call(pointers, symbols);
}

/// Whether all arguments have equal bytes after the interpreter has run `loop_form`, and this machine its compiled
/// code.
inline bool agrees_with_interpreter(const ir::Program& loop_form, const Target& target,
                                    Pipeline pipeline = Pipeline::kSearch,
                                    const std::shared_ptr<ParallelPool>& pool = make_pool(PoolKind::kSerial, 1),
                                    std::span<const std::int64_t> symbols = {}) {
  std::vector<Array> expected = make_arguments(loop_form), actual = copies(expected);
  run_interpreted(loop_form, expected, symbols);
  CompileOptions options;
  options.pipeline = pipeline;
  const LinkedProgram kernel = link(compile(loop_form, target, options), pool);
  if (run_compiled(kernel, actual, symbols) != 0) return false;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::memcmp(actual[i].data(), expected[i].data(), actual[i].size_bytes()) != 0) return false;
  }
  return true;
}

}  // namespace nestwright::testing
