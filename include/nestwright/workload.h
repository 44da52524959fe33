// A workload: an operator with shapes, attributes and types, written as "matmul m=512 n=512 k=512 tb=1"; and a task, a
// workload on a target.
//
// Thread rule: values and pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "nestwright/target.h"

#pragma GCC visibility push(default)

namespace nestwright {

struct Definition;
struct Operator;
struct Workload;

/// One parameter of an operator: what it means, its legal range, its default. An operator may gain parameters: if their
/// default means what was computed before, recorded trials keep their keys.
struct OperatorParameter {
  std::string name;
  std::string meaning;
  enum class Kind : std::uint8_t {
    kSize,    ///< an integer from 1; shapes that differ in sizes only are near each other
    kCount,   ///< an integer from 0
    kFlag,    ///< 0 or 1
    kType,    ///< of elements
    kChoice,  ///< one of the names in `choices`
    kNumber,  ///< a finite real number
    kShape,   ///< extents, outermost first: 64x56x56
    kAxes,    ///< numbers of dimensions, ascending: 0,2
  } kind = Kind::kSize;
  std::string default_value;              ///< canonical; empty: must be given
  std::vector<std::string> choices = {};  ///< of kChoice; of kType the legal types (empty: float32 and float64)
  /// A default that follows from the parameters before this one; `default_value` then says in words what it is.
  std::function<std::string(const Workload& before)> default_from = {};
};

/// A parameter's value as canonical text.
struct ParameterValue {
  std::string name;
  std::string value;
  bool is_default = false;
  friend bool operator==(const ParameterValue&, const ParameterValue&) = default;
};

/// An operator, which all its workloads share, and values for all its parameters, in the operator's order. Each
/// accessor requires a parameter of its kind.
struct Workload {
  std::shared_ptr<const Operator> op;  ///< never null once it is parsed
  std::vector<ParameterValue> parameters;
  /// What the operator computes for these parameters: Operator::define, called once by parse_workload(). Never null
  /// once the workload is parsed.
  std::shared_ptr<const Definition> definition = {};

  std::int64_t size(std::string_view name) const;  ///< or a count
  bool flag(std::string_view name) const;
  ir::Type type(std::string_view name) const;
  const std::string& choice(std::string_view name) const;
  double number(std::string_view name) const;
  std::vector<std::int64_t> shape(std::string_view name) const;
  std::int64_t elements(std::string_view name) const;  ///< of a shape
  std::vector<std::size_t> axes(std::string_view name) const;
  /// Canonical, without parameters at their defaults: "matmul m=512 n=512 k=512". The log's key.
  std::string str() const;
};
/// Whether operators and parameters have the same names and values. Not a friend, which the compiler would hide.
bool operator==(const Workload& a, const Workload& b);

/// A workload on a target, timed with caches in that state, with a stable key.
struct Task {
  Workload workload;
  Target target;
  CacheState caches = CacheState::kWarm;  ///< on a CPU; on devices they are cold
  std::string key() const { return workload.str() + " @ " + target.str(); }
};

/// Parses a workload of `op`, whose name `text` begins with. Throws UsageError that names the parameter, what is wrong
/// with it, and what is legal (unknown, missing, zero, negative, overflowing, given twice), or says that the text is of
/// another operator; and for an operator whose definition is malformed.
Workload parse_workload(std::string_view text, std::shared_ptr<const Operator> op);
/// Whether `text` begins with the operator's name, followed by a space or the end; the rest may be malformed.
bool names_operator(std::string_view text, const Operator& op);

}  // namespace nestwright

#pragma GCC visibility pop
