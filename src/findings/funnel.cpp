#include "findings/funnel.h"

#include <algorithm>
#include <map>
#include <set>

#include "findings/comparable_times.h"
#include "findings/session_scope.h"

namespace nestwright {
namespace {

void count_trial(const TrialColumns& trials, std::size_t i, FunnelStages& stages) {
  ++stages.tried;
  const auto outcome = static_cast<Outcome>(trials.outcome[i]);
  if (outcome == Outcome::kInvalidConfig || outcome == Outcome::kCompileError) return;
  ++stages.built;
  if (outcome != Outcome::kOk) return;
  ++stages.right;
  if (trials.median_ns[i] <= 0) return;
  ++stages.timed;
  if (trials.has(i, kIsCopy)) ++stages.same_code;
  if (is_sound(trials, i) && !trials.has(i, kIsCopy)) ++stages.confirmed;
}

void count_proposals(const SessionProposals& of, FunnelStages& stages) {
  stages.proposed += of.proposed;
  if (!of.funnel) return;
  if (!stages.considered) stages.considered.emplace();
  for (const SearchFunnel::OfTemplate& each : of.funnel->templates) *stages.considered += each.points;
}

/// The valid points that a session with this scope searches.
PointCount points_within(const TaskContext& context, std::span<const SpaceRecord> spaces, const SessionScope& scope) {
  PointCount points;
  for (const Template* t : context.templates()) {
    if (!scope.template_name.empty() && t->name != scope.template_name) continue;
    const TemplateVersion version{t->name, t->version};
    const auto known = std::ranges::find(spaces, version, &SpaceRecord::source);
    const PointCount count = !scope.restriction.empty()
                                 ? restrict_space(context.space(*t), scope.restriction).count_valid()
                             : known != spaces.end() ? known->valid
                                                     : context.space(*t).count_valid();
    points.points += count.points;
    points.estimated |= count.estimated;
  }
  return points;
}

}  // namespace

Funnel funnel_of(const TaskContext& context, std::span<const SpaceRecord> spaces,
                 std::span<const ListedSession> sessions, std::span<const SessionProposals> proposals,
                 std::span<const RecordedRace> races, const TrialColumns& trials) {
  Funnel funnel;
  std::map<SessionId, std::size_t> at;
  std::map<std::string, PointCount> points;  // by scope
  for (const ListedSession& session : sessions) {
    at.emplace(session.id, funnel.sessions.size());
    const SessionScope scope = scope_of(session);
    const auto [known, is_new] = points.try_emplace(scope.str());
    if (is_new) known->second = points_within(context, spaces, scope);
    funnel.sessions.push_back({session.id, {}});
    funnel.sessions.back().stages.valid = known->second;
  }
  funnel.task.valid = points_within(context, spaces, {});
  const auto stages_of = [&](SessionId session) -> FunnelStages* {
    const auto found = at.find(session);
    return found == at.end() ? nullptr : &funnel.sessions[found->second].stages;
  };
  for (const SessionProposals& of : proposals) {
    count_proposals(of, funnel.task);
    if (FunnelStages* const stages = stages_of(of.session)) count_proposals(of, *stages);
  }
  for (std::size_t i = 0; i < trials.size(); ++i) {
    count_trial(trials, i, funnel.task);
    if (FunnelStages* const stages = stages_of(trials.session[i])) count_trial(trials, i, *stages);
  }
  std::set<TrialId> raced;
  for (const RecordedRace& race : races) {
    for (const RecordedRace::Entry& entry : race.entries) raced.insert(entry.trial);
    if (FunnelStages* const stages = stages_of(race.session)) {
      stages->raced += static_cast<std::int64_t>(race.entries.size());
    }
  }
  funnel.task.raced = static_cast<std::int64_t>(raced.size());
  return funnel;
}

}  // namespace nestwright
