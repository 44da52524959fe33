#include "findings/comparable_times.h"

#include <algorithm>
#include <map>
#include <utility>

namespace nestwright {
namespace {

/// Sessions whose times are comparable: those with a common anchor; one without an anchor is alone.
using UnitGroup = std::pair<TrialId, SessionId>;

UnitGroup group_of(const ListedSession& session) {
  const bool is_shared = session.rule == ScoringRule::kPaired && session.anchor != 0 && session.anchor_ns > 0;
  return is_shared ? UnitGroup{session.anchor, 0} : UnitGroup{0, session.id};
}

}  // namespace

bool is_sound(const TrialColumns& trials, std::size_t trial) {
  return trials.is_timed(trial) && !trials.has(trial, kIsDisturbed);
}

ComparableTimes comparable_times(std::span<const ListedSession> sessions, const TrialColumns& trials) {
  ComparableTimes times;
  times.ns.assign(trials.size(), 0);
  times.best = trials.size();
  std::map<SessionId, const ListedSession*> by_id;
  for (const ListedSession& session : sessions) by_id.emplace(session.id, &session);
  std::map<UnitGroup, std::size_t> timed;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto session = by_id.find(trials.session[i]);
    if (session != by_id.end() && trials.median_ns[i] > 0) ++timed[group_of(*session->second)];
  }
  if (timed.empty()) return times;
  const auto largest =
      std::max_element(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  const ListedSession* unit = nullptr;
  for (const ListedSession& session : sessions) {
    if (group_of(session) == largest->first) unit = &session;
  }
  times.unit = unit->id;
  times.is_partial = timed.size() > 1;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto session = by_id.find(trials.session[i]);
    if (session == by_id.end() || trials.median_ns[i] <= 0) continue;
    if (group_of(*session->second) != largest->first) continue;
    const double anchor_ns = session->second->anchor_ns;
    times.ns[i] = trials.median_ns[i] * (anchor_ns > 0 ? unit->anchor_ns / anchor_ns : 1);
    if (!is_sound(trials, i)) continue;
    if (times.best == trials.size() || times.ns[i] < times.ns[times.best]) times.best = i;
  }
  return times;
}

}  // namespace nestwright
