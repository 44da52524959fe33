// The template conv2d.winograd for an expression that is a convolution by its structure, or one that elementwise
// operations follow (text/analysis/epilogue.h). Calls pass the tensors in the shapes of the text.
// Thread rule: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "nestwright/registry.h"
#include "nestwright/template.h"
#include "text/analysis/convolution.h"
#include "text_operator/parsed_text.h"

namespace nestwright {

/// The convolution in the expression, if Winograd's algorithm computes it, on CPUs that can run it.
std::optional<text::ConvolutionStage> winograd_stage_of(const text::Expression& expression);

/// Empty if the algorithm does not compute the expression, or the registry does not have the conv2d of this library.
std::vector<Template> convolution_templates(const ParsedText& text, const Registry& registry);

}  // namespace nestwright
