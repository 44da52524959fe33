// The table of intrinsics, one row each: type checks, the interpreter, operation counts and source printers read it.
// What one emitter alone needs is in that emitter: codegen/llvm/emit_intrinsic.cpp, codegen/source/expression.cpp, and
// lower/support/elementary.cpp for intrinsics that are expanded into arithmetic.
// Thread rule: constants.
#pragma once

#include "ir/core/scalar.h"

namespace nestwright::ir {

/// The element types of the result on which an intrinsic is defined.
enum class Domain : std::uint8_t {
  kAnyType,
  kBools,
  kFloats,  ///< every floating-point type
  kIntegers,
  kNumbers,  ///< floating-point types and integers
  kFloat32Only,
  kInt32Only,
};

struct IntrinsicInfo {
  Intrinsic intrinsic;
  const char* name;
  int arity;
  Domain domain;
  /// The arguments before this one have the type of the result, the others int32.
  int first_int32;
  /// The value for `arity` arguments; `type` is an element type of the domain.
  Scalar (*evaluate)(Type type, const Scalar* args);
  int operations;  ///< arithmetic operations per element, as the cost model counts them
  int products;    ///< pairs of elements that are multiplied and accumulated
  /// The libm function that computes it on float64 (with the suffix "f", on float32), or nullptr.
  const char* libm;
  /// The built-in function of CUDA and OpenCL C on floating-point types, or nullptr where the emitter spells it.
  const char* device;
};

inline constexpr Intrinsic kLastIntrinsic = Intrinsic::kVdpbf16ps;

const IntrinsicInfo& intrinsic_info(Intrinsic intrinsic);

/// The type of argument `i` of a call with a result of type `result`. Not for kReinterpret, whose argument may have any
/// type with the same number of bits and lanes.
Type argument_type(Intrinsic intrinsic, std::size_t i, Type result);
/// The element type that results must have: that of the domain if the domain has only one, else that of `type`.
Type only_element(Intrinsic intrinsic, Type type);

}  // namespace nestwright::ir
