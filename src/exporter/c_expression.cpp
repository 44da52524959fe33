#include "exporter/c_expression.h"

#include <fmt/format.h>

#include "ir/linear.h"
#include "support/error.h"

namespace nestwright {
namespace {

std::int64_t constant(const Expr& e) {
  const std::int64_t* value = ir::as_const_int(e);
  if (value == nullptr) throw UsageError("a kernel with symbolic extents cannot be exported yet: give constant sizes");
  return *value;
}

std::string c_load(const ir::Load& load, const CArrays& arrays) {
  const auto array = arrays.find(load.buffer);
  if (array == arrays.end()) throw UsageError("the operator reads " + load.buffer->name + ", which is not an argument");
  Expr offset = 0;
  for (int d = 0; d < load.buffer->rank(); ++d) offset = offset + load.indices[d] * load.buffer->stride(d);
  return fmt::format("(double){}[{}]", array->second, c_expression(ir::to_linear(offset).expr(), arrays));
}

std::string c_binary(const ir::Binary& b, const CArrays& arrays) {
  const std::string left = c_expression(b.a, arrays), right = c_expression(b.b, arrays);
  if (b.op == ir::BinaryOp::kMin) return fmt::format("({0} < {1} ? {0} : {1})", left, right);
  if (b.op == ir::BinaryOp::kMax) return fmt::format("({0} > {1} ? {0} : {1})", left, right);
  return fmt::format("({} {} {})", left, ir::binary_op_name(b.op), right);
}

}  // namespace

std::string c_expression(const Expr& e, const CArrays& arrays) {
  return std::visit(
      ir::overloaded{
          [](const ir::IntImm& n) { return std::to_string(n.value); },
          [](const ir::FloatImm& n) { return fmt::format("{:.17g}", n.value); },
          [](const ir::VarRef& n) { return n.var.name(); },
          [&](const ir::Binary& n) { return c_binary(n, arrays); },
          [&](const ir::Not& n) { return fmt::format("!({})", c_expression(n.a, arrays)); },
          [&](const ir::Select& n) {
            return fmt::format("({} ? {} : {})", c_expression(n.condition, arrays), c_expression(n.if_true, arrays),
                               c_expression(n.if_false, arrays));
          },
          [&](const ir::Cast& n) { return fmt::format("(double)({})", c_expression(n.value, arrays)); },
          [&](const ir::Load& n) { return c_load(n, arrays); },
          [](const auto&) -> std::string {
            throw UsageError("the operator's expression has a part that the self-test cannot express in C");
          },
      },
      e.node().value);
}

std::int64_t reduction_length(const Operation& op) {
  std::int64_t length = 1;
  for (const IterVar& axis : op.compute()->reduce_axes) length *= constant(axis.extent());
  return length;
}

std::string c_reference(const Operation& op, const CArrays& arrays, const std::string& out, const std::string& magnitude) {
  const ComputeOp& compute = *op.compute();
  std::string text, indent = "  ";
  const auto open = [&](const IterVar& axis) {
    const std::int64_t first = constant(axis.min());
    text += fmt::format("{0}for (long {1} = {2}; {1} < {3}; ++{1}) {{\n", indent, axis.name(), first,
                        first + constant(axis.extent()));
    indent += "  ";
  };
  const auto close = [&] {
    indent.resize(indent.size() - 2);
    text += indent + "}\n";
  };
  Expr offset = 0;
  for (std::size_t d = 0; d < compute.axes.size(); ++d) {
    open(compute.axes[d]);
    offset = offset + Expr(compute.axes[d]) * op->result->stride(static_cast<int>(d));
  }
  const auto* reduce = compute.body.as<ir::Reduce>();
  if (reduce != nullptr && reduce->reducer != ir::ReducerKind::kSum) {
    throw UsageError("the self-test can express sums only");
  }
  text += indent + "double value = 0, size = 0;\n";
  for (const IterVar& axis : compute.reduce_axes) open(axis);
  text += fmt::format("{}const double term = {};\n", indent, c_expression(reduce ? reduce->value : compute.body, arrays));
  text += indent + "value += term;\n" + indent + "size += term < 0 ? -term : term;\n";
  for (std::size_t i = 0; i < compute.reduce_axes.size(); ++i) close();
  const std::string index = c_expression(ir::to_linear(offset).expr(), arrays);
  text += fmt::format("{}{}[{}] = value;\n{}{}[{}] = size;\n", indent, out, index, indent, magnitude, index);
  for (std::size_t i = 0; i < compute.axes.size(); ++i) close();
  return text;
}

}  // namespace nestwright
