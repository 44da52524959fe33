// CUDA C++ as NVRTC compiles it without any header. Thread rule: Dialect's.
#pragma once

#include "codegen/source/dialect.h"

namespace nestwright::codegen {

class CudaDialect final : public Dialect {
 public:
  const char* integer_type(ir::Type type) const override;
  const char* wide_suffix() const override { return "LL"; }
  std::string function(std::string_view name, ir::Type type) const override;
  std::string bits_of(const std::string& value, ir::Type type) const override;
  std::string of_bits(const std::string& bits, ir::Type type) const override;
  std::string narrow_floats(ir::Type type) const override;
  const char* shuffle_xor() const override;
  const char* function_specifiers() const override { return "static __device__ __forceinline__"; }
  std::string file_prologue(bool uses_float64) const override;
  std::string kernel_head(const std::string& name,
                          const std::optional<std::array<std::int64_t, 3>>& block) const override;
  std::string parameter(const std::string& type, const std::string& name, bool is_const, bool alone) const override;
  std::string index(ir::LoopKind kind) const override;
  const char* barrier() const override { return "__syncthreads();"; }
  std::string asynchronous_copy(int bytes) const override;
  std::string wait_for_copies(int pending) const override;
  const char* commit_copies() const override { return "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");"; }
  const char* proxy_fence() const override {
    return "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");";
  }
  TensorFunction tensor_function(const ir::TensorInstruction& instruction) const override;
  std::vector<std::string> shared(const std::vector<SharedArray>& arrays, std::int64_t bytes) const override;
  std::string vector_type(ir::Type element, int lanes) const override;
  std::string vector_at(const std::string& element, const std::string& type, ir::Scope scope,
                        bool is_const) const override;
  std::string vector_lane(const std::string& vector, ir::Type element, int lanes, int lane) const override;
  std::string make_vector(ir::Type element, const std::vector<std::string>& lanes) const override;
  std::string non_temporal_store(const std::string& place, const std::string& value) const override;

 private:
  TensorFunction warpgroup_function(const ir::TensorInstruction& instruction) const;
};

}  // namespace nestwright::codegen
