// How values are written into columns and read back. Private to logs/.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "logs/record.h"
#include "logs/sqlite/database.h"

namespace nestwright {

// The functions that decode throw LogError for a text that none of the encoders wrote.

/// A JSON list; what is not finite becomes null, and NaN when it is read back.
std::string encode_numbers(std::span<const double> numbers);
std::vector<double> decode_numbers(std::string_view json);

/// A JSON object in the operator's order; integers as numbers.
std::string encode_parameters(const std::vector<WorkloadParameter>& parameters);
std::vector<WorkloadParameter> decode_parameters(std::string_view json);

/// A JSON list of [name, version], for kTemplateMatches.
std::string encode_templates(const std::vector<TemplateVersion>& templates);

/// True where the list bound to :templates is empty or holds the row of `space`.
inline constexpr const char* kTemplateMatches =
    "(:templates = '[]' OR EXISTS (SELECT 1 FROM json_each(:templates) AS usable"
    " WHERE usable.value ->> 0 = space.template AND usable.value ->> 1 = space.template_version))";

/// "?, ?, ?"
std::string placeholders(int count);

/// NULL for a number that is positive where it is known.
inline std::optional<double> known(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

/// A JSON list of objects, one a kernel.
std::string encode_resources(const std::vector<KernelResources>& kernels);
std::vector<KernelResources> decode_resources(std::string_view json);

/// The columns that trial and race_entry share, in the order of bind_measurement() and read_measurement().
inline constexpr const char* kMeasurementColumns =
    "outcome, message, median_ns, low_ns, high_ns, samples_ns, raw_ns, reference_ns, fma_ns, walk_ns, ended_early, "
    "disturbance, verified, largest_error, largest_error_ratio";
inline constexpr int kMeasurementColumnCount = 15;
/// Which lists of readings are selected: they are most of a row, and not everybody looks at them.
enum class Readings : std::uint8_t {
  kAll,
  kScores,  ///< samples_ns and the sentinels: not what they were made of
  kNone,
};
/// "prefix.outcome, prefix.message, ..."
std::string measurement_columns(const std::string& prefix, Readings readings = Readings::kAll);
void bind_measurement(sqlite::Statement& statement, const Measurement& measurement);
Measurement read_measurement(const sqlite::Statement& row, int first_column);

/// template, template_version, knobs, origin of space and proposal.
inline constexpr const char* kProposalColumns =
    "space.template, space.template_version, proposal.knobs, proposal.origin";
inline constexpr int kProposalColumnCount = 4;
Proposal read_proposal(const sqlite::Statement& row, int first_column);

}  // namespace nestwright
