// The message for a workload that is refused.
#pragma once

#include <string>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "tests/support/message.h"

namespace nestwright {

/// The whole message; "accepted" where there is none.
inline std::string refusal(const std::string& text) {
  return message<UsageError>([&] { parse_workload(text); });
}

}  // namespace nestwright
