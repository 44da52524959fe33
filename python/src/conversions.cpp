#include "conversions.h"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <map>

#include "nestwright/device.h"
#include "nestwright/error.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

/// "seconds: expected a number, got 'a'"
[[noreturn]] void refuse(const char* what, const char* expected, nb::handle object) {
  throw nb::type_error((std::string(what) + ": expected " + expected + ", got " + text_of(nb::repr(object))).c_str());
}

bool is_numpy_scalar(nb::handle object) { return nb::hasattr(object, "dtype") && nb::hasattr(object, "item"); }

/// The text of a knob's value: yes, 4, [4,2,14].
std::string value_text(nb::handle value) {
  if (is_numpy_scalar(value)) return value_text(value.attr("tolist")());
  if (nb::isinstance<nb::bool_>(value)) return nb::cast<bool>(value) ? "yes" : "no";
  if (nb::isinstance<nb::int_>(value) || nb::isinstance<nb::str>(value)) return text_of(value);
  if (!is_list(value)) {
    throw nb::type_error("the value of a knob is an integer, the name of an option, or a sequence of integers");
  }
  std::string text;
  for (nb::handle part : nb::borrow<nb::sequence>(value)) text += (text.empty() ? "[" : ",") + text_of(part);
  return text + "]";
}

}  // namespace

std::int64_t integer_from(nb::handle object, const char* what) {
  if (!nb::isinstance<nb::bool_>(object) && PyIndex_Check(object.ptr()) != 0) {
    const nb::object integer = nb::steal(PyNumber_Index(object.ptr()));
    if (std::int64_t value = 0; integer.is_valid() && nb::try_cast<std::int64_t>(integer, value)) return value;
    PyErr_Clear();
    refuse(what, "an integer of 64 bits", object);
  }
  refuse(what, "an integer", object);
}

double number_from(nb::handle object, const char* what) {
  const bool is_number =
      nb::isinstance<nb::float_>(object) || PyIndex_Check(object.ptr()) != 0 || is_numpy_scalar(object);
  if (!is_number || nb::isinstance<nb::bool_>(object)) refuse(what, "a number", object);
  const double value = PyFloat_AsDouble(object.ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    refuse(what, "a number", object);
  }
  return value;
}

std::string text_from(nb::handle object, const char* what) {
  if (!nb::isinstance<nb::str>(object)) refuse(what, "a text", object);
  return nb::cast<std::string>(object);
}

ir::Type type_from(nb::handle object) {
  if (nb::isinstance<nb::str>(object)) return ir::Type::parse(nb::cast<std::string>(object));
  const nb::object dtype = nb::module_::import_("numpy").attr("dtype")(object);
  return ir::Type::parse(text_of(dtype.attr("name")));
}

nb::object dtype_of(ir::Type type) {
  static auto* const known = new std::map<std::string, nb::object>;  // outlives the interpreter's objects
  nb::object& dtype = (*known)[type.str()];
  if (!dtype) {
    const nb::object make = nb::module_::import_("numpy").attr("dtype");
    dtype = type == kBFloat16 ? make(nb::module_::import_("ml_dtypes").attr("bfloat16")) : make(type.str());
  }
  return dtype;
}

Expr expr_from(nb::handle object) {
  if (nb::isinstance<Expr>(object)) return nb::cast<Expr>(object);
  if (nb::isinstance<IterVar>(object)) return nb::cast<IterVar>(object);
  if (nb::isinstance<Var>(object)) return nb::cast<Var>(object);
  if (nb::isinstance<nb::bool_>(object)) return ir::cast(kBool, Expr(nb::cast<bool>(object) ? 1 : 0));
  if (nb::isinstance<nb::float_>(object)) return Expr(nb::cast<double>(object));
  if (PyIndex_Check(object.ptr()) != 0) return Expr(integer_from(object, "a literal"));
  if (is_numpy_scalar(object) && nb::cast<std::int64_t>(object.attr("ndim")) == 0) {
    return expr_from(object.attr("item")());
  }
  throw nb::type_error(("expected an expression or a number, got " + text_of(nb::repr(object))).c_str());
}

std::vector<Expr> exprs_from(nb::handle object) {
  if (!is_list(object)) return {expr_from(object)};
  std::vector<Expr> list;
  for (nb::handle each : nb::borrow<nb::sequence>(object)) list.push_back(expr_from(each));
  return list;
}

nb::object call_with(const nb::callable& function, std::span<const Expr> arguments) {
  nb::list list;
  for (const Expr& argument : arguments) list.append(nb::cast(argument));
  return function(*nb::tuple(list));
}

std::vector<Expr> exprs_or_none(nb::handle object) {
  return object.is_none() ? std::vector<Expr>() : exprs_from(object);
}

Args args_from(nb::handle object) {
  std::vector<Arg> args;
  for (const Tensor& tensor : list_from<Tensor>(object, "args is the list of the kernel's tensors, inputs first")) {
    args.emplace_back(tensor);
  }
  return args;
}

Target target_from(nb::handle object) {
  if (object.is_none()) return Target::host();
  return find_target(text_from(object, "target"));
}

nb::dict dict_of(const Config& config) {
  nb::dict dict;
  for (const ConfigEntry& entry : config.entries()) {
    nb::object value;
    if (!entry.label.empty()) {
      value = nb::cast(entry.label);
    } else if (entry.value.size() == 1) {
      value = nb::cast(entry.value.front());
    } else {
      nb::list parts;
      for (const std::int64_t part : entry.value) parts.append(part);
      value = parts;
    }
    dict[entry.knob.c_str()] = value;
  }
  return dict;
}

Config config_from(nb::handle object) {
  if (object.is_none()) return {};
  if (nb::isinstance<nb::str>(object)) return Config::parse(nb::cast<std::string>(object));
  std::string text;
  nb::object items = object.attr("items")();
  for (nb::handle item : items) {
    text += (text.empty() ? "" : " ") + text_of(item[0]) + "=" + value_text(item[1]);
  }
  return Config::parse(text);
}

}  // namespace nestwright::python
