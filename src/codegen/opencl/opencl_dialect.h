// OpenCL C 1.2. Thread rule: Dialect's.
#pragma once

#include "codegen/source/dialect.h"

namespace nestwright::codegen {

class OpenClDialect final : public Dialect {
 public:
  const char* integer_type(ir::Type type) const override;
  const char* wide_suffix() const override { return "L"; }
  std::string function(std::string_view name, ir::Type type) const override;
  std::string bits_of(const std::string& value, ir::Type type) const override;
  std::string of_bits(const std::string& bits, ir::Type type) const override;
  std::string narrow_floats(ir::Type type) const override;
  const char* function_specifiers() const override { return "static inline"; }
  std::string file_prologue(bool uses_float64) const override;
  std::string kernel_head(const std::string& name,
                          const std::optional<std::array<std::int64_t, 3>>& block) const override;
  std::string parameter(const std::string& type, const std::string& name, bool is_const, bool alone) const override;
  std::string index(ir::LoopKind kind) const override;
  const char* barrier() const override { return "barrier(CLK_LOCAL_MEM_FENCE);"; }
  std::vector<std::string> shared(const std::vector<SharedArray>& arrays, std::int64_t bytes) const override;
  std::string vector_type(ir::Type element, int lanes) const override;
  std::string vector_at(const std::string& element, const std::string& type, ir::Scope scope,
                        bool is_const) const override;
  std::string vector_lane(const std::string& vector, ir::Type element, int lanes, int lane) const override;
  std::string make_vector(ir::Type element, const std::vector<std::string>& lanes) const override;
  std::string non_temporal_store(const std::string& place, const std::string& value) const override;
};

}  // namespace nestwright::codegen
