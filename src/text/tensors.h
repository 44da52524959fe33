// Makes the tensors that compute a program.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "nestwright/tensor.h"
#include "text/syntax/program.h"

namespace nestwright::text {

struct Signature {
  std::vector<Tensor> args;  ///< as Program::parameters() says: inputs, then outputs
  int inputs = 0;
};

enum class TensorForm : std::uint8_t {
  kFast,     ///< sums read padded copies of tensors, and are computed by phases (text/analysis/phases.h)
  kWritten,  ///< as the text says
};

/// Throws UsageError as compute() does, for a body that is too large.
Signature make_tensors(const Program& program, TensorForm form = TensorForm::kFast);

}  // namespace nestwright::text
