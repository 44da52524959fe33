// What a processor has beyond its instruction set, by its name. Thread rule: a pure function.
#pragma once

#include <string_view>

#include "nestwright/target.h"

namespace nestwright {

/// Returns the features of a processor by LLVM's name for it; none if the name is not known. A machine may have fewer,
/// because hypervisors hide some.
CpuFeatures features_of_cpu(std::string_view llvm_cpu);

}  // namespace nestwright
