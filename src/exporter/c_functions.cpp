// A C function for each stage of an operator, which computes one element anew whenever it is called.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "exporter/c_expression.h"
#include "ir/rewrite.h"
#include "support/error.h"

namespace nestwright {
namespace {

std::int64_t constant(const Expr& e) {
  const std::int64_t* value = ir::as_const_int(e);
  if (value == nullptr) throw UsageError("a kernel with symbolic extents cannot be exported: give constant sizes");
  return *value;
}

const ComputeOp& computed(const Operation& op) {
  const ComputeOp& compute = *op.compute();
  if (compute.bodies.size() != 1) throw UsageError("the self-test can express no operator of several results");
  return compute;
}

/// How many values the reduction of `compute` combines, 1 where there is none.
std::int64_t length_of(const ComputeOp& compute) {
  std::int64_t length = 1;
  for (const IterVar& axis : compute.reduce_axes) length *= constant(axis.extent());
  return length;
}

std::string c_result(ir::Type type) {
  if (type.is_float()) return "struct number";
  return type.is_bool() ? "int" : "long";
}

/// What a reduction starts from, and what `total` and `term` become. Sums of numbers are apart.
struct Combination {
  std::string first, combined;
};
Combination combination(const ir::Reduce& reduce, ir::Type type) {
  const bool is_number = type.is_float();
  switch (reduce.reducer) {
    case ir::ReducerKind::kSum:
      return {"0", "total + term"};
    case ir::ReducerKind::kProd:
      return is_number ? Combination{"exactly(1.0)", "times(total, term)"} : Combination{"1", "total * term"};
    case ir::ReducerKind::kMin:
      return is_number ? Combination{"exactly(INFINITY)", "least_of(total, term)"}
                       : Combination{"LONG_MAX", "term < total ? term : total"};
    case ir::ReducerKind::kMax:
      return is_number ? Combination{"exactly(-INFINITY)", "greatest_of(total, term)"}
                       : Combination{"LONG_MIN", "term > total ? term : total"};
    case ir::ReducerKind::kAny:
      return {"0", "either(total, term)"};
    case ir::ReducerKind::kAll:
      return {"2", "both(total, term)"};
    case ir::ReducerKind::kCustom:
      break;
  }
  throw UsageError("the self-test cannot express the user-made reducer " + reduce.combiner->name);
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

class Functions {
 public:
  Functions(const CNames& names, const std::string& parameters, const std::string& arguments)
      : names_(names), parameters_(parameters), arguments_(arguments) {}

  /// Writes the function of `op`, those that it calls before it.
  void write(const Operation& op) {
    const ir::Buffer& result = op->results.front();
    if (op.is_placeholder() || names_.arrays.contains(result) || names_.functions.contains(result)) return;
    if (op.scan() != nullptr) return write_scan(op);
    const ComputeOp& compute = computed(op);
    for (const Operation& input : op->inputs) write(input);
    const std::string name = next_name();
    // Names of our own: those of axes are for people, and need not be C's nor different.
    CNames names = names_;
    std::string indices;
    for (std::size_t d = 0; d < compute.axes.size(); ++d) {
      names.variables[compute.axes[d].var()] = fmt::format("i{}", d);
      indices += fmt::format("{}long i{}", d == 0 && parameters_.empty() ? "" : ", ", d);
    }
    for (std::size_t d = 0; d < compute.reduce_axes.size(); ++d) {
      names.variables[compute.reduce_axes[d].var()] = fmt::format("r{}", d);
    }
    text_ += fmt::format("\n/* {} */\nstatic {} {}({}{}) {{\n{}}}\n", op->name, c_result(result->element), name,
                         parameters_, indices, body(compute, names));
    names_.functions[result] = call(name, !compute.axes.empty());
  }

  /// The function of one element of `output` by its place in memory.
  std::string text(const Operation& output) && {
    const std::vector<Expr>& shape = output->results.front()->shape;
    std::vector<std::string> indices(shape.size());
    std::int64_t stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      const std::int64_t extent = constant(shape[d]);
      indices[d] = fmt::format("element / {} % {}", stride, extent);
      stride *= extent;
    }
    const bool is_number = output->results.front()->element.is_float();
    const std::string call =
        fmt::format("{}{})", names_.functions.at(output->results.front()), fmt::join(indices, ", "));
    return text_ + fmt::format("\nstatic struct number element_of({}{}long element) {{\n{}  return {};\n}}\n",
                               parameters_, parameters_.empty() ? "" : ", ", shape.empty() ? "  (void)element;\n" : "",
                               is_number ? call : fmt::format("exactly((double){})", call));
  }

 private:
  std::string next_name() { return fmt::format("stage{}", stages_++); }
  /// Up to its indices.
  std::string call(const std::string& name, bool has_indices) const {
    return fmt::format("{}({}{}", name, arguments_, arguments_.empty() || !has_indices ? "" : ", ");
  }

  /// A step is made from those before it: they are kept, each is computed once, in order.
  void write_scan(const Operation& op) {
    const ScanOp& scan = *op.scan();
    if (scan.states.size() != 1) throw UsageError("the self-test can express no scan of several states");
    const ir::Buffer& result = op->results.front();
    const std::string name = next_name(), type = c_result(result->element);
    std::string declared, indices, column = "0";
    std::int64_t size = 1;
    for (std::size_t d = 0; d < result->shape.size(); ++d) {
      declared += fmt::format("{}long i{}", d == 0 && parameters_.empty() ? "" : ", ", d);
      if (d == 0) continue;
      const std::int64_t extent = constant(result->shape[d]);
      column = d == 1 ? "i1" : fmt::format("({}) * {} + i{}", column, extent, d);
      size *= extent;
    }
    text_ += fmt::format("\nstatic {} {}({}{});\n", type, name, parameters_, declared);
    names_.functions[result] = names_.functions[scan.states[0]] = call(name, true);
    for (const Operation& input : op->inputs) write(input);

    CBody body;
    body.line(fmt::format("static {}* steps = 0;", type));
    body.line("static long done = 0;");
    body.line(
        fmt::format("if (steps == 0) steps = memory_for({} * sizeof *steps);", constant(result->shape[0]) * size));
    body.open("for (; done <= i0; ++done)");
    body.open(fmt::format("for (long element = 0; element < {}; ++element)", size));
    std::int64_t stride = size;
    indices = "done";
    for (std::size_t d = 1; d < result->shape.size(); ++d) {
      const std::int64_t extent = constant(result->shape[d]);
      stride /= extent;
      indices += fmt::format(", element / {} % {}", stride, extent);
    }
    body.line(fmt::format("steps[done * {} + element] = done < {} ? {}{}) : {}{});", size, scan.first_steps(),
                          names_.functions.at(scan.init[0]), indices, names_.functions.at(scan.update[0]), indices));
    body.close();
    body.close();
    body.line(fmt::format("return steps[i0 * {} + {}];", size, column));
    text_ += fmt::format("\n/* {} */\nstatic {} {}({}{}) {{\n{}}}\n", op->name, type, name, parameters_, declared,
                         std::move(body).text());
  }

  static std::string body(const ComputeOp& compute, const CNames& names) {
    CBody body;
    const Expr& value = compute.values()[0];
    const std::string term = c_expression(value, names);
    const auto declare_used = [&](const std::string& parameter) {
      if (!c_mentions(term, parameter)) body.line(fmt::format("(void){};", parameter));
    };
    for (const auto& [buffer, name] : names.arrays) declare_used(name);
    for (const IterVar& axis : compute.axes) declare_used(names.variables.at(axis.var()));
    const ir::Reduce* reduce = compute.reduction();
    if (reduce == nullptr) {
      body.line(fmt::format("return {};", term));
      return std::move(body).text();
    }
    const ir::Type type = value.type();
    const bool adds_numbers = reduce->reducer == ir::ReducerKind::kSum && type.is_float();
    const auto [first, combined] = combination(*reduce, type);
    if (adds_numbers) {
      body.line("double total = 0, size = 0, error = 0;");
    } else {
      body.line(fmt::format("{} total = {};", c_result(type), first));
    }
    for (const IterVar& axis : compute.reduce_axes) {
      const std::int64_t from = constant(axis.min());
      body.open(fmt::format("for (long {0} = {1}; {0} < {2}; ++{0})", names.variables.at(axis.var()), from,
                            from + constant(axis.extent())));
    }
    body.line(fmt::format("const {} term = {};", c_result(type), term));
    if (adds_numbers) {
      body.line("total += term.value;");
      body.line("size += fabs(term.value);");
      body.line("error += term.error;");
    } else {
      body.line(fmt::format("total = {};", combined));
    }
    for (std::size_t d = 0; d < compute.reduce_axes.size(); ++d) body.close();
    body.line(adds_numbers ? fmt::format("return number_of(total, error + 8 * sqrt({}.0) * {} * size);",
                                         length_of(compute), c_epsilon(type, names))
                           : "return total;");
    return std::move(body).text();
  }

  CNames names_;
  const std::string &parameters_, &arguments_;
  std::string text_;
  int stages_ = 0;
};

}  // namespace

std::string c_functions(const Operation& output, const CNames& names, const std::string& parameters,
                        const std::string& arguments) {
  Functions functions(names, parameters, arguments);
  functions.write(output);
  return std::move(functions).text(output);
}

double c_terms(const Operation& op) {
  if (op.is_placeholder()) return 0;
  if (op.scan() != nullptr) {  // each step once, whichever element is asked for
    double each = 0;
    for (const Operation& input : op->inputs) each += c_terms(input);
    return each;
  }
  const ComputeOp& compute = computed(op);
  double each = 1;
  ir::for_each_expr(compute.values()[0], [&](const Expr& part) {
    const auto* load = part.as<ir::Load>();
    if (load == nullptr) return;
    for (const Operation& input : op->inputs) {
      if (input->results.front() == load->buffer) each += c_terms(input);
    }
  });
  return static_cast<double>(length_of(compute)) * each;
}

}  // namespace nestwright
