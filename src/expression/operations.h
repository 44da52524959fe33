// Makes operations, names their results and checks their size, and finds the operation of a buffer. Internal to the
// library. Thread rule: any thread may call any function at any time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "nestwright/tensor.h"

namespace nestwright {

/// Makes the operation of `node`, whose depth follows from its inputs; operation_of finds it as long as it lives.
/// Throws UsageError where it ends a chain of more than kMaxChain operations: handles are destroyed, and schedules
/// built, by recursion over producers.
Operation make_operation(Operation::Node node);

/// The operation that has `buffer` among its results. Undefined where make_operation did not make it or it is gone.
Operation operation_of(const Buffer& buffer);

/// The name of result `number` of an operation (or stage) with `count` results: T for one, else T.v0, T.v1, ...
std::string result_name(const std::string& operation, std::size_t number, std::size_t count);

/// Whether a tensor of this shape, in which symbols count as 1, has from 1 to 2^48 elements. More than that no memory
/// holds, and the bytes of several tensors might add up to more than an int64.
bool is_addressable(const std::vector<Expr>& shape);

/// Throws UsageError for a name that is empty or has spaces.
void check_name(const std::string& name);

}  // namespace nestwright
