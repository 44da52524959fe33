// The names of an exported function, its files and its library.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "nestwright/workload.h"

namespace nestwright {

/// Returns e.g. "matmul_m512_n512_k512_tb1_float32".
std::string default_function_name(const Workload& workload);

/// Throws UsageError unless `name` can be the name of a function in both C and C++.
void check_function_name(const std::string& name);
/// Returns whether the name is a keyword of C or C++, or the exported sources use it.
bool is_taken_name(const std::string& name);
/// Throws UsageError that says that the name is already in use.
[[noreturn]] void refuse_taken_name(const std::string& name);

}  // namespace nestwright
