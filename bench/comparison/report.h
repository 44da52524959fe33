// What is said around the tables: where results come from, and one comparison as it comes; and all of it for programs.
// Thread rule: pure functions; write_document writes a file.
#pragma once

#include <string>
#include <vector>

#include "bench/comparison/comparison.h"
#include "bench/comparison/results_file.h"
#include "bench/comparison/section.h"

namespace nestwright::bench {

/// Processor, target, system, commit, conditions; `absent`: libraries that are not compared because they are not there.
std::string heading_text(const Provenance& provenance, const std::vector<std::string>& absent);

/// What binds, then each contestant with its speed, the ratio and its interval, and what of it ran.
std::string to_text(const Comparison& comparison);

/// An object: where results come from, and the sections.
nlohmann::json document_of(const Provenance& provenance, const std::vector<Section>& sections);
/// Throws Error where the file cannot be written.
void write_document(const std::string& path, const nlohmann::json& document);

}  // namespace nestwright::bench
