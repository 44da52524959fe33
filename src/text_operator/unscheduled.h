// The template without a choice: every tensor in loops of its own, on the CPU.
// Thread rule: a pure function.
#pragma once

#include "templates/framework/template.h"

namespace nestwright {

Template unscheduled_template();

}  // namespace nestwright
