// Makes tensors of a program.
// Thread rule: pure functions.
#pragma once

#include <vector>

#include "expression/tensor.h"
#include "text/program.h"

namespace nestwright::text {

struct Signature {
  std::vector<Tensor> args;  ///< as Program::parameters() says: inputs, then outputs
  int inputs = 0;
};

/// Sums read padded copies of tensors, and are computed by phases (text/phases.h). Throws UsageError as compute() does,
/// for a body that is too large.
Signature make_tensors(const Program& program);

}  // namespace nestwright::text
