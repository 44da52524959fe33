// The names that the tensors of a signature have in the exported sources.
//
//   double[i] = x[i]     void NAME(const float* x, float* t_double)
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "expression/tensor.h"

namespace nestwright {

/// What a self-test appends to a tensor's name to name its own variables and functions.
inline constexpr const char* kSelfTestSuffixes[] = {"_at",     "_checked", "_elements", "_expected", "_is_right",
                                                    "_memory", "_place",   "_sent",     "_span"};

/// One name a tensor: its own, with "t_" before it as often as needed where that has a meaning in C, in C++, in the
/// headers that the sources include or in the sources themselves, and where two tensors would have one name.
std::vector<std::string> c_parameter_names(std::span<const Tensor> tensors);

}  // namespace nestwright
