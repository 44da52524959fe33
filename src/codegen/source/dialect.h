// The spellings in which CUDA C++ and OpenCL C differ; the rest of a source is C that both accept.
// Thread rule: immutable; any number of threads at once. Units: sizes and offsets are in bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/program.h"

namespace nestwright::codegen {

/// The unsigned integer type with as many bits as `type`.
inline ir::Type unsigned_of(ir::Type type) { return {ir::TypeCode::kUInt, type.bits, 1}; }

class Dialect {
 public:
  virtual ~Dialect() = default;

  /// The type of an integer of 8 to 64 bits.
  virtual const char* integer_type(ir::Type type) const = 0;
  /// The type of an element's value in arithmetic: float for float16 and bfloat16.
  const char* value_type(ir::Type type) const;
  /// The type of an element in memory: an unsigned integer for float16, bfloat16 and bool.
  const char* memory_type(ir::Type type) const;
  /// The suffix of a 64-bit integer literal.
  virtual const char* wide_suffix() const = 0;
  std::string integer_literal(std::int64_t value, ir::Type type) const;
  /// A literal that is exactly `value`, infinities and NaN included. Requires float32 or float64.
  std::string float_literal(double value, ir::Type type) const;

  /// The library function `name` on float32 or float64.
  virtual std::string function(std::string_view name, ir::Type type) const = 0;
  /// The bits of `value`, a float32 or float64, as an unsigned integer.
  virtual std::string bits_of(const std::string& value, ir::Type type) const = 0;
  /// The inverse of bits_of().
  virtual std::string of_bits(const std::string& bits, ir::Type type) const = 0;
  /// The definitions of nw_float32_of_X, which takes the bits of an X, and nw_X_of_float32, which rounds to nearest
  /// even and returns bits. X is float16 or bfloat16.
  virtual std::string narrow_floats(ir::Type type) const = 0;
  /// The start of a call f(value, bit) for kShuffleXor, up to the first argument: "f(". Throws InternalError if the
  /// dialect has none.
  virtual const char* shuffle_xor() const;
  /// The specifiers of functions that kernels call.
  virtual const char* function_specifiers() const = 0;

  /// The beginning of the file.
  virtual std::string file_prologue(bool uses_float64) const = 0;
  /// The declaration of a kernel up to its arguments. `block` has the threads of a block; absent if not constant.
  virtual std::string kernel_head(const std::string& name,
                                  const std::optional<std::array<std::int64_t, 3>>& block) const = 0;
  /// The declaration of a pointer argument of a kernel. With `alone` it does not alias any other (restrict).
  virtual std::string parameter(const std::string& type, const std::string& name, bool is_const, bool alone) const = 0;
  /// The thread or block index of a bound loop (blockIdx.x, ...) as an int.
  virtual std::string index(ir::LoopKind kind) const = 0;
  virtual const char* barrier() const = 0;
  /// Asynchronous copies (ir::Store), if the device has them. asynchronous_copy() defines a function nw_copy_N(to,
  /// from, condition), which copies N = `bytes` bytes if the condition holds and else writes zeros. A kernel with such
  /// copies calls wait_for_copies() before each barrier: it waits for all groups except the latest `pending` ones, and
  /// if `pending` is 0, also for copies that belong to no group.
  virtual std::string asynchronous_copy(int bytes) const;
  virtual std::string wait_for_copies(int /*pending*/) const { return ""; }
  /// Commits the copies since the last group as a new group.
  virtual const char* commit_copies() const { return ""; }
  /// Makes a thread's stores to shared memory visible to kWarpgroupMultiply. Requires a barrier after it.
  virtual const char* proxy_fence() const { return ""; }

  /// The function that executes a tensor instruction; its parameters are the operands. Requires an instruction that the
  /// device has.
  struct TensorFunction {
    std::string name, text;
    std::string helper = {}, helper_text = {};  ///< a function that the text calls; empty: none
  };
  virtual TensorFunction tensor_function(const ir::TensorInstruction& instruction) const;

  struct SharedArray {
    std::string type, name;
    std::int64_t elements;
    std::int64_t offset;  ///< in the block's shared memory
    std::int64_t alignment;
  };
  /// The declarations of a kernel's shared arrays, which take `bytes` bytes together.
  virtual std::vector<std::string> shared(const std::vector<SharedArray>& arrays, std::int64_t bytes) const = 0;

  /// The type whose access moves `lanes` elements, at least two elements and at most 16 bytes; empty if there is none.
  virtual std::string vector_type(ir::Type element, int lanes) const = 0;
  /// The lvalue of the vector at the address of `element`.
  virtual std::string vector_at(const std::string& element, const std::string& type, ir::Scope scope,
                                bool is_const) const = 0;
  /// Element `lane` of the variable `vector`, in the memory type.
  virtual std::string vector_lane(const std::string& vector, ir::Type element, int lanes, int lane) const = 0;
  /// The vector of the elements `lanes`, which have the memory type.
  virtual std::string make_vector(ir::Type element, const std::vector<std::string>& lanes) const = 0;
  /// A non-temporal store if the dialect has one, else a plain store.
  virtual std::string non_temporal_store(const std::string& place, const std::string& value) const = 0;
};

}  // namespace nestwright::codegen
