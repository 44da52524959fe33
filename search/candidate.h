// From a point to the program that a worker is sent.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <variant>

#include "cost_model/features.h"
#include "ir/program.h"
#include "search/search_space.h"

namespace nestwright {

/// The program in loop form, or why the point has none: a primitive or the lowering refuses it.
using Lowered = std::variant<ir::Program, std::string>;
Lowered lower_point(const SearchSpace& space, const Point& point);

/// Name of the kernel of a workload, as in the printed program and the object's symbols.
std::string kernel_name(const Workload& workload);

/// What a Ranker asks for: knobs and the lowered program. Refers to `space`.
std::optional<Features> point_features(const SearchSpace& space, const KnobColumns& columns, const Point& point);

}  // namespace nestwright
