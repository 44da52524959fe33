// The functions that a source defines for its kernels because neither language has them with the IR's semantics: floor
// division, minimum and maximum, saturating casts, 16-bit floats, products of words. A source defines those that it
// calls. Thread rule: an object belongs to one thread.
#pragma once

#include <set>
#include <string>

#include "codegen/source/dialect.h"

namespace nestwright::codegen {

class Prelude {
 public:
  explicit Prelude(const Dialect& dialect) : dialect_(dialect) {}

  /// Each returns the name of a function and defines it on the first call. Integers of less than 32 bits use the
  /// functions of int32.
  std::string floor_div(ir::Type type);  ///< (a, b), of int32 or int64; any value if b is 0
  std::string floor_mod(ir::Type type);
  std::string div(ir::Type type);  ///< of uint32 or uint64
  std::string mod(ir::Type type);
  std::string min(ir::Type type);  ///< of a type of 32 or 64 bits
  std::string max(ir::Type type);
  std::string abs(ir::Type type);                             ///< of int32 or int64; the lowest integer wraps around
  std::string shift(ir::Intrinsic direction, ir::Type type);  ///< kShiftLeft or kShiftRight of an integer type
  std::string saturate(ir::Type to, ir::Type from);           ///< to an integer, from float32 or float64
  std::string widen(ir::Type type);                           ///< the float32 of the bits of a 16-bit float
  std::string narrow(ir::Type type);                          ///< the bits of a float32 rounded to a 16-bit float
  std::string scale(ir::Type type);                           ///< (x, n), of float32 or float64
  std::string round_tf32();                                   ///< (x), of float32
  std::string word_function(ir::Intrinsic intrinsic);         ///< of kJoinBytes and the intrinsics after it

  std::string swizzle(ir::Type type);  ///< (index), for a swizzled buffer (ir/gpu/swizzle.h)
  std::string copy(int bytes);         ///< (to, from, condition), asynchronous

  std::string tensor_function(const ir::TensorInstruction& instruction);  ///< takes the instruction's operands

  /// The definitions of all functions named so far.
  const std::string& text() const { return text_; }

 private:
  /// Defines `name`, unless it is defined: "specifiers result name" + `rest`.
  std::string define(const std::string& result, const std::string& name, const std::string& rest);
  std::string extremum(const char* name, char order, ir::Type type);
  void define_narrow(ir::Type type);

  const Dialect& dialect_;
  std::set<std::string> defined_;
  std::string text_;
};

}  // namespace nestwright::codegen
