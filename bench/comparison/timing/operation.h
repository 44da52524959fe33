// The interface that each library implements: one workload, ready to be called on given tensors. Each library has one
// file under contestants/ that defines make_operation. It is linked into an executable of its own, so that no process
// contains two libraries. Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "bench/comparison/results/conditions.h"
#include "nestwright/template.h"

namespace nestwright::bench {

/// The tensors of one call, in the order and layout of the operator's definition.
struct Operands {
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
};

struct OperationRequest {
  Workload workload;
  Weights weights = Weights::kPlain;
  int threads = 1;
  /// The tensors, several copies where caches are to be cold. They outlive the operation. The inputs already have their
  /// values.
  std::vector<Operands> copies;
  std::string database;       ///< for our own kernel
  std::string template_name;  ///< likewise; empty: the best of all
};

/// One complete call for each copy of the operands.
using Calls = std::vector<std::function<void()>>;

struct Operation {
  std::string detail;        ///< version, routine and code path, as reported by the library
  bool runs_avx512 = false;  ///< as reported by the library
  Calls calls;
  /// For each call, what brings its result into the operator's layout, untimed; empty where the calls do so.
  Calls stores = {};
};

/// The library does not support the operator, type or packing.
struct CannotDo {
  std::string why;
};

/// Prepares the operation. Throws Error where the library fails.
std::variant<Operation, CannotDo> make_operation(const OperationRequest& request);

/// One call for each copy, made by make(operands).
template <class Make>
Calls calls_for(const std::vector<Operands>& copies, Make make) {
  Calls calls;
  for (const Operands& operands : copies) calls.emplace_back(make(operands));
  return calls;
}

}  // namespace nestwright::bench
