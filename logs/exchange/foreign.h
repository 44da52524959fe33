// Recorded spaces of other tuners, as their files are read and written. Private to logs/exchange.
// Thread rule: values and pure functions.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "nestwright/config_space.h"
#include "nestwright/measurement.h"

namespace nestwright {

/// What a file says of all its trials.
struct ForeignSpace {
  std::string source;        ///< WorkloadKey::source: "T4"
  std::string tuner;         ///< that measured them: "Kernel Tuner 1.0"; empty: not known
  std::string kernel;        ///< its name
  std::string device;        ///< its name; empty: not known
  std::string problem_size;  ///< of the kernel: "4096,4096"; empty: not known
  /// The fields of the file that have no column, which an export writes again.
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
};

/// A trial of a file.
struct ForeignTrial {
  Config config;  ///< integers are values; texts, other numbers, truth values and lists are labels (knob_of())
  Measurement measurement;  ///< times in the units of its fields
  std::string recorded_at;  ///< UTC, ISO 8601; empty: not known
  /// The fields of the trial that have no column, as in t4_entry.h.
  nlohmann::ordered_json rest = nlohmann::ordered_json::object();
};

/// A parameter and its value as an entry of a configuration; value_of() is the inverse.
///   4 -> 4    "yes" -> yes    "4" -> "4"    true -> true    0.5 -> 0.5    [1,2] -> [1,2]
ConfigEntry knob_of(const std::string& name, const nlohmann::ordered_json& value);
nlohmann::ordered_json value_of(const ConfigEntry& entry);

/// Whether a column of integers holds the value.
bool is_integer(const nlohmann::ordered_json& value);

/// How deep lists and objects may lie in each other in a file: functions that write them call themselves.
constexpr int kMaxDepth = 64;

/// The value of a text in JSON; discarded if it is not JSON. Sets `is_deep` if it is deeper than `max_depth`, and is
/// discarded then, too.
nlohmann::ordered_json parsed_json(const std::string& text, int max_depth = kMaxDepth, bool* is_deep = nullptr);

/// The text of a value, on one line. Bytes of a damaged database that are not UTF-8 are replaced.
std::string to_text(const nlohmann::ordered_json& value);

/// Gives configurations one order of knobs: that in which these were first seen.
class KnobOrder {
 public:
  Config sorted(const Config& config);

 private:
  std::map<std::string, std::size_t, std::less<>> places_;
};

/// Throws UsageError as readers of a part of a file do: the caller adds the place, as in "result 3 of file 'a' has
/// ...".
[[noreturn]] void refuse_part(const std::string& what);

}  // namespace nestwright
