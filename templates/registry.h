// The explicit lists of operators and templates. To add one: a folder under templates/ and a line in registry.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "templates/framework/template.h"

namespace nestwright {

const std::vector<Operator>& operators();
const std::vector<Template>& templates();

/// Throws UsageError that lists the known operators.
const Operator& find_operator(std::string_view name);
/// Parses a workload of one of the operators. Throws UsageError for an unknown one, and as parse_workload of a known
/// operator does.
Workload parse_workload(std::string_view text);
/// Templates of an operator for a kind of device, whatever they serve. Throws UsageError where there is none.
std::vector<const Template*> templates_for(std::string_view op, DeviceKind device);
/// Those of them that serve the workload on the target, or of these the one named `only`. Throws UsageError where there
/// is none, which says why.
std::vector<const Template*> templates_for(const Workload& workload, const Target& target, std::string_view only = {});
/// nullptr where there is none of that name.
const Template* find_template(std::string_view name);

}  // namespace nestwright
