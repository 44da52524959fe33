// Replaces operations of a definition by others of the same results. What reads them is computed anew.
// Thread rule: pure functions.
#pragma once

#include <functional>
#include <vector>

#include "nestwright/template.h"

namespace nestwright {

/// The operations that compute the outputs, producers before consumers, with those of the inputs.
std::vector<Operation> operations_of(const Definition& definition);

/// An expression that reads the replacements of the tensors that `e` reads.
using ReadReplacements = std::function<Expr(const Expr& e)>;

/// Calls `replace` for each operation that computes something, producers before consumers. The tensor that it returns
/// takes the place of the operation's only result, of which it has the type and the elements in their order; an
/// undefined one: the operation stays as it is. Requires a definition without scans and strides.
void replace_tensors(Definition& definition,
                     const std::function<Tensor(const Operation& op, const ReadReplacements& reads)>& replace);

}  // namespace nestwright
