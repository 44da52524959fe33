// From a point to the program that a worker is sent.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <variant>

#include "codegen/backend.h"
#include "cost_model/device_needs.h"
#include "ir/core/program.h"
#include "lower/lower.h"
#include "search/search_space.h"

namespace nestwright {

/// The program in loop form, or why the point has none: a primitive or the lowering refuses it, or, where
/// `options.verify` is set, a pass left it unsound.
using Lowered = std::variant<ir::Program, std::string>;
Lowered lower_point(const SearchSpace& space, const Point& point, const LowerOptions& options = {});

/// Name of the kernel of a workload, as in the printed program and the object's symbols.
std::string kernel_name(const Workload& workload);

/// What a Ranker asks for: the lowered program, knobs and, for CUDA, columns for what the compiler tells. Refers to
/// `space`.
std::optional<Features> point_features(const SearchSpace& space, const KnobColumns& columns, const Point& point);

/// Of the kernel whose blocks take most registers; nullopt where the compiler does not tell.
std::optional<DeviceNeeds> needs_of(const std::vector<KernelResources>& kernels);

}  // namespace nestwright
