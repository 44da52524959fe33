// Configurations as JSON, as logs and manifests store them:
//   {"pack_b":"whole","register_rows":14,"order":[1,0]}
// Labels become strings, single values numbers, other values lists; entries keep their order.
// Thread rule: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "nestwright/config_space.h"

namespace nestwright {

std::string to_json(const Config& config);

/// The restriction of a recorded session: {"template":"matmul.cpu","fix":{"unroll_k":4},"only":["tile <= 64"]}; {} if
/// there is none. `template_name`: the only template; empty: all.
std::string to_json(const Restriction& restriction, const std::string& template_name = "");

/// A restriction as a session recorded it.
struct RecordedRestriction {
  Restriction restriction;    ///< labels of fixed values are not resolved
  std::string template_name;  ///< the only template; empty: all
};

/// The inverse of to_json of a restriction. Other fields are ignored. Throws UsageError that names the malformed part.
RecordedRestriction restriction_from_json(std::string_view text);

/// The inverse of to_json, except that entries with labels have no values until ConfigSpace::resolve adds them. Throws
/// UsageError that names the malformed part.
Config config_from_json(std::string_view text);

}  // namespace nestwright
