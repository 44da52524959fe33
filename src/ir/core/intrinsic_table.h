// What each intrinsic is: one row of one table, which type checks, the interpreter, the counts of arithmetic and the
// printers of sources read. What only one emitter knows is in that emitter: codegen/llvm/emit_intrinsic.cpp,
// codegen/source/expression.cpp, and lower/elementary.cpp for what is expanded into arithmetic.
// Thread rule: constants.
#pragma once

#include "ir/core/scalar.h"

namespace nestwright::ir {

/// On which element types an intrinsic is defined, as the type of its result.
enum class Domain : std::uint8_t {
  kAnyType,
  kBools,
  kFloats,   ///< every floating-point type
  kNumbers,  ///< floating-point types and integers
  kFloat32Only,
  kInt32Only,
};

struct IntrinsicInfo {
  Intrinsic intrinsic;
  const char* name;
  int arity;
  Domain domain;
  /// The arguments before this one have the type of the result, those from here on are of int32.
  int first_int32;
  /// The value for `arity` arguments; `type` is an element type of the domain.
  Scalar (*evaluate)(Type type, const Scalar* args);
  int operations;  ///< of arithmetic, where operations are counted
  int products;    ///< pairs of arguments' elements that are multiplied and added to a sum
  /// The function of C's mathematics that computes it on float64 (with an "f" behind it, on float32), or nullptr.
  const char* libm;
  /// The built-in function of CUDA and OpenCL C on floating-point types, or nullptr where the emitter writes it.
  const char* device;
};

inline constexpr Intrinsic kLastIntrinsic = Intrinsic::kVdpbf16ps;

const IntrinsicInfo& intrinsic_info(Intrinsic intrinsic);

/// The type of argument `i` of a call with a result of type `result`. Not of kReinterpret, whose argument has any type
/// of as many bits and lanes.
Type argument_type(Intrinsic intrinsic, std::size_t i, Type result);
/// The element type that the results must have: that of `type`, but where the domain is one type alone.
Type only_element(Intrinsic intrinsic, Type type);

}  // namespace nestwright::ir
