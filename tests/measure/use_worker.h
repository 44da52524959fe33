// Selects the executable that the workers of a test run.
#pragma once

#include <cstdlib>

namespace nestwright {

inline void use_worker(const char* path) { setenv("NESTWRIGHT_WORKER", path, 1); }

}  // namespace nestwright
