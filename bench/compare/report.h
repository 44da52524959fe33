// How comparisons are shown: a table for people and one JSON document.
// Thread rule: pure functions, but for machine_json, which looks at the machine.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "bench/compare/summary.h"

namespace nestwright::bench {

/// CPU, target, system and `commit`.
nlohmann::json machine_json(const std::string& commit);
std::string machine_text(const nlohmann::json& machine);

std::string to_text(const Comparison& comparison, int rounds_asked);
nlohmann::json to_json(const Comparison& comparison);

std::string verdicts_text(const std::vector<Verdict>& verdicts);
nlohmann::json to_json(const Verdict& verdict);

}  // namespace nestwright::bench
