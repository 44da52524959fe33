// Makes operations, names their results, and finds the operation of a buffer. Internal to the library.
// Thread rule: any thread may call any function at any time.
#pragma once

#include <cstddef>
#include <string>

#include "expression/tensor.h"

namespace nestwright {

/// Makes the operation of `node`, whose depth follows from its inputs; operation_of finds it as long as it lives.
/// Throws UsageError where it ends a chain of more than kMaxChain operations: handles are destroyed, and schedules
/// built, by recursion over producers.
Operation make_operation(Operation::Node node);

/// The operation that has `buffer` among its results. Undefined where make_operation did not make it or it is gone.
Operation operation_of(const Buffer& buffer);

/// The name of result `number` of an operation (or stage) with `count` results: T for one, else T.v0, T.v1, ...
std::string result_name(const std::string& operation, std::size_t number, std::size_t count);

/// Throws UsageError for a name that is empty or has spaces.
void check_name(const std::string& name);

}  // namespace nestwright
