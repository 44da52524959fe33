// Expands, compiles, links and runs a program, beside the interpreter on the same data.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "codegen/backend.h"
#include "ir/interpret.h"
#include "ir/scalar.h"
#include "lower/lower.h"
#include "runtime/array.h"
#include "runtime/kernel.h"
#include "support/error.h"
#include "tests/support/cpu_target.h"

namespace nestwright::testing {

inline Target target_of(CpuIsa isa) { return cpu_target(isa); }

/// Whether this machine can run code for it.
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

inline CompiledKernel link(const CompiledObject& object, std::shared_ptr<ParallelPool> pool) {
  std::shared_ptr<LoadedObject> loaded = load_object(object);
  return {reinterpret_cast<nestwright_kernel>(loaded->entry()), object.workspace, std::move(pool), loaded,
          object.symbols};
}

/// One array a parameter, small whole numbers in all of them so that sums are exact in any order.
inline std::vector<Array> make_arguments(const ir::Program& program, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::vector<Array> arrays;
  for (const ir::Parameter& parameter : program.parameters) {
    std::vector<std::int64_t> shape;
    for (const ir::Expr& extent : parameter.buffer->shape) shape.push_back(*ir::as_const_int(extent));
    Array array = Array::empty(parameter.buffer->element, shape);
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

inline std::int32_t run_compiled(const CompiledKernel& kernel, std::vector<Array>& arrays,
                                 std::span<const std::int64_t> symbols = {}) {
  std::vector<void*> pointers;
  for (Array& array : arrays) pointers.push_back(array.data());
  return kernel.call(pointers, symbols);
}

/// Bytes of all arguments are equal after the interpreter ran `loop_form` and the machine what it is compiled to.
inline bool agrees_with_interpreter(const ir::Program& loop_form, const Target& target,
                                    Pipeline pipeline = Pipeline::kSearch,
                                    std::shared_ptr<ParallelPool> pool = make_pool(PoolKind::kSerial, 1),
                                    std::span<const std::int64_t> symbols = {}) {
  std::vector<Array> expected = make_arguments(loop_form), actual = copies(expected);
  run_interpreted(loop_form, expected, symbols);
  CompileOptions options;
  options.pipeline = pipeline;
  const CompiledKernel kernel = link(compile(loop_form, target, options), std::move(pool));
  if (run_compiled(kernel, actual, symbols) != 0) return false;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (std::memcmp(actual[i].data(), expected[i].data(), actual[i].size_bytes()) != 0) return false;
  }
  return true;
}

}  // namespace nestwright::testing
