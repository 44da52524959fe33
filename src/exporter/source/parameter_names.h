// Chooses the names of a signature's tensors in the exported sources.
//
//   double[i] = x[i]     void NAME(const float* x, float* t_double)
// Thread rule: pure functions.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "nestwright/tensor.h"

namespace nestwright {

/// The suffixes that a self-test appends to a tensor's name for its own variables and functions.
inline constexpr const char* kSelfTestSuffixes[] = {"_at",     "_checked", "_elements", "_expected", "_is_right",
                                                    "_memory", "_place",   "_sent",     "_span"};

/// Returns one name per tensor: its own if that is free, else with "t_" prepended until it is. A name is not free if it
/// has a meaning in C, C++, the included headers or the exported sources, or if another tensor has it.
std::vector<std::string> c_parameter_names(std::span<const Tensor> tensors);

}  // namespace nestwright
