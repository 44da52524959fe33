// Lowers a point of the search space to the program that a worker receives, and computes its features.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <variant>

#include "cost_model/device_resources.h"
#include "cost_model/knob_columns.h"
#include "nestwright/lower.h"
#include "nestwright/measurement.h"
#include "nestwright/program.h"
#include "search/space/point.h"

namespace nestwright {

/// A program in loop form, or why the point has none: a primitive or the lowering refused it, or the verifier did where
/// `options.verify` is set.
using Lowered = std::variant<ir::Program, std::string>;
/// Applies the template to the point and lowers the schedule.
Lowered lower_point(const Task& task, const Point& point, const LowerOptions& options = {});

/// The features of a point for a Ranker: those of the lowered program, its knobs and, for CUDA, empty columns for the
/// resources that the compiler reports. nullopt where the point cannot be lowered.
std::optional<Features> candidate_features(const Task& task, const KnobColumns& columns, const Point& point);

/// The resources of the kernel whose blocks take the most registers. nullopt where the compiler reports none.
std::optional<DeviceResources> candidate_resources(const std::vector<KernelResources>& kernels);

}  // namespace nestwright
