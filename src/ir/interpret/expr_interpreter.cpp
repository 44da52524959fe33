#include "ir/interpret/expr_interpreter.h"

#include <array>

#include "ir/core/fold.h"
#include "ir/traversal/quote.h"
#include "nestwright/error.h"

namespace nestwright::ir {
namespace {

std::string describe(const Race& race, const std::string& buffer) {
  return std::string("race in the ") + loop_kind_name(race.loop->kind) + " loop over " + race.loop->var.name() +
         ": its iterations " + std::to_string(race.first) + " and " + std::to_string(race.second) +
         " touch one element of " + buffer + ", and one of them writes it";
}

}  // namespace

std::vector<Frame::Lane> ExprInterpreter::hold(const Expr& value, Frame& frame) {
  std::vector<Frame::Lane> lanes;
  const auto count = static_cast<std::size_t>(value.lanes());
  for (std::size_t lane = 0; lane < count; ++lane) {
    const bool off = count > 1 && frame.mask.size() == count && !frame.mask[lane];
    undefined_ = off;
    holding_ = true;
    const Scalar held = off ? integer_scalar(0) : evaluate(value, static_cast<int>(lane), frame);
    holding_ = false;
    lanes.push_back({held, !undefined_});
  }
  return lanes;
}

Scalar ExprInterpreter::undefined(Type type, const std::string& why, const Frame& frame) {
  if (discarded_ == 0 && !holding_) fail(why, &frame);
  undefined_ |= discarded_ == 0;
  return type.is_float() ? float_scalar(0) : integer_scalar(0);
}

Scalar ExprInterpreter::evaluate(const Expr& e, int lane, Frame& frame) {
  const ExprNode& node = e.node();
  return std::visit([&](const auto& value) { return evaluate(value, node.type.element(), lane, frame); }, node.value);
}

Scalar ExprInterpreter::evaluate(const VarRef& ref, Type type, int lane, Frame& frame) {
  for (auto it = frame.variables.rbegin(); it != frame.variables.rend(); ++it) {
    if (it->var->id() != ref.var.id()) continue;
    if (it->lanes.empty()) return it->value;
    const Frame::Lane& held = it->lanes[it->lanes.size() == 1 ? 0 : static_cast<std::size_t>(lane)];
    if (!held.defined) return undefined(type, "variable " + ref.var.name() + " has no value that can be used", frame);
    return held.value;
  }
  fail("variable " + ref.var.name() + " is used outside of its definition", &frame);
}

Scalar ExprInterpreter::evaluate(const Binary& binary, Type type, int lane, Frame& frame) {
  const Scalar a = evaluate(binary.a, lane, frame);
  // The right operand of && and || may be evaluated even where its value is not used.
  const bool unused = (binary.op == BinaryOp::kAnd && a.i == 0) || (binary.op == BinaryOp::kOr && a.i != 0);
  const Scalar b = unused ? discard(binary.b, lane, frame) : evaluate(binary.b, lane, frame);
  const bool divides = binary.op == BinaryOp::kDiv || binary.op == BinaryOp::kMod;
  if (divides && type.is_int() && b.i == 0) return undefined(type, "division by 0", frame);
  try {
    return apply_binary(binary.op, binary.a.node().type.element(), a, b);
  } catch (const Error& error) {
    fail(error.what(), &frame);
  }
}

Scalar ExprInterpreter::evaluate(const Not& value, Type, int lane, Frame& frame) {
  return integer_scalar(evaluate(value.a, lane, frame).i == 0 ? 1 : 0);
}

Scalar ExprInterpreter::evaluate(const Select& select, Type, int lane, Frame& frame) {
  const bool first = evaluate(select.condition, lane, frame).i != 0;
  discard(first ? select.if_false : select.if_true, lane, frame);
  return evaluate(first ? select.if_true : select.if_false, lane, frame);
}

Scalar ExprInterpreter::evaluate(const Cast& cast, Type type, int lane, Frame& frame) {
  return apply_cast(cast.value.type().element(), type, evaluate(cast.value, lane, frame));
}

Scalar ExprInterpreter::evaluate(const Load& load, Type type, int lane, Frame& frame) {
  if (load.mask.defined() && evaluate(load.mask, lane, frame).i == 0)
    return type.is_float() ? float_scalar(0) : integer_scalar(0);
  const std::size_t element = locate(load.buffer, load.indices, lane, frame);
  Storage& storage = find(load.buffer, frame);
  if (!storage.history.empty()) {
    ElementHistory& history = storage.history[element];
    if (history.writer == 0)
      return undefined(type, name(load.buffer, load.indices, lane, frame) + " is read but was never written", frame);
    if (storage.in_flight.contains(element))
      fail(name(load.buffer, load.indices, lane, frame) + " is read while its copy is in flight", &frame);
    if (auto race = races_.read(history, frame.strand)) fail(describe(*race, load.buffer->name), &frame);
  }
  return read_element(type, storage.bytes.data() + element * static_cast<std::size_t>(type.bytes()));
}

Scalar ExprInterpreter::evaluate(const Ramp& ramp, Type type, int lane, Frame& frame) {
  const Scalar step = apply_cast(kIndex, type, integer_scalar(lane));
  const Scalar offset = apply_binary(BinaryOp::kMul, type, step, evaluate(ramp.stride, 0, frame));
  return apply_binary(BinaryOp::kAdd, type, evaluate(ramp.base, 0, frame), offset);
}

Scalar ExprInterpreter::evaluate(const Broadcast& broadcast, Type, int, Frame& frame) {
  return evaluate(broadcast.value, 0, frame);
}

Scalar ExprInterpreter::evaluate(const Call& call, Type type, int lane, Frame& frame) {
  if (call.intrinsic == Intrinsic::kReinterpret)
    return apply_reinterpret(call.args[0].type().element(), type, evaluate(call.args[0], lane, frame));
  std::array<Scalar, 4> args;  // the most that an intrinsic takes
  for (std::size_t i = 0; i < call.args.size() && i < args.size(); ++i) {
    args[i] = evaluate(call.args[i], lane, frame);
  }
  try {
    return apply_intrinsic(call.intrinsic, type, args.data());
  } catch (const Error& error) {
    fail(error.what(), &frame);
  }
}

Scalar ExprInterpreter::evaluate(const CallExtern& call, Type type, int lane, Frame& frame) {
  const auto function = functions_.find(call.function);
  if (function == functions_.end()) {
    fail("the C function " + call.function + " is called, but the interpreter was not given it (InterpretOptions)",
         &frame);
  }
  std::vector<Scalar> args;
  for (const Expr& arg : call.args) args.push_back(evaluate(arg, lane, frame));
  const Scalar value = function->second(args);
  return type.is_float() ? float_scalar(round_float(value.f, type)) : integer_scalar(wrap_int(value.i, type));
}

Scalar ExprInterpreter::evaluate(const Reduce&, Type, int, Frame& frame) {
  fail("a reduction was left unlowered", &frame);
}

Scalar ExprInterpreter::discard(const Expr& e, int lane, Frame& frame) {
  ++discarded_;
  const Scalar value = evaluate(e, lane, frame);
  --discarded_;
  return value;
}

void ExprInterpreter::write(const Buffer& buffer, std::size_t element, Scalar value, Frame& frame) {
  Storage& storage = find(buffer, frame);
  if (buffer->scope == Scope::kFragment) {
    storage.history[element] = {RaceDetector::kRoot, 0, 0};
  } else if (auto race = races_.write(storage.history[element], frame.strand)) {
    fail(describe(*race, buffer->name), &frame);
  }
  if (storage.in_flight.contains(element))
    fail("an element of " + buffer->name + " is written while its copy is in flight", &frame);
  const Type type = buffer->element;
  write_element(type, value, storage.bytes.data() + element * static_cast<std::size_t>(type.bytes()));
}

void ExprInterpreter::shape_storage(Storage& storage, const BufferNode& buffer, Frame& frame) {
  for (int d = 0; d < buffer.rank(); ++d) {
    storage.shape.push_back(integer(buffer.shape[static_cast<std::size_t>(d)], frame));
    storage.strides.push_back(integer(buffer.stride(d), frame));
  }
}

Storage& ExprInterpreter::find(const Buffer& buffer, Frame& frame) {
  for (auto it = frame.buffers.rbegin(); it != frame.buffers.rend(); ++it)
    if (it->first == buffer.operator->()) return *it->second;
  fail("buffer " + buffer->name + " is neither a parameter nor allocated here", &frame);
}

std::size_t ExprInterpreter::locate(const Buffer& buffer, const std::vector<Expr>& indices, int lane, Frame& frame) {
  const Storage& storage = find(buffer, frame);
  std::int64_t element = 0;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const std::int64_t index = evaluate(indices[d], lane, frame).i;
    if (index < 0 || index >= storage.shape[d])
      fail("index " + std::to_string(index) + " of dimension " + std::to_string(d) + " is out of bounds: " +
               name(buffer, indices, lane, frame) + " has extent " + std::to_string(storage.shape[d]) + " there",
           &frame);
    element += index * storage.strides[d];
  }
  const auto bytes = static_cast<std::size_t>(buffer->element.bytes());
  if (element < 0 || (static_cast<std::size_t>(element) + 1) * bytes > storage.bytes.size())
    fail(name(buffer, indices, lane, frame) + " lies beyond the " + std::to_string(storage.bytes.size()) +
             " bytes of " + buffer->name,
         &frame);
  return static_cast<std::size_t>(element);
}

std::string ExprInterpreter::name(const Buffer& buffer, const std::vector<Expr>& indices, int lane, Frame& frame) {
  std::string text = buffer->name + "[";
  for (std::size_t d = 0; d < indices.size(); ++d)
    text += (d > 0 ? ", " : "") + std::to_string(evaluate(indices[d], lane, frame).i);
  return text + "]";
}

void ExprInterpreter::fail(const std::string& what, const Frame* frame) const {
  std::string values;
  if (frame)
    for (const Frame::Variable& variable : frame->variables)
      if (!variable.var->type().is_float())
        values += (values.empty() ? " with " : ", ") + variable.var->name() + " = " + std::to_string(variable.value.i);
  throw Error(program_ + ": " + what + "; in " + (statement_ ? quote(*statement_) : "`the signature`") + values);
}

}  // namespace nestwright::ir
