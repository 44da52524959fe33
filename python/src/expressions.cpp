// Tensors and expressions: placeholder, compute, reduce_axis, scan and the functions of elements, under TVM's names.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings.h"
#include "conversions.h"
#include "depth.h"
#include "nestwright/error.h"
#include "nestwright/program.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

using Unary = Expr (*)(const Expr&);

Expr floor_divide(const Expr& a, const Expr& b) {
  return a.type().is_float() || b.type().is_float() ? ir::floor(a / b) : a / b;
}

/// Returns whether a comparison of two variables holds by their identity, which is what containers ask for. Refuses any
/// other expression.
bool truth_of(const Expr& e) {
  if (ir::is_true(e)) return true;
  if (ir::is_false(e)) return false;
  if (const auto* comparison = e.as<ir::Binary>();
      comparison != nullptr && (comparison->op == ir::BinaryOp::kEq || comparison->op == ir::BinaryOp::kNe)) {
    const auto* a = comparison->a.as<ir::VarRef>();
    const auto* b = comparison->b.as<ir::VarRef>();
    if (a != nullptr && b != nullptr) return (a->var.id() == b->var.id()) == (comparison->op == ir::BinaryOp::kEq);
  }
  throw nb::type_error(
      "an expression has no truth value in Python: use nw.select, nw.logical_and or nw.logical_or (or & and |)");
}

/// `class_`: Expr, Var or IterVar, whose operators build expressions.
template <class T>
void add_operators(nb::class_<T>& class_) {
  const auto binary = [&](const char* name, auto make) {
    class_.def(
        name, [make](const T& a, nb::handle b) { return bounded(make(Expr(a), expr_from(b))); }, nb::is_operator());
  };
  const auto reflected = [&](const char* name, auto make) {
    class_.def(
        name, [make](const T& a, nb::handle b) { return bounded(make(expr_from(b), Expr(a))); }, nb::is_operator());
  };
  const auto both = [&](const std::string& name, auto make) {
    binary(("__" + name + "__").c_str(), make);
    reflected(("__r" + name + "__").c_str(), make);
  };
  both("add", [](const Expr& a, const Expr& b) { return a + b; });
  both("sub", [](const Expr& a, const Expr& b) { return a - b; });
  both("mul", [](const Expr& a, const Expr& b) { return a * b; });
  both("mod", [](const Expr& a, const Expr& b) { return a % b; });
  both("and", [](const Expr& a, const Expr& b) { return a & b; });
  both("or", [](const Expr& a, const Expr& b) { return a | b; });
  both("xor", [](const Expr& a, const Expr& b) { return a ^ b; });
  both("lshift", [](const Expr& a, const Expr& b) { return a << b; });
  both("rshift", [](const Expr& a, const Expr& b) { return a >> b; });
  both("pow", [](const Expr& a, const Expr& b) { return ir::pow(a, b); });
  both("floordiv", floor_divide);
  const auto divide = [](const Expr& a, const Expr& b) {
    if (a.type().is_int() && b.type().is_int()) {
      throw UsageError("/ of two integers: write // for the quotient rounded down, or cast one of them");
    }
    return a / b;
  };
  both("truediv", divide);
  binary("__lt__", [](const Expr& a, const Expr& b) { return a < b; });
  binary("__le__", [](const Expr& a, const Expr& b) { return a <= b; });
  binary("__gt__", [](const Expr& a, const Expr& b) { return a > b; });
  binary("__ge__", [](const Expr& a, const Expr& b) { return a >= b; });
  // Any is what mypy takes in the place of a bool.
  class_.def(
      "__eq__", [](const T& a, nb::handle b) { return bounded(Expr(a) == expr_from(b)); }, nb::is_operator(),
      nb::sig("def __eq__(self, arg: object, /) -> typing.Any"));
  class_.def(
      "__ne__", [](const T& a, nb::handle b) { return bounded(Expr(a) != expr_from(b)); }, nb::is_operator(),
      nb::sig("def __ne__(self, arg: object, /) -> typing.Any"));
  class_.def("__neg__", [](const T& a) { return bounded(-Expr(a)); });
  class_.def("__pos__", [](const T& a) { return Expr(a); });
  class_.def("__invert__", [](const T& a) {
    const Expr e = a;
    return bounded(e.type().is_bool() ? !e : e ^ Expr(-1));
  });
  class_.def("__abs__", [](const T& a) { return bounded(ir::abs(Expr(a))); });
  class_.def("__bool__", [](const T& a) { return truth_of(Expr(a)); });
  class_.def(
      "astype", [](const T& a, nb::handle type) { return bounded(ir::cast(type_from(type), Expr(a))); },
      nb::arg("dtype"), "The value converted to another element type.");
}

void add_handles(nb::module_& m) {
  nb::class_<Expr> expr(m, "Expr", "A scalar expression: an element, an index, a number, or an operation on them.");
  add_operators(expr);
  expr.def_prop_ro("dtype", [](const Expr& e) { return e.type().str(); }, "The name of its element type.");
  expr.def("same_as", &Expr::same_as, nb::arg("other"), "Whether both are the same node.");
  expr.def("__hash__", [](const Expr& e) { return reinterpret_cast<std::intptr_t>(&e.node()); });
  expr.def("__repr__", printed);

  nb::class_<Var> var(m, "Var", "A variable extent or stride, whose value a call takes from its arguments.");
  add_operators(var);
  var.def_prop_ro("name", &Var::name);
  var.def("same_as", [](const Var& a, const Var& b) { return a.id() == b.id(); }, nb::arg("other"));
  var.def("__hash__", [](const Var& v) { return reinterpret_cast<std::intptr_t>(v.id()); });
  var.def("__repr__", [](const Var& v) { return v.name(); });

  nb::class_<IterVar> axis(m, "IterVar",
                           "An axis with the domain [min, min + extent): of a tensor, a loop or a reduction.");
  add_operators(axis);
  axis.def_prop_ro("name", &IterVar::name);
  axis.def_prop_ro("min", &IterVar::min);
  axis.def_prop_ro("extent", &IterVar::extent);
  axis.def_prop_ro("is_reduce", &IterVar::is_reduce);
  axis.def("same_as", [](const IterVar& a, const IterVar& b) { return a.id() == b.id(); }, nb::arg("other"));
  axis.def("__hash__", [](const IterVar& a) { return reinterpret_cast<std::intptr_t>(a.id()); });
  axis.def("__repr__", [](const IterVar& a) { return a.name(); });
}

Expr element(const Tensor& tensor, nb::handle indices) { return bounded(tensor.at(exprs_from(indices))); }

nb::tuple axes_of(const Tensor& tensor, bool reduced) {
  const ComputeOp* const compute = tensor.op().compute();
  nb::list list;
  if (compute != nullptr) {
    for (const IterVar& axis : reduced ? compute->reduce_axes : compute->axes) list.append(nb::cast(axis));
  }
  return nb::tuple(list);
}

/// Binds the operation of a tensor, whose axes users of TVM read as C.op.axis.
void add_operation(nb::module_& m) {
  nb::class_<Operation>(m, "Operation", "The operation of a tensor, with its axes as TVM names them.")
      .def_prop_ro("name", [](const Operation& op) { return op->name; })
      .def_prop_ro("axis", [](const Operation& op) { return axes_of(Tensor(op), false); })
      .def_prop_ro("reduce_axis", [](const Operation& op) { return axes_of(Tensor(op), true); })
      .def_prop_ro("num_outputs", [](const Operation& op) { return op->results.size(); })
      .def(
          "output",
          [](const Operation& op, std::size_t i) {
            if (i >= op->results.size()) throw nb::index_error("the operation has fewer outputs");
            return Tensor(op, static_cast<int>(i));
          },
          nb::arg("index"))
      .def("__repr__", [](const Operation& op) { return to_string(op); });
}

[[noreturn]] void refuse_sequence() {
  throw nb::type_error("a tensor is no sequence: read its elements by indices, as in A[i, k]");
}

void add_tensor(nb::module_& m) {
  nb::class_<Tensor> tensor(m, "Tensor", "One result of an operation: A[i, k] reads an element of it.");
  tensor.def("__getitem__", element);
  tensor.def_prop_ro("name", &Tensor::name);
  tensor.def_prop_ro("dtype", [](const Tensor& t) { return t.dtype().str(); }, "The name of its element type.");
  tensor.def_prop_ro("ndim", &Tensor::rank);
  tensor.def_prop_ro(
      "shape",
      [](const Tensor& t) {
        nb::list shape;
        for (const Expr& extent : t.shape()) {
          const std::int64_t* const constant = ir::as_const_int(extent);
          shape.append(constant != nullptr ? nb::cast(*constant) : nb::cast(extent));
        }
        return nb::tuple(shape);
      },
      "Its extents: integers, or expressions of variables.");
  tensor.def_prop_ro(
      "axes", [](const Tensor& t) { return axes_of(t, false); }, "The axes of the operation; () for a placeholder.");
  tensor.def_prop_ro("op", &Tensor::op);
  tensor.def_prop_ro("reduce_axes", [](const Tensor& t) { return axes_of(t, true); });
  tensor.def(
      "__eq__",
      [](const Tensor& a, nb::handle b) {
        Tensor other;
        return nb::try_cast<Tensor>(b, other) && a == other;
      },
      nb::arg("other").none());
  tensor.def("__iter__", [](const Tensor&) -> nb::object { refuse_sequence(); });
  tensor.def("__contains__", [](const Tensor&, nb::handle) -> bool { refuse_sequence(); }, nb::arg("item").none());
  tensor.def("__hash__",
             [](const Tensor& t) { return reinterpret_cast<std::intptr_t>(t.op().operator->()) + t.result(); });
  tensor.def("__repr__", [](const Tensor& t) { return to_string(t); });
}

/// The tensors of a body that Python gives: one, or a tuple for several results.
nb::any compute_of(nb::handle shape, const nb::callable& body, const std::string& name, nb::handle strides) {
  const std::vector<Expr> extents = exprs_from(shape);
  struct SeveralResults {};
  try {
    const auto one = [&](std::span<const Expr> indices) {
      const nb::object result = call_with(body, indices);
      if (is_list(result)) throw SeveralResults();
      return expr_from(result);
    };
    return any_of(nb::cast(compute_span(extents, one, name, exprs_or_none(strides))));
  } catch (const SeveralResults&) {
    if (!strides.is_none()) throw UsageError("strides are of a tensor that is computed alone, not of a tuple");
  }
  return any_of(nb::cast(compute_tuple(
      extents, [&](std::span<const Expr> indices) { return exprs_from(call_with(body, indices)); }, name)));
}

nb::any scan_of(nb::handle init, nb::handle update, nb::handle state, nb::handle inputs, const std::string& name) {
  constexpr const char* kTensors = "init, update, state and inputs are tensors, or sequences of them";
  const std::vector<Tensor> given = inputs.is_none() ? std::vector<Tensor>() : list_from<Tensor>(inputs, kTensors);
  const std::vector<Tensor> results = scan(list_from<Tensor>(init, kTensors), list_from<Tensor>(update, kTensors),
                                           list_from<Tensor>(state, kTensors), given, name);
  return any_of(is_list(state) ? nb::cast(results) : nb::cast(results.at(0)));
}

void add_definitions(nb::module_& m) {
  m.def(
      "var", [](const std::string& name, nb::handle type) { return var(name, type_from(type)); }, nb::arg("name"),
      nb::arg("dtype") = "int64",
      "A variable extent or stride. A call of the kernel takes its value from the shapes of its arguments.");
  m.def(
      "placeholder",
      [](nb::handle shape, nb::handle type, const std::string& name, nb::handle strides) {
        return placeholder(exprs_from(shape), type_from(type), name, exprs_or_none(strides));
      },
      nb::arg("shape"), nb::arg("dtype") = "float32", nb::arg("name") = "placeholder", nb::arg("strides") = nb::none(),
      "A tensor that the caller provides. shape: extents, integers from 1 or var(). strides: in elements; None: "
      "compact, row-major. Raises UsageError for an extent below 1 and a name with spaces.");
  m.def(
      "reduce_axis",
      [](nb::handle dom, const std::string& name) {
        const std::vector<Expr> ends = exprs_from(dom);
        if (ends.size() == 1) return reduce_axis(ends[0], name);
        if (ends.size() != 2) throw UsageError("the domain of a reduce axis is its extent, or (first, end)");
        return reduce_axis(ends[0], ends[1] - ends[0], name);
      },
      nb::arg("dom"), nb::arg("name") = "k",
      "An axis to reduce over. dom: its extent, or (first, end) as TVM writes it.");
  m.def("compute", compute_of, nb::arg("shape"), nb::arg("fcompute"), nb::arg("name") = "compute",
        nb::arg("strides") = nb::none(),
        "The tensor of `shape` whose element at the indices is fcompute(*indices); a list of tensors where fcompute "
        "returns a tuple. A reduction has to be the whole body. Raises UsageError.");
  m.def("scan", scan_of, nb::arg("init"), nb::arg("update"), nb::arg("state"), nb::arg("inputs") = nb::none(),
        nb::arg("name") = "scan",
        "A recurrence over the leading axis: init gives the first rows, update row t from the earlier rows, which it "
        "reads through the placeholder `state`. Takes sequences for several states.");
  m.def(
      "count_flops",
      [](nb::handle tensors) { return count_flops(list_from<Tensor>(tensors, "count_flops takes tensors")); },
      nb::arg("tensors"), "Arithmetic operations that the tensors and their producers take as written.");
}

Expr expr_or_none(nb::handle object) { return object.is_none() ? Expr() : expr_from(object); }

ReduceOptions reduce_options(nb::handle where, nb::handle init) {
  return {.where = expr_or_none(where), .init = expr_or_none(init)};
}

void add_reductions(nb::module_& m) {
  constexpr const char* kAxes = "the axes of a reduction are those that reduce_axis() made";
  const auto add = [&](const char* name, ir::ReducerKind kind, const char* doc) {
    m.def(
        name,
        [kind](nb::handle value, nb::handle axis, nb::handle where, nb::handle init) {
          return bounded(reduce(kind, expr_from(value), list_from<IterVar>(axis, kAxes), reduce_options(where, init)));
        },
        nb::arg("expr"), nb::arg("axis"), nb::arg("where") = nb::none(), nb::arg("init") = nb::none(), doc);
  };
  add("sum", ir::ReducerKind::kSum,
      "The sum of expr over the axes. where: a condition; init: what the values are added to.");
  add("prod", ir::ReducerKind::kProd, "The product of expr over the axes.");
  add("any", ir::ReducerKind::kAny, "Whether a condition holds for one of the iterations.");
  add("all", ir::ReducerKind::kAll, "Whether a condition holds for all iterations.");
  // As in TVM, max and min are reductions where axes are given, and functions of two values elsewhere.
  const auto add_extremum = [&](const char* name, ir::ReducerKind kind, Expr (*of_two)(const Expr&, const Expr&)) {
    m.def(
        name,
        [kind, of_two](nb::handle a, nb::handle b, nb::handle axis, nb::handle where, nb::handle init) {
          if (axis.is_none() && !nb::isinstance<IterVar>(b) && !is_list(b)) {
            return bounded(of_two(expr_from(a), expr_from(b)));
          }
          return bounded(reduce(kind, expr_from(a), list_from<IterVar>(axis.is_none() ? b : axis, kAxes),
                                reduce_options(where, init)));
        },
        nb::arg("expr"), nb::arg("other") = nb::none(), nb::arg("axis") = nb::none(), nb::arg("where") = nb::none(),
        nb::arg("init") = nb::none(), "Of two values; or, given axes, of expr over them.");
  };
  add_extremum("max", ir::ReducerKind::kMax, [](const Expr& a, const Expr& b) { return ir::max(a, b); });
  add_extremum("min", ir::ReducerKind::kMin, [](const Expr& a, const Expr& b) { return ir::min(a, b); });

  nb::class_<Reducer>(m, "Reducer",
                      "A reducer of the user's: calling it with values and axes gives the members of the reduction.")
      .def(
          "__call__",
          [](const Reducer& reducer, nb::handle values, nb::handle axis, nb::handle where, nb::handle init) {
            std::vector<Expr> members =
                reducer(exprs_from(values), list_from<IterVar>(axis, kAxes), expr_or_none(where), exprs_or_none(init));
            std::ranges::transform(members, members.begin(), bounded);
            return any_of(members.size() == 1 ? nb::cast(members.front()) : nb::object(nb::tuple(nb::cast(members))));
          },
          nb::arg("expr"), nb::arg("axis"), nb::arg("where") = nb::none(), nb::arg("init") = nb::none());
  m.def(
      "comm_reducer",
      [](const nb::callable& combine, nb::handle identity, const std::string& name) {
        return Reducer(name, exprs_from(identity), [&](std::span<const Expr> a, std::span<const Expr> b) {
          const auto side = [](std::span<const Expr> values) {
            if (values.size() == 1) return nb::cast(values.front());
            nb::list list;
            for (const Expr& value : values) list.append(nb::cast(value));
            return nb::object(nb::tuple(list));
          };
          return exprs_from(combine(side(a), side(b)));
        });
      },
      nb::arg("fcombine"), nb::arg("identity"), nb::arg("name") = "reduce",
      "A reducer: fcombine(a, b) combines two values, or two tuples of them; identity is the neutral value, or a "
      "tuple. It has to be associative and commutative.");
  m.def(
      "min_value", [](nb::handle type) { return min_value(type_from(type)); }, nb::arg("dtype"),
      "The smallest value of a type, the identity of max.");
  m.def(
      "max_value", [](nb::handle type) { return max_value(type_from(type)); }, nb::arg("dtype"),
      "The largest value of a type, the identity of min.");
}

void add_functions(nb::module_& m) {
  const auto unary = [&](const char* name, Unary function, const char* doc = "") {
    m.def(name, [function](nb::handle x) { return bounded(function(expr_from(x))); }, nb::arg("x"), doc);
  };
  unary("exp", ir::exp);
  unary("log", ir::log, "The natural logarithm.");
  unary("log2", ir::log2);
  unary("sqrt", ir::sqrt);
  unary("rsqrt", ir::rsqrt);
  unary("tanh", ir::tanh);
  unary("sigmoid", ir::sigmoid);
  unary("erf", ir::erf);
  unary("sin", ir::sin);
  unary("cos", ir::cos);
  unary("floor", ir::floor);
  unary("ceil", ir::ceil);
  unary("round", ir::round, "To the nearest integer, ties to even.");
  unary("trunc", ir::trunc, "Towards 0.");
  unary("abs", ir::abs);
  unary("round_tf32", ir::round_tf32);
  unary("likely", ir::likely);
  const auto binary = [&](const char* name, Expr (*function)(const Expr&, const Expr&), const char* doc = "") {
    m.def(
        name, [function](nb::handle x, nb::handle y) { return bounded(function(expr_from(x), expr_from(y))); },
        nb::arg("x"), nb::arg("y"), doc);
  };
  binary("pow", ir::pow);
  binary("power", ir::pow);
  binary("scale", ir::scale, "x * 2**y, rounded once.");
  binary("logical_and", [](const Expr& a, const Expr& b) { return a && b; });
  binary("logical_or", [](const Expr& a, const Expr& b) { return a || b; });
  binary("floordiv", floor_divide, "The quotient, rounded down.");
  binary("floormod", [](const Expr& a, const Expr& b) { return a % b; });
  m.def("logical_not", [](nb::handle x) { return bounded(!expr_from(x)); }, nb::arg("x"));
  m.def(
      "fma",
      [](nb::handle x, nb::handle y, nb::handle z) {
        return bounded(ir::fma(expr_from(x), expr_from(y), expr_from(z)));
      },
      nb::arg("x"), nb::arg("y"), nb::arg("z"), "x * y + z, rounded once.");
  const auto clamp = [](nb::handle x, nb::handle low, nb::handle high) {
    return bounded(ir::clamp(expr_from(x), expr_from(low), expr_from(high)));
  };
  m.def("clamp", clamp, nb::arg("x"), nb::arg("low"), nb::arg("high"), "min(high, max(low, x)).");
  const auto select = [](nb::handle condition, nb::handle a, nb::handle b) {
    return bounded(ir::select(expr_from(condition), expr_from(a), expr_from(b)));
  };
  m.def("select", select, nb::arg("condition"), nb::arg("true_value"), nb::arg("false_value"));
  m.def("if_then_else", select, nb::arg("condition"), nb::arg("true_value"), nb::arg("false_value"),
        "select: the reads of the value that is not taken are not done.");
  m.def(
      "cast", [](nb::handle type, nb::handle x) { return bounded(ir::cast(type_from(type), expr_from(x))); },
      nb::arg("dtype"), nb::arg("x"), "The value converted to another element type.");
  m.def(
      "const", [](nb::handle value, nb::handle type) { return bounded(ir::cast(type_from(type), expr_from(value))); },
      nb::arg("value"), nb::arg("dtype") = "float32", "A number of that type.");
  m.def(
      "reinterpret",
      [](nb::handle type, nb::handle x) { return bounded(ir::reinterpret(type_from(type), expr_from(x))); },
      nb::arg("dtype"), nb::arg("x"), "The value whose bits are those of x.");
  m.def(
      "call_extern",
      [](nb::handle type, const std::string& function, const nb::args& args) {
        return bounded(ir::call_extern(type_from(type), function, exprs_from(args)));
      },
      nb::arg("dtype"), nb::arg("func_name"), nb::arg("args"),
      "The value of a C function of this process, without side effects.");
}

}  // namespace

void bind_expressions(nb::module_& m) {
  add_handles(m);
  add_operation(m);
  add_tensor(m);
  add_definitions(m);
  add_reductions(m);
  add_functions(m);
}

}  // namespace nestwright::python
