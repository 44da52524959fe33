// One entry of a file in the format T4, a result, from and to a trial. T4 is the output format of autotuners of the
// FAIR auto-tuning schemas (github.com/odgaard/TuningSchema, branch T4, results-schema.json 1.0.0; the Auto-Tuning
// Association's autotuning_methodology, schemas/T4.json, describes each field); Kernel Tuner writes it in
// kernel_tuner/file_utils.py, get_t4_results().
//
// clang-format off
//   "configuration": {"block_size_x": 16}            the knobs
//   "times": {"compilation": 918.6,                  compile_ms (the schema says "compilation_time", tuners write both)
//             "validation": 0,                       check_ms
//             "benchmark": 126.4,                    measure_ms
//             "runtimes": [3.97, 3.88],              samples_ns
//             "framework": 105.2, ...}               kept
//   "invalidity": "correct"                          outcome
//   "correctness": 1                                 verified
//   "measurements": [{"name": "time", "value": 3.87, "unit": "ms"}]
//                                                    that of the objective is median_ns; others are kept
//   "objectives": ["time"]                           kept
//   "timestamp": "2023-12-22 09:54:05.502007+00:00"  recorded_at
// clang-format on
//
// Thread rule: pure functions.
#pragma once

#include <nlohmann/json.hpp>

#include "logs/exchange/foreign.h"

namespace nestwright {

// `unit_ms` is the unit of the file's times, in milliseconds. The median of a trial is its objective, which for Kernel
// Tuner is the mean of the runtimes; its interval is that of the median of the runtimes.

/// Requires that `result` is a value in JSON. ForeignTrial::rest gets the fields that have no column, and:
///   "absent": the names of fields with a column that the result does not have;
///   "measurements": all, that of the objective without its value.
/// Times that are kept are in milliseconds, unless they name another unit.
/// Throws UsageError, of which the caller adds the place, if a field that the schema requires is absent or has another
/// type, or if a time is not positive.
ForeignTrial trial_of_t4(const nlohmann::ordered_json& result, double unit_ms);

/// The inverse, but for the rounding of times to another unit, the notation of timestamps and the order of fields.
nlohmann::ordered_json t4_of_trial(const ForeignTrial& trial, double unit_ms);

/// The unit of a name that T4's "timeunit", or "unit" of a measurement, has; 0: it is not that of a time.
double time_unit_ms(const std::string& name);

}  // namespace nestwright
