// What CUDA C++ and OpenCL C spell differently; all else is C that both understand.
// Thread rule: immutable; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/stmt.h"

namespace nestwright::codegen {

class Dialect {
 public:
  virtual ~Dialect() = default;

  /// Of 8 to 64 bits.
  virtual const char* integer_type(ir::Type type) const = 0;
  /// Of an element where it is computed with: float16 and bfloat16 are floats there.
  const char* value_type(ir::Type type) const;
  /// Of an element where it is stored: of float16, bfloat16 and bool the bits.
  const char* memory_type(ir::Type type) const;
  /// What makes an integer literal one of 64 bits.
  virtual const char* wide_suffix() const = 0;
  std::string integer_literal(std::int64_t value, ir::Type type) const;
  /// Exactly `value`, infinities and NaN included. Of float32 or float64.
  std::string float_literal(double value, ir::Type type) const;

  /// The library's function of that name on float32 or float64.
  virtual std::string function(std::string_view name, ir::Type type) const = 0;
  /// The bits of `value`, a float32 or float64, as an unsigned integer, and the way back.
  virtual std::string bits_of(const std::string& value, ir::Type type) const = 0;
  virtual std::string of_bits(const std::string& bits, ir::Type type) const = 0;
  /// Functions nw_float32_of_X of bits and nw_X_of_float32, which rounds to nearest even. X: float16 or bfloat16.
  virtual std::string narrow_floats(ir::Type type) const = 0;
  /// A function f(value, bit) for kShuffleXor, up to its first argument: "f(". Throws InternalError where there is
  /// none.
  virtual const char* shuffle_xor() const;
  /// What functions begin with that kernels call.
  virtual const char* function_head() const = 0;

  /// What the file begins with.
  virtual std::string opening(bool uses_float64) const = 0;
  /// Up to its arguments. `block`: the threads of a block, where they are constant.
  virtual std::string kernel_head(const std::string& name,
                                  const std::optional<std::array<std::int64_t, 3>>& block) const = 0;
  /// A pointer of the kernel's arguments; nothing else points to what an `alone` one does.
  virtual std::string parameter(const std::string& type, const std::string& name, bool is_const, bool alone) const = 0;
  /// blockIdx.x, threadIdx.x ... as an int. Requires a loop bound to one.
  virtual std::string index(ir::LoopKind kind) const = 0;
  virtual const char* barrier() const = 0;
  /// Asynchronous copies (ir::Store), where the device has them. asynchronous_copy() defines a function nw_copy_N(to,
  /// from, condition), which copies `bytes` bytes where the condition holds and else writes zeros. A kernel that has
  /// such copies has wait_for_copies() in front of its barriers: it waits for all groups but the latest `pending`, and
  /// where `pending` is 0 for the copies that are in no group, too.
  virtual std::string asynchronous_copy(int bytes) const;
  virtual std::string wait_for_copies(int /*pending*/) const { return ""; }
  /// Makes a group of the copies since the last one.
  virtual const char* commit_copies() const { return ""; }
  /// Makes what a thread stored to shared memory known to kWarpgroupMultiply; stands in front of barriers.
  virtual const char* proxy_fence() const { return ""; }

  /// A function that takes the operands of such an instruction. Requires one that the device has.
  struct TensorFunction {
    std::string name, text;
    std::string helper = {}, helper_text = {};  ///< a function that the text calls; empty: none
  };
  virtual TensorFunction tensor_function(const ir::TensorInstruction& instruction) const;

  struct SharedArray {
    std::string type, name;
    std::int64_t elements;
    std::int64_t offset;  ///< in the block's shared memory, bytes
  };
  /// Declarations of a kernel's shared buffers, of so many bytes together.
  virtual std::vector<std::string> shared(const std::vector<SharedArray>& arrays, std::int64_t bytes) const = 0;

  /// The type that moves so many elements by one access, at most 16 bytes and at least two elements; empty: none.
  virtual std::string vector_type(ir::Type element, int lanes) const = 0;
  /// The place of a vector at the address of `element`.
  virtual std::string vector_at(const std::string& element, const std::string& type, ir::Scope scope,
                                bool is_const) const = 0;
  /// Element `lane`, of the memory type, of the variable `vector`.
  virtual std::string vector_lane(const std::string& vector, ir::Type element, int lanes, int lane) const = 0;
  /// The vector of these elements, of the memory type.
  virtual std::string make_vector(ir::Type element, const std::vector<std::string>& lanes) const = 0;
  /// A store that need not go through the caches, where there is one; else a plain one.
  virtual std::string stream(const std::string& place, const std::string& value) const = 0;
};

}  // namespace nestwright::codegen
