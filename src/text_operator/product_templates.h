// The templates of matmul for an expression that is a matrix product by its structure, or one that elementwise
// operations follow (text/analysis/epilogue.h). Calls pass the tensors in the shapes of the text. Thread rule: pure
// functions.
#pragma once

#include <optional>
#include <vector>

#include "nestwright/registry.h"
#include "nestwright/template.h"
#include "text_operator/parsed_text.h"

namespace nestwright {

/// The workload of matmul that computes the same from the same memory. nullopt if the expression is not a product alone
/// (text::find_product), or its types are not those of a matmul.
std::optional<Workload> matmul_workload_of(const text::Expression& expression);

/// The templates, in the order of those of the registry's matmul. Empty if the expression has no product, or the
/// registry does not have the matmul of this library.
std::vector<Template> product_templates(const ParsedText& text, const Registry& registry);

}  // namespace nestwright
