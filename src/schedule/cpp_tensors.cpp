// The definitions of tensors as C++, and the identifiers in them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "ir/core/rewrite.h"
#include "schedule/cpp_names.h"
#include "support/error.h"

namespace nestwright {
namespace {

/// Words of C++ and names that the text itself uses, which a tensor or an axis may have.
constexpr const char* kReserved[] = {
    "Expr",      "IterVar",     "Schedule",     "Tail",          "Tensor",   "Var",         "abs",
    "all",       "and",         "any",          "args",          "at",       "auto",        "bool",
    "break",     "call_extern", "case",         "cast",          "ceil",     "char",        "clamp",
    "class",     "compute",     "compute_span", "compute_tuple", "const",    "continue",    "cos",
    "default",   "delete",      "do",           "double",        "else",     "enum",        "erf",
    "exp",       "export",      "extern",       "factor",        "false",    "float",       "floor",
    "fma",       "for",         "friend",       "goto",          "if",       "inline",      "int",
    "ir",        "likely",      "log",          "log2",          "long",     "max",         "min",
    "namespace", "new",         "not",          "nparts",        "operator", "or",          "placeholder",
    "pow",       "private",     "prod",         "public",        "reduce",   "register",    "reinterpret",
    "return",    "round",       "round_tf32",   "rsqrt",         "s",        "scan",        "select",
    "short",     "sigmoid",     "signed",       "sin",           "sizeof",   "sqrt",        "static",
    "std",       "struct",      "sum",          "switch",        "tanh",     "template",    "this",
    "true",      "trunc",       "try",          "typename",      "union",    "unsigned",    "using",
    "void",      "while",       "xor",          "lower",         "build",    "reduce_axis", "create_schedule"};

std::string extent_text(const Expr& extent, const CppNames& names) {
  const std::int64_t* value = ir::as_const_int(extent);
  return value != nullptr ? std::to_string(*value) : cpp_expression(extent, names);
}

std::string shape_text(const std::vector<Expr>& shape, const CppNames& names) {
  std::vector<std::string> extents;
  for (const Expr& extent : shape) extents.push_back(extent_text(extent, names));
  return fmt::format("{{{}}}", fmt::join(extents, ", "));
}

std::string strides_text(const ir::Buffer& buffer, const CppNames& names) {
  return buffer->strides.empty() ? "" : ", " + shape_text(buffer->strides, names);
}

bool occurs(const Var& var, const Expr& e) {
  bool found = false;
  ir::for_each_expr(e, [&](const Expr& part) {
    const auto* ref = part.as<ir::VarRef>();
    found |= ref != nullptr && ref->var == var;
  });
  return found;
}

/// Prints the operations that it is given and those that they read, each once.
class Definitions {
 public:
  explicit Definitions(CppNames& names) : names_(names) {}

  void add(const Operation& op) {
    if (names_.tensors.contains(op->results.front())) return;
    for (const Operation& input : op->inputs) add(input);
    if (op.is_placeholder()) {
      const ir::Buffer& buffer = op->results.front();
      text_ += fmt::format("const Tensor {} = placeholder({}, {}, \"{}\"{});\n", name_single(op),
                           shape_text(buffer->shape, names_), cpp_type(buffer->element), buffer->name,
                           strides_text(buffer, names_));
    } else if (op.scan() != nullptr) {
      add_scan(op);
    } else {
      add_compute(op);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  std::string name_single(const Operation& op) { return names_.tensors[op->results.front()] = names_.make(op->name); }

  void name_results(const Operation& op, const std::string& list) {
    for (std::size_t r = 0; r < op->results.size(); ++r) {
      names_.tensors[op->results[r]] = fmt::format("{}[{}]", list, r);
    }
  }

  void add_scan(const Operation& op) {
    const ScanOp& scan = *op.scan();
    const auto list = [&](const std::vector<ir::Buffer>& buffers) {
      std::vector<std::string> texts;
      for (const ir::Buffer& buffer : buffers) texts.push_back(names_.tensors.at(buffer));
      return texts.size() == 1 ? texts.front() : fmt::format("{{{}}}", fmt::join(texts, ", "));
    };
    const std::string operands = list(scan.init) + ", " + list(scan.update) + ", " + list(scan.states);
    if (op->results.size() == 1) {
      const std::string name = name_single(op);
      text_ += fmt::format("const Tensor {} = scan({}, {{}}, \"{}\");\n", name, operands, op->name);
      return;
    }
    const std::string name = names_.make(op->name);
    text_ += fmt::format("const std::vector<Tensor> {} = scan({}, {{}}, \"{}\");\n", name, operands, op->name);
    name_results(op, name);
  }

  void add_compute(const Operation& op) {
    const ComputeOp& compute = *op.compute();
    for (const IterVar& axis : compute.reduce_axes) add_reduce_axis(axis);
    CppNames body = names_;
    std::vector<std::string> parameters;
    for (const IterVar& axis : compute.axes) {
      const std::string name = body.make(axis.name());
      body.indices[axis.var()] = name;
      parameters.push_back(name);
    }
    const ir::Buffer& first = op->results.front();
    const std::string shape = shape_text(first->shape, names_);
    if (op->results.size() == 1) {
      const std::string name = name_single(op);
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        // Compilers warn of a named parameter that is not used.
        parameters[i] = occurs(compute.axes[i].var(), compute.bodies.front()) ? "Expr " + parameters[i] : "Expr";
      }
      text_ += fmt::format("const Tensor {} = compute({}, [&]({}) -> Expr {{ return {}; }}, \"{}\"{});\n", name, shape,
                           fmt::join(parameters, ", "), cpp_expression(compute.bodies.front(), body), op->name,
                           strides_text(first, names_));
      return;
    }
    for (std::size_t i = 0; i < compute.axes.size(); ++i) {
      body.indices[compute.axes[i].var()] = fmt::format("at[{}]", i);
    }
    std::vector<std::string> bodies;
    for (const Expr& each : compute.bodies) bodies.push_back(cpp_expression(each, body));
    const std::string name = names_.make(op->name);
    text_ += fmt::format(
        "const std::vector<Tensor> {} = compute_tuple(\n    {}, [&](std::span<const Expr> at) {{ return "
        "std::vector<Expr>{{{}}}; }}, \"{}\");\n",
        name, shape, fmt::join(bodies, ", "), op->name);
    name_results(op, name);
  }

  void add_reduce_axis(const IterVar& axis) {
    const std::string name = names_.make(axis.name());
    const std::string min = ir::is_const_int(axis.min(), 0) ? "" : extent_text(axis.min(), names_) + ", ";
    text_ += fmt::format("const IterVar {} = reduce_axis({}{}, \"{}\");\n", name, min,
                         extent_text(axis.extent(), names_), axis.name());
    names_.axes[axis.var()] = name;
  }

  CppNames& names_;
  std::string text_;
};

}  // namespace

CppNames::CppNames() : taken_(std::begin(kReserved), std::end(kReserved)) {}

std::string CppNames::make(const std::string& wanted) {
  std::string name;
  for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = "t" + name;
  std::string unique = name;
  for (int number = 2; !taken_.insert(unique).second; ++number) unique = fmt::format("{}_{}", name, number);
  return unique;
}

std::string cpp_tensors(const std::vector<Tensor>& outputs, const std::vector<Tensor>& args, CppNames& names) {
  Definitions definitions(names);
  for (const Tensor& arg : args) {
    if (arg.op().is_placeholder()) definitions.add(arg.op());
  }
  for (const Tensor& output : outputs) definitions.add(output.op());
  return definitions.take();
}

}  // namespace nestwright
