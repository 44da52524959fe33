// The report of `nestwright doctor` on this machine.
// Thread rule: any thread. Starts the executable nestwright beside this one.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace nestwright::bench {

/// Its JSON document. Takes about two seconds. Throws Error where it fails.
nlohmann::json ask_doctor();

}  // namespace nestwright::bench
