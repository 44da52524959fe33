// The definitions of tensors as C++, and the identifiers in them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "expression/operations.h"
#include "ir/core/intrinsic_table.h"
#include "ir/traversal/rewrite.h"
#include "nestwright/error.h"
#include "schedule/trace/cpp_names.h"
#include "support/base/cpp_names.h"

namespace nestwright {
namespace {

// What a tensor or an axis may be called, but an identifier of the text may not: keywords of C++, macros, and names
// that the text itself uses.
constexpr const char* kMacros[] = {"EOF",   "INFINITY", "INT64_MIN", "NAN",   "NULL",   "assert",
                                   "errno", "linux",    "stderr",    "stdin", "stdout", "unix"};
constexpr const char* kConstants[] = {"kBlockIdxX",  "kBlockIdxY",  "kBlockIdxZ",  "kIndex",
                                      "kThreadIdxX", "kThreadIdxY", "kThreadIdxZ", "kVThread"};
constexpr const char* kOperations[] = {"all", "any",  "call_extern", "cast", "clamp",  "max",
                                       "min", "prod", "reduce",      "scan", "select", "sum"};
constexpr const char* kOtherNames[] = {"Expr",
                                       "IterVar",
                                       "Reducer",
                                       "Schedule",
                                       "SplitSize",
                                       "Tail",
                                       "Target",
                                       "Tensor",
                                       "Var",
                                       "args",
                                       "at",
                                       "build",
                                       "compute",
                                       "compute_span",
                                       "compute_tuple",
                                       "create_schedule",
                                       "factor",
                                       "find_tensor_intrinsic",
                                       "ir",
                                       "lower",
                                       "nestwright",
                                       "nparts",
                                       "passed_as",
                                       "placeholder",
                                       "reduce_axis",
                                       "s",
                                       "std"};

constexpr std::size_t kMaxNamedIndices = 8;  // of the body of a compute (nestwright/tensor.h)

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

std::string with_passed_shape(const Operation& op, const std::string& made) {
  if (!op.defined() || !op->passed_shape) return made;
  return fmt::format("passed_as({}, {{{}}})", made, fmt::join(*op->passed_shape, ", "));
}

/// Prints the operations that it is given and those that they read, each once.
class Definitions {
 public:
  explicit Definitions(CppNames& names) : names_(names) {}

  void add(const Operation& op) {
    if (names_.tensors.contains(op->results.front())) return;
    for (const Operation& input : op->inputs) add(input);
    if (op.is_placeholder()) {
      add_placeholder(op->results.front());
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

  void add_placeholder(const ir::Buffer& buffer) {
    const std::string name = names_.make(buffer->name);
    names_.tensors[buffer] = name;
    const std::string made = fmt::format("placeholder({}, {}, \"{}\"{})", shape_text(buffer->shape, names_),
                                         cpp_type(buffer->element), buffer->name, strides_text(buffer, names_));
    text_ += fmt::format("const Tensor {} = {};\n", name, with_passed_shape(operation_of(buffer), made));
  }

  void add_scan(const Operation& op) {
    const ScanOp& scan = *op.scan();
    for (const ir::Buffer& state : scan.states) {
      if (!names_.tensors.contains(state)) add_placeholder(state);  // no update reads it
    }
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
    const ir::Reduce* const reduction = compute.reduction();
    const bool is_custom = reduction != nullptr && reduction->combiner != nullptr;
    if (is_custom) add_reducer(*reduction->combiner);
    CppNames body = names_;
    const bool is_tuple = op->results.size() > 1;
    const bool takes_span = is_tuple || compute.axes.size() > kMaxNamedIndices;
    const std::string parameters = takes_span ? name_in_span(compute, body) : name_parameters(compute, body);
    const ir::Buffer& first = op->results.front();
    const std::string shape = shape_text(first->shape, names_);
    if (!is_tuple) {
      const std::string made =
          fmt::format("compute({}, [&]({}) -> Expr {{ return {}; }}, \"{}\"{})", shape, parameters,
                      cpp_expression(compute.bodies.front(), body), op->name, strides_text(first, names_));
      text_ += fmt::format("const Tensor {} = {};\n", name_single(op), with_passed_shape(op, made));
      return;
    }
    const std::string bodies = is_custom
                                   ? cpp_members(*reduction, body)
                                   : fmt::format("std::vector<Expr>{{{}}}", cpp_expressions(compute.bodies, body));
    const std::string name = names_.make(op->name);
    text_ += fmt::format("const std::vector<Tensor> {} = compute_tuple(\n    {}, [&]({}) {{ return {}; }}, \"{}\");\n",
                         name, shape, parameters, bodies, op->name);
    name_results(op, name);
  }

  /// Defines a user-defined reducer, unless another tensor's reduction has done so.
  void add_reducer(const ir::Combiner& combiner) {
    if (names_.reducers.contains(&combiner)) return;
    CppNames body = names_;
    const std::string left = name_operand("a", combiner.left, combiner, body);
    const std::string right = name_operand("b", combiner.right, combiner, body);
    const std::string name = names_.make(combiner.name);
    text_ += fmt::format("const Reducer {}(\"{}\", {{{}}},\n    []({}, {}) {{ return std::vector<Expr>{{{}}}; }});\n",
                         name, combiner.name, cpp_expressions(combiner.identity, names_), left, right,
                         cpp_expressions(combiner.combined, body));
    names_.reducers[&combiner] = name;
  }

  /// Names the members of a tuple that a reducer combines, and returns the parameter that they are passed in.
  static std::string name_operand(const char* wanted, const std::vector<Var>& members, const ir::Combiner& combiner,
                                  CppNames& body) {
    const std::string name = body.make(wanted);
    bool is_any_used = false;
    for (std::size_t m = 0; m < members.size(); ++m) {
      body.indices[members[m]] = fmt::format("{}[{}]", name, m);
      is_any_used = is_any_used || is_mentioned(members[m], combiner.combined);
    }
    return is_any_used ? "std::span<const Expr> " + name : "std::span<const Expr>";
  }

  static bool is_mentioned(const Var& var, const std::vector<Expr>& bodies) {
    return std::any_of(bodies.begin(), bodies.end(), [&](const Expr& body) { return ir::mentions(body, var); });
  }

  /// Compilers warn of a named parameter that is not used.
  static bool is_used(const IterVar& axis, const ComputeOp& compute) {
    return is_mentioned(axis.var(), compute.bodies);
  }

  /// Names the indices of a body that takes one argument for each, and returns its parameters.
  static std::string name_parameters(const ComputeOp& compute, CppNames& body) {
    std::vector<std::string> parameters;
    for (const IterVar& axis : compute.axes) {
      const std::string name = body.make(axis.name());
      body.indices[axis.var()] = name;
      parameters.push_back(is_used(axis, compute) ? "Expr " + name : "Expr");
    }
    return fmt::format("{}", fmt::join(parameters, ", "));
  }

  /// Names the indices of a body that takes a span of them, and returns its parameter.
  static std::string name_in_span(const ComputeOp& compute, CppNames& body) {
    bool is_any_used = false;
    for (std::size_t i = 0; i < compute.axes.size(); ++i) {
      body.indices[compute.axes[i].var()] = fmt::format("at[{}]", i);
      is_any_used = is_any_used || is_used(compute.axes[i], compute);
    }
    return is_any_used ? "std::span<const Expr> at" : "std::span<const Expr>";
  }

  void add_reduce_axis(const IterVar& axis) {
    const std::string name = names_.make(axis.name());
    const std::string min =
        ir::is_const_int(axis.min(), 0) && !axis.may_be_part() ? "" : extent_text(axis.min(), names_) + ", ";
    text_ += fmt::format("const IterVar {} = reduce_axis({}{}, \"{}\");\n", name, min,
                         extent_text(axis.extent(), names_), axis.name());
    names_.axes[axis.var()] = name;
  }

  CppNames& names_;
  std::string text_;
};

}  // namespace

CppNames::CppNames() : taken_(cpp_keywords().begin(), cpp_keywords().end()) {
  taken_.insert(std::begin(kMacros), std::end(kMacros));
  taken_.insert(std::begin(kConstants), std::end(kConstants));
  taken_.insert(std::begin(kOperations), std::end(kOperations));
  taken_.insert(std::begin(kOtherNames), std::end(kOtherNames));
  for (const ir::Type type : ir::element_types()) taken_.insert(cpp_type(type));
  for (int i = 0; i <= static_cast<int>(ir::kLastIntrinsic); ++i) {
    const auto intrinsic = static_cast<ir::Intrinsic>(i);
    if (intrinsic != ir::Intrinsic::kScale) taken_.insert(ir::intrinsic_name(intrinsic));  // the text has ir::scale
  }
}

std::string CppNames::make(const std::string& wanted) {
  std::string name = with_word_characters(wanted);
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
