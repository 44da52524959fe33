// What a contestant brings: one workload, ready to be called on given tensors. Each library has one file under
// contestants/ that defines make_operation and is linked into an executable of its own, so that no process holds two
// libraries. Thread rule: one thread at a time.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "bench/comparison/conditions.h"
#include "templates/framework/workload.h"

namespace nestwright::bench {

/// The tensors of one call, in the order of the operator's definition and laid out as it says.
struct Operands {
  std::vector<const void*> inputs;
  std::vector<void*> outputs;
};

struct OperationRequest {
  Workload workload;
  Weights weights = Weights::kPlain;
  int threads = 1;
  /// Where the tensors lie: several times over where caches are to be cold. They outlive the operation. The inputs hold
  /// their values already.
  std::vector<Operands> copies;
  std::string database;  ///< for ours
};

/// One complete call a copy of the operands.
using Calls = std::vector<std::function<void()>>;

struct Operation {
  std::string detail;        ///< version, routine and code path, as the library itself tells them
  bool runs_avx512 = false;  ///< as the library itself tells
  Calls calls;
};

/// A library does not have this operator, type or packing.
struct CannotDo {
  std::string why;
};

/// Throws Error where the library fails.
std::variant<Operation, CannotDo> make_operation(const OperationRequest& request);

/// `make(operands)` gives a call; one for each copy.
template <class Make>
Calls calls_for(const std::vector<Operands>& copies, Make make) {
  Calls calls;
  for (const Operands& operands : copies) calls.emplace_back(make(operands));
  return calls;
}

}  // namespace nestwright::bench
