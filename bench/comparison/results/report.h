// The text around the tables (the origin of the results, and each comparison as it is made), and the whole as JSON.
// Thread rule: pure functions; write_document writes a file.
#pragma once

#include <string>
#include <vector>

#include "bench/comparison/results/comparison.h"
#include "bench/comparison/results/results_file.h"
#include "bench/comparison/results/section.h"

namespace nestwright::bench {

/// Processor, target, system, commit, conditions, and the libraries that are not compared because they are not built.
std::string report_heading(const Provenance& provenance, const std::vector<std::string>& absent);

/// The bound of the workload, then for each contestant its speed, the ratio with its interval, and what ran.
std::string to_text(const Comparison& comparison);

/// An object with the origin of the results and the sections.
nlohmann::json report_document(const Provenance& provenance, const std::vector<Section>& sections);
/// Throws Error where the file cannot be written.
void write_document(const std::string& path, const nlohmann::json& document);

}  // namespace nestwright::bench
