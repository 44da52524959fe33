// What is tuned: an operator with shapes, attributes and types, written   matmul m=512 n=512 k=512 ta=0 tb=1
// dtype=float32.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ir/type.h"
#include "target/target.h"

namespace nestwright {

/// One parameter of an operator: what it means, its legal range, its default.
struct OperatorParameter {
  std::string name;
  std::string meaning;
  enum class Kind : std::uint8_t { kSize, kFlag, kType } kind = Kind::kSize;
  std::string default_value;  ///< empty: must be given
};

/// Values are canonical text: every parameter is there, in the operator's order.
struct Workload {
  std::string op;
  std::vector<std::pair<std::string, std::string>> parameters;

  std::int64_t size(std::string_view name) const;  ///< requires a kSize parameter
  bool flag(std::string_view name) const;
  ir::Type type(std::string_view name) const;
  /// Canonical: "matmul m=512 n=512 k=512 ta=0 tb=0 dtype=float32". The log's key.
  std::string str() const;
  friend bool operator==(const Workload&, const Workload&) = default;
};

/// A workload on a target, with a stable key.
struct Task {
  Workload workload;
  Target target;
  std::string key() const { return workload.str() + " @ " + target.str(); }
};

/// Parses and checks against the registry. Throws UsageError that names the operator or parameter, what is wrong with
/// it, and what is legal (unknown, missing, zero, negative, overflowing, given twice).
Workload parse_workload(std::string_view text);

}  // namespace nestwright
