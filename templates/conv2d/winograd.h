// Winograd's minimal filtering for expressions that contain a convolution, beside the operator's template
// (templates/conv2d/conv2d.h).
// Thread rule: as a Schedule's.
#pragma once

#include "nestwright/template.h"
#include "templates/conv2d/winograd_form.h"

namespace nestwright {

/// The schedule of conv2d.winograd. The first two of the definition's arguments are X and W; the last one becomes Y,
/// which `finish` computes. Requires that winograd_unsupported_reason() is empty.
Schedule schedule_winograd(Tuning& t, const Convolution& convolution, Definition& definition, const Target& target,
                           const WinogradFinish& finish = {});

}  // namespace nestwright
