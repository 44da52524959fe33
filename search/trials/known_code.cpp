#include "search/trials/known_code.h"

#include <algorithm>

namespace nestwright {

void KnownCode::add(const std::string& identity, TrialId trial, const Measurement& measurement) {
  if (identity.empty()) return;
  const auto [entry, is_new] = by_identity_.try_emplace(identity, Known{trial, measurement});
  Known& known = entry->second;
  const bool is_better = !measurement.timing.is_disturbed() || known.trial == trial;
  if (!is_new && known.measurement.timing.is_disturbed() && is_better) known = {trial, measurement};
}

const Measurement* KnownCode::measurement_of(TrialId trial) const {
  const auto found = std::ranges::find_if(by_identity_, [&](const auto& entry) { return entry.second.trial == trial; });
  return found == by_identity_.end() ? nullptr : &found->second.measurement;
}

void KnownCode::rescore(TrialId trial, const Timing& timing) {
  for (auto& [identity, known] : by_identity_) {
    if (known.trial != trial) continue;
    known.measurement.timing = timing;
    return;
  }
}

const KnownCode::Known* KnownCode::find(const std::string& identity) const {
  const auto found = by_identity_.find(identity);
  return found == by_identity_.end() ? nullptr : &found->second;
}

Measurement taken_from(const KnownCode::Known& known, double compile_ms) {
  Measurement m = known.measurement;
  m.compile_ms = compile_ms;
  m.check_ms = m.measure_ms = 0;
  return m;
}

}  // namespace nestwright
