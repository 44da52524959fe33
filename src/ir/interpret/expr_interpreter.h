// The expression half of the interpreter: evaluates expressions for one iteration and one vector lane at a time, and
// locates and accesses elements of buffers. Private to ir/.
// Thread rule: an object belongs to one run of the interpreter.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/interpret/frame.h"
#include "nestwright/program.h"

namespace nestwright::ir {

class ExprInterpreter {
 protected:
  /// `functions` must outlive the object.
  ExprInterpreter(std::string program, const std::map<std::string, ExternFunction>& functions)
      : program_(std::move(program)), functions_(functions) {}

  /// The value of `e` in one lane; a scalar has the same value in every lane.
  Scalar evaluate(const Expr& e, int lane, Frame& frame);
  std::int64_t integer(const Expr& e, Frame& frame) { return evaluate(e, 0, frame).i; }
  /// The values of all lanes of a let. Lanes may never be used, so one that cannot be computed is not a fault yet.
  std::vector<Frame::Lane> hold(const Expr& value, Frame& frame);

  Storage& find(const Buffer& buffer, Frame& frame);
  void shape_storage(Storage& storage, const BufferNode& buffer, Frame& frame);
  /// The offset of an element from the start of its storage, in elements.
  std::size_t locate(const Buffer& buffer, const std::vector<Expr>& indices, int lane, Frame& frame);
  void write(const Buffer& buffer, std::size_t element, Scalar value, Frame& frame);
  /// The access as messages name it, with the values of the indices: "C[3, 4]".
  std::string name(const Buffer& buffer, const std::vector<Expr>& indices, int lane, Frame& frame);

  /// Throws Error with `what`, the statement and the variables of `frame`.
  [[noreturn]] void fail(const std::string& what, const Frame* frame = nullptr) const;

  RaceDetector races_;
  const Stmt* statement_ = nullptr;  ///< the one being executed; nullptr before the first

 private:
  Scalar evaluate(const IntImm& value, Type, int, Frame&) { return integer_scalar(value.value); }
  Scalar evaluate(const FloatImm& value, Type, int, Frame&) { return float_scalar(value.value); }
  Scalar evaluate(const VarRef& ref, Type type, int lane, Frame& frame);
  Scalar evaluate(const Binary& binary, Type type, int lane, Frame& frame);
  Scalar evaluate(const Not& value, Type, int lane, Frame& frame);
  Scalar evaluate(const Select& select, Type, int lane, Frame& frame);
  Scalar evaluate(const Cast& cast, Type type, int lane, Frame& frame);
  Scalar evaluate(const Load& load, Type type, int lane, Frame& frame);
  Scalar evaluate(const Ramp& ramp, Type type, int lane, Frame& frame);
  Scalar evaluate(const Broadcast& broadcast, Type, int, Frame& frame);
  Scalar evaluate(const Call& call, Type type, int lane, Frame& frame);
  Scalar evaluate(const CallExtern& call, Type type, int lane, Frame& frame);
  Scalar evaluate(const Reduce&, Type, int, Frame& frame);
  /// Evaluates an operand whose value is not used: accesses must be in bounds, but may read uninitialised elements.
  Scalar discard(const Expr& e, int lane, Frame& frame);
  /// The placeholder for a value that cannot be computed; throws unless the value is discarded or held by a let.
  Scalar undefined(Type type, const std::string& why, const Frame& frame);

  const std::string program_;
  const std::map<std::string, ExternFunction>& functions_;
  int discarded_ = 0;       ///< depth of enclosing operands whose value is not used
  bool holding_ = false;    ///< the value of a let is being evaluated, which may never be used
  bool undefined_ = false;  ///< the value being evaluated cannot be computed
};

}  // namespace nestwright::ir
