// What is said of a workload that is refused.
#pragma once

#include <string>

#include "support/error.h"
#include "templates/workload.h"

namespace nestwright {

/// The whole message; "accepted" where there is none.
inline std::string refusal(const std::string& text) {
  try {
    parse_workload(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace nestwright
