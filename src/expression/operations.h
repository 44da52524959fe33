// Making operations, and finding them again by their results. Internal to the library.
// Thread rule: any thread may call anything at any time.
#pragma once

#include <string>

#include "expression/tensor.h"

namespace nestwright {

/// The operation of `node`, found by operation_of as long as it lives.
Operation make_operation(Operation::Node node);

/// The operation that has `buffer` among its results. Undefined where it is gone, or was never made by make_operation.
Operation operation_of(const Buffer& buffer);

/// Throws UsageError for a name that is empty or has spaces.
void check_name(const std::string& name);

}  // namespace nestwright
