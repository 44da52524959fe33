// Conversions between Python's objects and the library's values. Thread rule: the caller holds the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nestwright/config_space.h"
#include "nestwright/lower.h"
#include "nestwright/target.h"
#include "nestwright/tensor.h"

namespace nestwright::python {

/// An element type: "float32", numpy.float32, a numpy.dtype, those of ml_dtypes. Throws UsageError.
ir::Type type_from(nanobind::handle object);
/// The numpy.dtype of an element type. Throws ImportError for bfloat16 where ml_dtypes is missing.
nanobind::object dtype_of(ir::Type type);

/// Returns whether the object is a tuple or a list. Python's protocol of sequences would include tensors, which have
/// elements, too.
inline bool is_list(nanobind::handle object) {
  return nanobind::isinstance<nanobind::tuple>(object) || nanobind::isinstance<nanobind::list>(object);
}

/// An integer: Python's, one of numpy, or a knob's in this run. Throws TypeError, which names it as `what`, for others.
std::int64_t integer_from(nanobind::handle object, const char* what);
/// A number, likewise.
double number_from(nanobind::handle object, const char* what);
/// A text, likewise.
std::string text_from(nanobind::handle object, const char* what);

/// An expression, an axis, a variable, or a number. Throws TypeError.
Expr expr_from(nanobind::handle object);
/// The same for a tuple or a list, or for one alone.
std::vector<Expr> exprs_from(nanobind::handle object);
/// A tuple or a list of handles of a bound class, or one alone. Throws TypeError that says what is `expected`.
template <class T>
std::vector<T> list_from(nanobind::handle object, const char* expected) {
  std::vector<T> list;
  T one;
  if (nanobind::try_cast<T>(object, one)) return {one};
  if (!is_list(object)) throw nanobind::type_error(expected);
  for (nanobind::handle each : nanobind::borrow<nanobind::sequence>(object)) {
    if (!nanobind::try_cast<T>(each, one)) throw nanobind::type_error(expected);
    list.push_back(one);
  }
  return list;
}

/// An object whose type annotations leave open.
inline nanobind::any any_of(nanobind::handle object) { return nanobind::borrow<nanobind::any>(object); }

/// Calls `function` with the expressions as separate arguments.
nanobind::object call_with(const nanobind::callable& function, std::span<const Expr> arguments);
/// exprs_from(), or no expressions for None.
std::vector<Expr> exprs_or_none(nanobind::handle object);

/// The args of a kernel: a list of tensors, inputs first. Throws TypeError.
Args args_from(nanobind::handle object);

/// A target's text, or None for this machine. Throws UsageError.
Target target_from(nanobind::handle object);

/// {"tile_i": [4, 2, 14], "pack_b": "yes", "unroll_k": 4}: labels where a knob has them, else a number or several.
nanobind::dict dict_of(const Config& config);
/// The inverse; labels are not resolved. Takes the text of a configuration as well. Throws UsageError, TypeError.
Config config_from(nanobind::handle object);

}  // namespace nestwright::python
