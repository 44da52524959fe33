#include "tuning/records.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "conversions.h"
#include "nestwright/error.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

constexpr double kSecond = 1e9;  // in nanoseconds

nb::object seconds(double ns) { return ns > 0 ? nb::cast(ns / kSecond) : nb::none(); }

nb::object interval(const Timing& timing) {
  if (timing.median_ns <= 0) return nb::none();
  return nb::make_tuple(timing.low_ns / kSecond, timing.high_ns / kSecond);
}

}  // namespace

nb::dict dict_of(const Timing& timing) {
  nb::dict dict;
  dict["seconds"] = seconds(timing.median_ns);
  dict["interval"] = interval(timing);
  dict["disturbance"] = timing.disturbance;
  return dict;
}

nb::dict dict_of(const Measurement& measurement) {
  nb::dict dict = dict_of(measurement.timing);
  dict["outcome"] = outcome_name(measurement.outcome);
  dict["message"] = measurement.message;
  dict["verified"] = measurement.evidence.verified;
  dict["error_ratio"] = measurement.evidence.largest_error_ratio;
  return dict;
}

nb::dict dict_of(const BestRecord& record) {
  nb::dict dict = dict_of(record.timing);
  dict["workload"] = record.task.workload.text;
  dict["target"] = record.task.target;
  dict["machine"] = record.task.machine;
  dict["backend"] = record.task.backend;
  dict["match"] = match_name(record.match);
  dict["source"] = best_source_name(record.source);
  dict["template"] = record.point.template_name;
  dict["version"] = record.point.version;
  dict["config"] = dict_of(record.point.config);
  dict["trial"] = record.trial;
  dict["gflops"] = record.gflops();
  dict["tied"] = record.tied;
  dict["verified"] = record.evidence.verified;
  dict["error_ratio"] = record.evidence.largest_error_ratio;
  dict["recorded_at"] = record.recorded_at;
  return dict;
}

nb::dict dict_of(const TrialRecord& trial) {
  nb::dict dict = dict_of(trial.measurement);
  dict["id"] = trial.id;
  dict["session"] = trial.session;
  dict["batch"] = trial.batch;
  dict["workload"] = trial.workload;
  dict["template"] = trial.point.template_name;
  dict["version"] = trial.point.version;
  dict["config"] = dict_of(trial.point.config);
  dict["origin"] = trial.origin;
  dict["compile_seconds"] = 1e-3 * trial.measurement.compile_ms;
  dict["check_seconds"] = 1e-3 * trial.measurement.check_ms;
  dict["measure_seconds"] = 1e-3 * trial.measurement.measure_ms;
  dict["same_as"] = trial.code.same_as;
  return dict;
}

Measurement measurement_from(nb::handle object) {
  Measurement measurement;
  nb::object given = nb::borrow(object);
  if (nb::hasattr(object, "outcome")) {
    if (nb::cast<std::string>(nb::str(object.attr("outcome"))) != "ok") {
      measurement.outcome = Outcome::kCrash;
      measurement.message = nb::cast<std::string>(nb::str(object.attr("message")));
      return measurement;
    }
    given = object.attr("seconds");
  }
  if (given.is_none()) {
    measurement.outcome = Outcome::kCrash;
    measurement.message = "the caller says that it failed";
    return measurement;
  }
  const double value = number_from(given, "a time");
  if (!std::isfinite(value) || value <= 0)
    throw UsageError("a time is a number of seconds above 0, or None for a failure");
  measurement.evidence.verified = true;
  Timing& timing = measurement.timing;
  timing.median_ns = timing.low_ns = timing.high_ns = kSecond * value;
  timing.samples_ns = timing.raw_ns = {timing.median_ns};
  return measurement;
}

}  // namespace nestwright::python
