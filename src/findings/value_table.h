// Says of every value of every knob of a task what became of it: how often it was tried and its best time; ruled out,
// with the constraints without which a valid point would have it; or never proposed, and why.
//
//   for (const TemplateValues& of : value_table(context, sessions, proposals, trials, times))
//     for (const KnobValues& knob : of.knobs)
//       for (const ValueFinding& value : knob.values) ...
//
// Thread rule: pure functions. Times are in the unit of ComparableTimes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "findings/comparable_times.h"
#include "logs/listing/log_reader.h"
#include "logs/listing/sessions.h"
#include "nestwright/lookup.h"

namespace nestwright {

enum class ValueStatus : std::uint8_t {
  kTried,          ///< there are trials with it
  kPending,        ///< proposed, and not measured yet: the time was over
  kRuledOut,       ///< no valid point has it
  kRestricted,     ///< every session that searched stayed within something that excludes it
  kRankedLow,      ///< ranked, and never proposed: the model predicted longer times than for others
  kNotLowered,     ///< to be ranked, and never proposed: none of the points with it could be lowered
  kSampled,        ///< sampled, and neither ranked nor proposed
  kNotConsidered,  ///< none of the points that the sessions considered has it: a larger budget may reach it
  kUnknown,        ///< never proposed by sessions that did not record what they considered
};
/// "tried", "pending", "ruled out", "restricted", "ranked low", "not lowered", "sampled", "not considered", "unknown".
/// Do not rename: --json prints the names.
const char* status_name(ValueStatus status);

struct ValueFinding {
  std::string value;  ///< as Config::str() writes it: "4", "[4,2,14]", "yes"
  ValueStatus status = ValueStatus::kUnknown;

  std::int64_t trials = 0;
  std::array<std::int64_t, 7> outcomes = {};  ///< of these, by Outcome
  /// The fastest sound time; if there is none, the fastest of any trial that was right (is_rough). 0: none.
  double best_ns = 0;
  bool is_rough = false;
  TrialId best_trial = 0;

  ConsideredPoints considered;
  /// kNotConsidered: of the points that were sampled, so many are expected to have the value, as far as its share of
  /// the valid points says. Absent: not counted.
  std::optional<double> expected_samples;
  /// kRuledOut: sets of reasons of constraints; without all constraints of one set, a valid point would have the value.
  std::vector<std::vector<std::string>> excluded_by;
  /// kRestricted: what the sessions stayed within, each once, as SessionScope::str().
  std::vector<std::string> scopes;
};

/// A knob of a template, merged over the branches that have it.
struct KnobValues {
  std::string knob;
  KnobKind kind = KnobKind::kKnob;
  /// The choices under which it exists, as "pack_b=block|whole"; empty: in every branch.
  std::string only_with;
  std::vector<ValueFinding> values;  ///< in the order of the candidates
};

struct TemplateValues {
  TemplateVersion source;
  std::int64_t trials = 0;  ///< of this version
  std::vector<KnobValues> knobs;
};

/// How much of a table is wanted.
struct ValueTableOptions {
  std::string knob;             ///< only this one; empty: all
  bool counts_expected = true;  ///< computes ValueFinding::expected_samples, which takes a second in a large space
};

/// One entry for each template that serves the task, in their order.
std::vector<TemplateValues> value_table(const TaskContext& context, std::span<const ListedSession> sessions,
                                        std::span<const SessionProposals> proposals, const TrialColumns& trials,
                                        const ComparableTimes& times, const ValueTableOptions& options = {});

}  // namespace nestwright
