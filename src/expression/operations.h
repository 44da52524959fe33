// Making operations and naming their results, and finding them again by these. Internal to the library.
// Thread rule: any thread may call anything at any time.
#pragma once

#include <cstddef>
#include <string>

#include "expression/tensor.h"

namespace nestwright {

/// The operation of `node`, found by operation_of as long as it lives.
Operation make_operation(Operation::Node node);

/// The operation that has `buffer` among its results. Undefined where it is gone, or was never made by make_operation.
Operation operation_of(const Buffer& buffer);

/// What result number `number` of the `count` results of an operation (or a stage) is called: T, or T.v0, T.v1, ...
std::string result_name(const std::string& operation, std::size_t number, std::size_t count);

/// Throws UsageError for a name that is empty or has spaces.
void check_name(const std::string& name);

}  // namespace nestwright
