// Options of lowering. Thread rule: values.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "ir/core/program.h"

namespace nestwright {

/// Observation of the passes, for --print-after, timing and tests.
struct LowerOptions {
  /// Called after each pass with its name, its result and the nanoseconds that it took; may be empty.
  std::function<void(std::string_view pass, const ir::Program&, std::int64_t ns)> after_pass;
  /// Verify the program after each pass that leaves it complete; a violation is an InternalError or an UnprovedError.
  /// Always on in debug builds.
  bool verify = false;
};

}  // namespace nestwright
