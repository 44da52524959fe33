// Encodes values into columns and decodes them. Private to logs/.
// Thread rule: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logs/sqlite/database.h"
#include "nestwright/records.h"

namespace nestwright {

// Decoding functions throw LogError for a text that the encoder cannot have written.

/// A JSON list; a number that is not finite becomes null, which decodes to NaN.
std::string encode_numbers(std::span<const double> numbers);
std::vector<double> decode_numbers(std::string_view json);

/// A JSON list.
std::string encode_texts(const std::vector<std::string>& texts);
std::vector<std::string> decode_texts(std::string_view json);

/// A JSON object in the operator's order; integers are numbers.
std::string encode_parameters(const std::vector<WorkloadParameter>& parameters);
std::vector<WorkloadParameter> decode_parameters(std::string_view json);

/// A JSON list of [name, version], for kTemplateMatches.
std::string encode_templates(const std::vector<TemplateVersion>& templates);

/// SQL that is true if the list bound to :templates is empty or contains the template of the row of `space`.
inline constexpr const char* kTemplateMatches =
    "(:templates = '[]' OR EXISTS (SELECT 1 FROM json_each(:templates) AS usable"
    " WHERE usable.value ->> 0 = space.template AND usable.value ->> 1 = space.template_version))";

/// "?, ?, ?"
std::string placeholders(int count);

/// Converts a number that is positive if it is known: absent (NULL) otherwise.
inline std::optional<double> known(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

/// A JSON list of objects, one per kernel.
std::string encode_resources(const std::vector<KernelResources>& kernels);
std::vector<KernelResources> decode_resources(std::string_view json);

/// A JSON object: {"templates":[{"template":"matmul.cpu","version":1,"points":[512,900,3],
/// "knobs":{"unroll_k":{"4":[128,310,0]}}}]}; the numbers of points that were sampled, ranked, and not lowered; the
/// last may be missing: 0.
std::string encode_funnel(const SearchFunnel& funnel);
SearchFunnel decode_funnel(std::string_view json);

/// The columns that trial and race_entry share, in the order of bind_measurement() and read_measurement().
inline constexpr const char* kMeasurementColumns =
    "outcome, message, median_ns, low_ns, high_ns, samples_ns, raw_ns, reference_ns, fma_ns, walk_ns, ended_early, "
    "disturbance, verified, largest_error, largest_error_ratio";
inline constexpr int kMeasurementColumnCount = 15;
/// Which lists of readings are selected. They are most of a row, and not every query needs them.
enum class Readings : std::uint8_t {
  kAll,
  kScores,  ///< samples_ns and the sentinels, without the readings that the scores derive from
  kNone,
};
/// "prefix.outcome, prefix.message, ..."
std::string measurement_columns(const std::string& prefix, Readings readings = Readings::kAll);
/// The columns of trial that a new measurement replaces, in this order: the measurement, what was reported about the
/// device, and the part that was timed. "outcome, ..., part_ratio", or "prefix.outcome, ..., prefix.part_ratio".
std::string remeasured_columns(const std::string& prefix = "");
void bind_measurement(sqlite::Statement& statement, const Measurement& measurement);
Measurement read_measurement(const sqlite::Statement& row, int first_column);

/// The columns template, template_version and knobs of space and proposal.
inline constexpr const char* kPointColumns = "space.template, space.template_version, proposal.knobs";
inline constexpr int kPointColumnCount = 3;
Point read_point(const sqlite::Statement& row, int first_column);

}  // namespace nestwright
