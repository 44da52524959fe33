// Makes the builder of a session. Thread rule: any thread.
#pragma once

#include <memory>

#include "nestwright/tune.h"

namespace nestwright {

/// The builder that a session makes for itself. Throws Error where the workers do not start.
std::shared_ptr<Builder> make_session_builder(const Target& target, const SessionOptions& options);

}  // namespace nestwright
