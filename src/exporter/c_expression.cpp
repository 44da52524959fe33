#include "exporter/c_expression.h"

#include <fmt/format.h>

#include "ir/linear.h"
#include "support/error.h"

namespace nestwright {
namespace {

std::int64_t constant(const Expr& e) {
  const std::int64_t* value = ir::as_const_int(e);
  if (value == nullptr) throw UsageError("a kernel with symbolic extents cannot be exported: give constant sizes");
  return *value;
}

std::string c_float(double value) {
  std::string text = fmt::format("{:.17g}", value);
  // Without it, 1/2 would be an integer division in C.
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

std::string c_variable(const ir::Var& var, const CNames& names) {
  const auto name = names.variables.find(var);
  if (name == names.variables.end()) throw UsageError("the operator reads " + var.name() + ", which is no axis of it");
  return name->second;
}

std::string c_load(const ir::Load& load, const CNames& names) {
  const auto array = names.arrays.find(load.buffer);
  if (array == names.arrays.end()) {
    throw UsageError("the operator reads " + load.buffer->name + ", which is not an argument");
  }
  Expr offset = 0;
  for (int d = 0; d < load.buffer->rank(); ++d) offset = offset + load.indices[d] * load.buffer->stride(d);
  return fmt::format("(double){}[{}]", array->second, c_expression(ir::to_linear(offset).expr(), names));
}

std::string c_binary(const ir::Binary& b, const CNames& names) {
  const std::string left = c_expression(b.a, names), right = c_expression(b.b, names);
  if (b.op == ir::BinaryOp::kMin) return fmt::format("({0} < {1} ? {0} : {1})", left, right);
  if (b.op == ir::BinaryOp::kMax) return fmt::format("({0} > {1} ? {0} : {1})", left, right);
  return fmt::format("({} {} {})", left, ir::binary_op_name(b.op), right);
}

/// A cast to a narrower float keeps its digits: the reference is as exact as double is.
std::string c_cast(const Expr& e, const CNames& names) {
  const ir::Type type = e.type();
  if (!type.is_float() && !type.is_int()) throw UsageError("the self-test cannot express a cast to " + type.str());
  return fmt::format("({})({})", type.is_float() ? "double" : "long", c_expression(e.as<ir::Cast>()->value, names));
}

/// The text of a function's body, with its indentation.
class CBody {
 public:
  void line(const std::string& text) { text_ += indent_ + text + "\n"; }
  void open(const std::string& head) {
    line(head + " {");
    indent_ += "  ";
  }
  void close() {
    indent_.resize(indent_.size() - 2);
    line("}");
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_, indent_ = "  ";
};

}  // namespace

std::string c_expression(const Expr& e, const CNames& names) {
  return std::visit(
      ir::overloaded{
          [](const ir::IntImm& n) { return std::to_string(n.value); },
          [](const ir::FloatImm& n) { return c_float(n.value); },
          [&](const ir::VarRef& n) { return c_variable(n.var, names); },
          [&](const ir::Binary& n) { return c_binary(n, names); },
          [&](const ir::Not& n) { return fmt::format("!({})", c_expression(n.a, names)); },
          [&](const ir::Select& n) {
            return fmt::format("({} ? {} : {})", c_expression(n.condition, names), c_expression(n.if_true, names),
                               c_expression(n.if_false, names));
          },
          [&](const ir::Cast&) { return c_cast(e, names); },
          [&](const ir::Load& n) { return c_load(n, names); },
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

std::string c_element(const Operation& op, const CNames& names) {
  const ComputeOp& compute = *op.compute();
  if (compute.bodies.size() != 1) throw UsageError("the self-test can express no operator of several results");
  const ir::Reduce* reduce = compute.reduction();
  if (reduce != nullptr && reduce->reducer != ir::ReducerKind::kSum) {
    throw UsageError("the self-test can express no reductions but sums");
  }
  // Names of our own: those of axes are for people, and need not be C's nor different.
  CNames all = names;
  const std::size_t rank = compute.axes.size();
  for (std::size_t d = 0; d < rank; ++d) all.variables[compute.axes[d].var()] = fmt::format("i{}", d);
  for (std::size_t d = 0; d < compute.reduce_axes.size(); ++d) {
    all.variables[compute.reduce_axes[d].var()] = fmt::format("r{}", d);
  }
  const std::string term = c_expression(compute.values()[0], all);

  CBody body;
  std::int64_t stride = 1;
  for (std::size_t d = rank; d-- > 0;) {
    const std::int64_t extent = constant(compute.axes[d].extent());
    const std::string name = fmt::format("i{}", d);
    if (term.find(name) != std::string::npos) {
      body.line(fmt::format("const long {} = element / {} % {};", name, stride, extent));
    }
    stride *= extent;
  }
  body.line("*value = *size = 0;");
  for (const IterVar& axis : compute.reduce_axes) {
    const std::int64_t first = constant(axis.min());
    body.open(fmt::format("for (long {0} = {1}; {0} < {2}; ++{0})", all.variables[axis.var()], first,
                          first + constant(axis.extent())));
  }
  body.line(fmt::format("const double term = {};", term));
  body.line("*value += term;");
  body.line("*size += fabs(term);");
  for (std::size_t d = 0; d < compute.reduce_axes.size(); ++d) body.close();
  return std::move(body).text();
}

}  // namespace nestwright
