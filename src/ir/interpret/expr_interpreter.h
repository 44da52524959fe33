// What the interpreter does within a statement: it computes expressions, for one iteration and one vector lane at a
// time, and reaches the elements of buffers; and what it says where that is a fault. Private to ir/. Thread rule: none;
// one belongs to one run of the interpreter.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ir/interpret/frame.h"

namespace nestwright::ir {

class ExprInterpreter {
 protected:
  explicit ExprInterpreter(std::string program) : program_(std::move(program)) {}

  /// In one lane; a scalar is the same in all.
  Scalar evaluate(const Expr& e, int lane, Frame& frame);
  std::int64_t integer(const Expr& e, Frame& frame) { return evaluate(e, 0, frame).i; }
  /// All lanes, also those that no one will look at: so it is no fault yet where one cannot be computed.
  std::vector<Frame::Lane> hold(const Expr& value, Frame& frame);

  Storage& find(const Buffer& buffer, Frame& frame);
  void shape_storage(Storage& storage, const BufferNode& buffer, Frame& frame);
  /// The element's place in memory, in elements.
  std::size_t locate(const Buffer& buffer, const std::vector<Expr>& indices, int lane, Frame& frame);
  void write(const Buffer& buffer, std::size_t element, Scalar value, Frame& frame);
  /// "C[3, 4]", with the values that the indices have.
  std::string name(const Buffer& buffer, const std::vector<Expr>& indices, int lane, Frame& frame);

  /// Throws Error, which names the statement and the variables of `frame`.
  [[noreturn]] void fail(const std::string& what, const Frame* frame = nullptr) const;

  RaceDetector races_;
  const Stmt* statement_ = nullptr;  ///< being executed; nullptr: none yet

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
  Scalar evaluate(const Reduce&, Type, int, Frame& frame);
  /// Of what may be evaluated but does not count: it must be in bounds, yet may read what was never written.
  Scalar discard(const Expr& e, int lane, Frame& frame);
  /// Stands for a value that cannot be computed: a fault unless it does not count (now, or not yet).
  Scalar undefined(Type type, const std::string& why, const Frame& frame);

  const std::string program_;
  int discarded_ = 0;       ///< what is being evaluated does not count
  bool holding_ = false;    ///< what is being evaluated is the value of a let: it may not count later on
  bool undefined_ = false;  ///< it cannot be computed
};

}  // namespace nestwright::ir
