// Describes the record of a network: network_text() for people, network_json() for programs.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <vector>

#include "cli/output/record_output.h"
#include "nestwright/records.h"

namespace nestwright::cli {

/// Lines that end the table of its kernels: its time, what is between them, and what was chosen while it ran.
/// `variant`: what describe_variant() (network/variant.h) says.
std::string network_text(const NetworkRecord& record, const std::vector<std::string>& variant);
Json network_json(const NetworkRecord& record);

}  // namespace nestwright::cli
