// Made-up trials for the tests of reports.
// Thread rule: values.
#pragma once

#include <string>
#include <vector>

#include "logs/listing/log_reader.h"
#include "report/page/page.h"

namespace nestwright::report {

/// Appends a knob of the template number `space` with the value of each trial, an index into `values`.
inline void add_knob(TrialColumns& trials, std::string name, std::vector<std::string> values,
                     std::vector<std::int32_t> value, std::size_t space = 0) {
  trials.knobs.push_back({space, std::move(name), std::move(values), std::move(value)});
}

/// Trials of one template and session that are right and took these times.
inline TrialColumns timed_trials(const std::vector<double>& median_ns) {
  TrialColumns trials;
  trials.spaces = {{"matmul.cpu", 1}};
  trials.messages = trials.origins = {""};
  for (std::size_t i = 0; i < median_ns.size(); ++i) {
    trials.id.push_back(static_cast<TrialId>(i + 1));
    trials.session.push_back(1);
    trials.outcome.push_back(static_cast<std::uint8_t>(Outcome::kOk));
    trials.flags.push_back(kIsVerified);
    trials.median_ns.push_back(median_ns[i]);
    trials.low_ns.push_back(0.99 * median_ns[i]);
    trials.high_ns.push_back(1.02 * median_ns[i]);
    trials.seconds.push_back(0.25 * static_cast<double>(i));
    trials.space.push_back(0);
    trials.message.push_back(0);
    trials.origin.push_back(0);
  }
  return trials;
}

/// The same trials as a page has them.
inline PageTrials page_trials(const TrialColumns& trials) {
  PageTrials page{trials, {}, trials.median_ns};
  for (std::size_t i = 0; i < trials.size(); ++i) page.number.push_back(static_cast<std::int32_t>(i + 1));
  return page;
}

}  // namespace nestwright::report
