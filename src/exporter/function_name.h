// What an exported function, its files and its library are called.
// Thread rule: pure functions.
#pragma once

#include <string>

#include "templates/framework/workload.h"

namespace nestwright {

/// matmul_m512_n512_k512_tb1_float32.
std::string default_function_name(const Workload& workload);

/// Throws UsageError for what cannot be the name of a function in both C and C++.
void check_function_name(const std::string& name);
/// Throws UsageError: it has a meaning already.
[[noreturn]] void refuse_taken_name(const std::string& name);

}  // namespace nestwright
