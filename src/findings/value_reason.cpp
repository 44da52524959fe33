#include "findings/value_reason.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "nestwright/error.h"

namespace nestwright {
namespace {

std::string times_text(std::int64_t count) { return count == 1 ? "once" : fmt::format("{} times", count); }

/// "sampled 3 times, ranked once, 2 times not lowered"; stages without points are left out.
std::string considered_text(const ConsideredPoints& points) {
  std::vector<std::string> stages;
  if (points.sampled > 0) stages.push_back("sampled " + times_text(points.sampled));
  if (points.ranked > 0) stages.push_back("ranked " + times_text(points.ranked));
  if (points.not_lowered > 0) stages.push_back(times_text(points.not_lowered) + " not lowered");
  return fmt::format("{}", fmt::join(stages, ", "));
}

}  // namespace

std::string constraints_text(const std::vector<std::vector<std::string>>& sets) {
  std::vector<std::string> each;
  for (const auto& set : sets) each.push_back(fmt::format("{}", fmt::join(set, " and ")));
  return fmt::format("{}", fmt::join(each, "; or "));
}

std::string value_reason(const ValueFinding& value) {
  switch (value.status) {
    case ValueStatus::kTried:
      return "";
    case ValueStatus::kPending:
      return "proposed, but the run ended before it was measured: the next run does so first";
    case ValueStatus::kRuledOut:
      return "no valid point has it: " + constraints_text(value.excluded_by);
    case ValueStatus::kRestricted:
      return fmt::format("no session searched it: {} within {}",
                         value.scopes.size() == 1 ? "all stayed" : "each stayed", fmt::join(value.scopes, ", or "));
    case ValueStatus::kRankedLow:
      return considered_text(value.considered) + ", never proposed: the model predicted shorter times for others";
    case ValueStatus::kNotLowered:
      return considered_text(value.considered) + ", never proposed: the points with it could not be lowered";
    case ValueStatus::kSampled:
      return considered_text(value.considered) + ", neither ranked nor proposed: more time may reach it";
    case ValueStatus::kNotConsidered:
      return fmt::format(
          "valid, but none of the points that the search sampled or ranked has it{}: give it more time, or fix the "
          "knob",
          value.expected_samples ? fmt::format(" ({:.2g} samples were expected)", *value.expected_samples) : "");
    case ValueStatus::kUnknown:
      return "valid, but never proposed; what the sessions sampled was not recorded by their version";
  }
  throw InternalError("internal error: status of a value out of range");
}

}  // namespace nestwright
