#include "intrinsics.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "bindings.h"
#include "conversions.h"
#include "depth.h"
#include "nestwright/error.h"
#include "nestwright/program.h"
#include "run_errors.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

constexpr int kMaxStatementDepth = 100, kMaxStatements = 1 << 16;

[[noreturn]] void refuse_depth() {
  throw UsageError("more than " + std::to_string(kMaxStatementDepth) + " statements lie inside each other");
}

/// A statement, of a bounded size because the library recurses into it.
struct Statement {
  ir::Stmt stmt;
  int depth = 1;
  int count = 1;  ///< of statements, a shared one once for each use

  /// The statement `outer` that contains these.
  static Statement containing(ir::Stmt outer, std::initializer_list<Statement> inner) {
    return containing(std::move(outer), std::vector<Statement>(inner));
  }
  static Statement containing(ir::Stmt outer, const std::vector<Statement>& inner) {
    Statement statement{std::move(outer)};
    for (const Statement& each : inner) {
      statement.depth = std::max(statement.depth, each.depth + 1);
      statement.count += each.count;
      if (statement.count > kMaxStatements) {
        throw UsageError("there are more than " + std::to_string(kMaxStatements) + " statements: use loops");
      }
    }
    if (statement.depth > kMaxStatementDepth) refuse_depth();
    return statement;
  }
};

/// A statement, or a list of them. `above`: the lists that contain it.
Statement statement_from(nb::handle object, int above = 0) {
  if (nb::isinstance<Statement>(object)) return nb::cast<Statement>(object);
  if (!is_list(object)) throw nb::type_error("expected a statement, which store() or for_range() makes, or a list");
  if (above == kMaxStatementDepth) refuse_depth();
  std::vector<Statement> list;
  for (nb::handle each : nb::borrow<nb::sequence>(object)) list.push_back(statement_from(each, above + 1));
  if (list.empty()) throw UsageError("a list of statements is empty");
  Statement whole = Statement::containing({}, list);  // refuses too many
  std::vector<ir::Stmt> statements;
  for (Statement& each : list) statements.push_back(std::move(each.stmt));
  whole.stmt = ir::block(std::move(statements));
  return whole;
}

Statement store(const TensorSlice& slice, nb::handle indices, nb::handle value_given) {
  Expr value = expr_from(value_given);
  const ir::Type type = slice.buffer->element;
  const bool is_literal = value.as<ir::IntImm>() != nullptr || value.as<ir::FloatImm>() != nullptr;
  if (is_literal && value.type() != type) {
    if (const Expr converted = ir::retype_literal(value, type); converted.defined()) value = converted;
  }
  if (value.type() != type) {
    throw UsageError("store to " + slice.buffer->name + ": expected " + type.str() + ", got " + value.type().str() +
                     ": convert the value by astype");
  }
  std::vector<Expr> offsets = exprs_from(indices);
  std::ranges::transform(offsets, offsets.begin(), bounded_in_statement);
  return {slice.store(offsets, bounded_in_statement(value))};
}

Statement for_range(nb::handle begin, nb::handle end, const nb::callable& body, const std::string& name,
                    const std::string& kind) {
  static const std::map<std::string, ir::LoopKind> kKinds = {{"serial", ir::LoopKind::kSerial},
                                                             {"vectorized", ir::LoopKind::kVectorized},
                                                             {"unrolled", ir::LoopKind::kUnrolled}};
  const auto found = kKinds.find(kind);
  if (found == kKinds.end()) throw UsageError("there is no loop '" + kind + "': use serial, vectorized or unrolled");
  const Expr first = bounded_in_statement(expr_from(begin));
  const Expr extent = bounded_in_statement(expr_from(end) - first);
  if (first.type() != Type{kIndex} || extent.type() != Type{kIndex}) {
    throw UsageError("the bounds of loop " + name + " are of int64");
  }
  const Var variable(name);
  const Statement inner = statement_from(body(Expr(variable)));
  return Statement::containing(ir::make_for(variable, first, extent, found->second, inner.stmt), {inner});
}

Statement if_then(nb::handle condition_given, nb::handle then_case, nb::handle else_case) {
  const Expr condition = bounded_in_statement(expr_from(condition_given));
  if (!condition.type().is_bool()) throw UsageError("the condition of if_then is a comparison, not a number");
  const Statement first = statement_from(then_case);
  if (else_case.is_none()) return Statement::containing(ir::make_if(condition, first.stmt), {first});
  const Statement second = statement_from(else_case);
  return Statement::containing(ir::make_if(condition, first.stmt, second.stmt), {first, second});
}

Statement allocate(nb::handle shape, nb::handle type, const nb::callable& body, const std::string& name) {
  const std::vector<Expr> extents = exprs_from(shape);
  const bool is_legal = !extents.empty() && std::ranges::all_of(extents, [](const Expr& extent) {
    const std::int64_t* const constant = ir::as_const_int(extent);
    return constant != nullptr && *constant >= 1;
  });
  if (!is_legal) throw UsageError("the extents of " + name + " are integers from 1");
  const ir::Buffer buffer(name, type_from(type), extents, kLocal);
  const Statement inner = statement_from(body(TensorSlice{buffer, std::vector<Expr>(extents.size(), Expr(0))}));
  return Statement::containing(ir::make_allocate(buffer, inner.stmt), {inner});
}

/// What a function of an intrinsic gives.
template <class Call>
ir::Stmt call_of(const SharedRunErrors& errors, const std::string& name, const Call& call) {
  const nb::gil_scoped_acquire locked;
  try {
    return statement_from(call()).stmt;
  } catch (nb::python_error& e) {
    if (!errors) throw;
    throw_kept(errors, e, name);
  }
}

nb::tuple tuple_of(std::span<const TensorSlice> slices) {
  nb::list list;
  for (const TensorSlice& slice : slices) list.append(nb::cast(slice));
  return nb::tuple(list);
}

void add_statements(nb::module_& m) {
  nb::class_<Statement>(m, "Statement", "A statement of an intrinsic. A list of them is executed in order.")
      .def("__repr__", [](const Statement& statement) { return ir::to_string(statement.stmt); });
  nb::class_<TensorSlice>(m, "TensorSlice",
                          "The part of a tensor that an operand of an intrinsic corresponds to: a[i, k] reads an "
                          "element, where the indices are those of the pattern.")
      .def("__getitem__",
           [](const TensorSlice& slice, nb::handle indices) { return bounded(slice.load(exprs_from(indices))); })
      .def("store", store, nb::arg("indices"), nb::arg("value"), "The statement that stores an element.")
      .def_prop_ro("dtype", [](const TensorSlice& slice) { return slice.buffer->element.str(); });
  m.def("for_range", for_range, nb::arg("begin"), nb::arg("end"), nb::arg("body"), nb::arg("name") = "i",
        nb::arg("kind") = "serial",
        "The loop that executes body(i), a statement or a list of them, for i from begin to end - 1. kind: serial, "
        "vectorized or unrolled.");
  m.def("if_then", if_then, nb::arg("condition"), nb::arg("then_case"), nb::arg("else_case") = nb::none(),
        "The statement that executes one of the cases.");
  m.def("allocate", allocate, nb::arg("shape"), nb::arg("dtype"), nb::arg("body"), nb::arg("name") = "local",
        "body(a), a statement or a list of them, with a local array a of constant shape.");
}

/// Words: operands of 32 bits that consist of bytes or halves.
void add_words(nb::module_& m) {
  m.def(
      "join_bytes", [](const nb::args& bytes) { return bounded(ir::join(exprs_from(bytes))); }, nb::arg("bytes"),
      "The word of the lowest bytes of four integers, the first one lowest.");
  m.def(
      "join_halves",
      [](nb::handle low, nb::handle high) { return bounded(ir::join({expr_from(low), expr_from(high)})); },
      nb::arg("low"), nb::arg("high"), "The word of two integers' lower halves, or of two floats of 16 bits.");
  const auto add_dot = [&](ir::Intrinsic how, const char* doc) {
    m.def(
        ir::intrinsic_name(how),
        [how](nb::handle sum, nb::handle a, nb::handle b) {
          return bounded(ir::dot(how, expr_from(sum), expr_from(a), expr_from(b)));
        },
        nb::arg("sum"), nb::arg("a"), nb::arg("b"), doc);
  };
  add_dot(ir::Intrinsic::kDotU8S8, "sum + the four products of the bytes of two words: a's are uint8, b's int8.");
  add_dot(ir::Intrinsic::kDotS8S8, "sum + the four products of the bytes of two words, all int8.");
  add_dot(ir::Intrinsic::kDotS16, "sum + the two products of the halves of two words, int16.");
  add_dot(ir::Intrinsic::kDotBF16, "sum + the two products of the halves of two words, bfloat16; sum is float32.");
}

}  // namespace

PythonIntrinsic::PythonIntrinsic(nb::handle pattern, nb::callable emit, std::string name, nb::handle inputs,
                                 nb::handle scalars, nb::object init)
    : emit_(make_held(std::move(emit))) {
  pattern_.name = std::move(name);
  pattern_.pattern = nb::isinstance<Operation>(pattern) ? Tensor(nb::cast<Operation>(pattern))
                                                        : list_from<Tensor>(pattern, "the pattern is a tensor").at(0);
  pattern_.inputs = list_from<Tensor>(inputs, "inputs are the placeholders that the pattern reads");
  pattern_.scalars = list_from<Var>(scalars, "scalar_params are variables that var() made");
  const std::string where = "intrinsic " + pattern_.name + ": ";
  if (pattern_.pattern.op().compute() == nullptr) throw UsageError(where + "compute() makes its pattern");
  for (const Tensor& input : pattern_.inputs) {
    if (!input.op().is_placeholder()) throw UsageError(where + "input " + input.name() + " is not a placeholder");
  }
  if (!init.is_none()) init_ = make_held(nb::cast<nb::callable>(init));
}

TensorIntrinsic PythonIntrinsic::in_current_run() const {
  TensorIntrinsic intrinsic = pattern_;
  const SharedRunErrors errors = current_run();
  intrinsic.emit = [emit = emit_, errors, name = pattern_.name](const TensorSlice& output,
                                                                std::span<const TensorSlice> inputs) {
    return call_of(errors, name, [&] { return (*emit)(tuple_of(inputs), tuple_of({&output, 1})); });
  };
  if (init_) {
    intrinsic.init = [init = init_, errors, name = pattern_.name](const TensorSlice& output) {
      return call_of(errors, name, [&] { return (*init)(tuple_of({&output, 1})); });
    };
  }
  return intrinsic;
}

TensorIntrinsic intrinsic_from(nb::handle object) {
  if (nb::isinstance<PythonIntrinsic>(object)) return nb::cast<const PythonIntrinsic&>(object).in_current_run();
  if (nb::isinstance<nb::str>(object)) return find_tensor_intrinsic(nb::cast<std::string>(object));
  throw nb::type_error("an intrinsic is what decl_tensor_intrin made, or the name of a built-in one");
}

std::vector<TensorIntrinsic> intrinsics_from(nb::handle object) {
  std::vector<TensorIntrinsic> list;
  for (nb::handle each : nb::borrow<nb::sequence>(object)) list.push_back(intrinsic_from(each));
  return list;
}

void bind_intrinsics(nb::module_& m) {
  add_statements(m);
  add_words(m);
  nb::class_<PythonIntrinsic>(m, "TensorIntrinsic", "An instruction for tensorize.")
      .def_prop_ro("name", [](const PythonIntrinsic& intrinsic) { return intrinsic.pattern().name; })
      .def("__repr__", [](const PythonIntrinsic& intrinsic) {
        return "<nestwright.TensorIntrinsic " + intrinsic.pattern().name + ">";
      });
  m.def(
      "decl_tensor_intrin",
      [](nb::handle pattern, const nb::callable& emit, const std::string& name, nb::handle inputs, nb::handle scalars,
         const nb::object& init) { return PythonIntrinsic(pattern, emit, name, inputs, scalars, init); },
      nb::arg("op"), nb::arg("fcompute"), nb::arg("name") = "tensor_intrin", nb::kw_only(), nb::arg("inputs"),
      nb::arg("scalar_params") = nb::make_tuple(), nb::arg("init") = nb::none(),
      "An instruction for tensorize. op: what it computes, a small tensor of constant extents; inputs: the "
      "placeholders that it reads; scalar_params: variables of it that stand for values which are the same in the "
      "whole tile. fcompute(ins, outs) returns the statements for one tile, with a TensorSlice for each input and for "
      "the result; for a reduction, they add to what is stored. init(outs) sets a tile to the reduction's identity; "
      "None: a loop does. That the statements compute op is relied upon.");
}

}  // namespace nestwright::python
