#include "search/session/session_timescale.h"

#include <algorithm>
#include <cmath>

#include "lookup/provenance.h"
#include "measure/race/scale_scores.h"
#include "search/session/chunk.h"

namespace nestwright {

namespace {

constexpr std::size_t kFurtherAnchors = 2;  // in addition to the default and the stored best

/// Trials that are measured side by side, and their points.
struct Anchors {
  std::vector<TrialId> trials;
  std::vector<Point> points;

  bool contains(TrialId trial) const { return std::ranges::find(trials, trial) != trials.end(); }
  void add(TrialId trial, const std::optional<Point>& point) {
    if (!point || contains(trial)) return;
    trials.push_back(trial);
    points.push_back(*point);
  }
};

/// The fastest sound trial of sessions that no anchor links to this one, at most kFurtherAnchors, those with the most
/// trials first.
std::vector<const TrialRecord*> further_anchors(std::span<const TrialRecord> recorded, const Anchors& anchors,
                                                const std::vector<SessionUnit>& units) {
  std::map<SessionId, std::vector<const TrialRecord*>> by_session;
  for (const TrialRecord& trial : recorded) {
    if (trial.code.same_as == 0 && is_sound(trial.measurement)) by_session[trial.session].push_back(&trial);
  }
  std::vector<const std::vector<const TrialRecord*>*> unlinked;
  for (const auto& [session, trials] : by_session) {
    const auto unit =
        std::find_if(units.begin(), units.end(), [&, id = session](const SessionUnit& u) { return u.session == id; });
    if (unit != units.end() && anchors.contains(unit->anchor)) continue;
    if (std::any_of(trials.begin(), trials.end(), [&](const TrialRecord* t) { return anchors.contains(t->id); }))
      continue;
    unlinked.push_back(&trials);
  }
  std::stable_sort(unlinked.begin(), unlinked.end(),
                   [](const auto* a, const auto* b) { return a->size() > b->size(); });
  std::vector<const TrialRecord*> chosen;
  for (std::size_t i = 0; i < std::min(unlinked.size(), kFurtherAnchors); ++i) {
    chosen.push_back(
        *std::min_element(unlinked[i]->begin(), unlinked[i]->end(), [](const TrialRecord* a, const TrialRecord* b) {
          return a->measurement.timing.median_ns < b->measurement.timing.median_ns;
        }));
  }
  return chosen;
}

Anchors choose_anchors(const TaskContext& context, const SessionTrials& trials, const Tools& tools,
                       std::span<const TrialRecord> recorded) {
  Anchors anchors;
  if (trials.default_trial() != 0) anchors.add(trials.default_trial(), trials.default_point());
  if (const auto best = tools.log.best(filter_of(context.key()), tools.versions)) {
    anchors.add(best->trial, tools.space.find(best->point));
  }
  for (const TrialRecord* trial : further_anchors(recorded, anchors, tools.log.session_units(context.key()))) {
    anchors.add(trial->id, tools.space.find(trial->point));
  }
  return anchors;
}

/// Replaces measurements that were disturbed in an earlier session by those of the chunk. Returns the new ones.
std::map<TrialId, Measurement> replace_disturbed(const Tools& tools, std::span<const TrialRecord> recorded,
                                                 const ChunkResult& chunk, std::span<const BuiltPoint> built,
                                                 const std::vector<TrialId>& trials) {
  std::map<TrialId, Measurement> replaced;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto& m = chunk.measurements[i];
    if (!m || !is_sound(*m)) continue;
    const auto was =
        std::find_if(recorded.begin(), recorded.end(), [&](const TrialRecord& t) { return t.id == trials[i]; });
    const bool was_disturbed = was != recorded.end() && was->code.same_as == 0 &&
                               was->measurement.outcome == Outcome::kOk && was->measurement.timing.is_disturbed();
    // The time of other code is not that of the recorded one.
    const bool is_same_code =
        was_disturbed && (was->code.identity.empty() || was->code.identity == built[i].result.object.code_fingerprint);
    // Another process may have replaced it meanwhile.
    if (!is_same_code || tools.log.may_be_best(trials[i]) || !tools.log.remeasure(tools.id, trials[i], *m)) continue;
    replaced.emplace(trials[i], *m);
  }
  return replaced;
}

}  // namespace

void SessionTimescale::establish(const TaskContext& context, SessionTrials& trials, Tools& tools,
                                 std::span<const TrialRecord> recorded) {
  const auto [ids, points] = choose_anchors(context, trials, tools, recorded);
  if (ids.empty()) return;
  const std::vector<BuiltPoint> built = tools.build(points, Pipeline::kSearch);
  const ChunkResult chunk = run_chunk(trials, tools, built);
  renewed_ = replace_disturbed(tools, recorded, chunk, built, ids);
  update_references(trials, tools, chunk, points, built, ids);
  if (!trials.anchor()) return;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto& m = chunk.measurements[i];
    if (m && is_sound(*m)) now_ns_[ids[i]] = m->timing.median_ns;
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const auto was =
        std::find_if(recorded.begin(), recorded.end(), [&](const TrialRecord& t) { return t.id == ids[i]; });
    if (was != recorded.end() && was->code.identity != built[i].result.object.code_fingerprint)
      changed_code_.insert(ids[i]);
  }
  for (const TrialRecord& trial : recorded) {
    if (trial.code.same_as == 0 && now_ns_.contains(trial.id) && is_sound(trial.measurement)) {
      then_ns_[trial.session][trial.id] = trial.measurement.timing.median_ns;
    }
  }
  refresh(context, trials, tools.log);
}

void SessionTimescale::refresh(const TaskContext& context, const SessionTrials& trials, const TuningLog& log) {
  if (trials.anchor()) now_ns_.try_emplace(trials.anchor()->id, trials.anchor()->ns);
  for (const SessionUnit& unit : log.session_units(context.key())) {
    if (unit.anchor_ns > 0) then_ns_[unit.session][unit.anchor] = unit.anchor_ns;
    if (!is_made_alike(context.provenance(), unit)) made_elsewhere_.insert(unit.session);
  }
}

double SessionTimescale::factor(SessionId session, SessionId other) const {
  if (other == session) return 1;
  const auto then = then_ns_.find(other);
  if (then == then_ns_.end()) return 0;
  double sum = 0;
  int count = 0;
  for (const auto& [trial, then_ns] : then->second) {
    const auto now = now_ns_.find(trial);
    if (now == now_ns_.end() || (made_elsewhere_.contains(other) && changed_code_.contains(trial))) continue;
    sum += std::log(now->second / then_ns);
    ++count;
  }
  return count == 0 ? 0 : std::exp(sum / count);
}

const Measurement* SessionTimescale::renewed(TrialId trial) const {
  const auto found = renewed_.find(trial);
  return found == renewed_.end() ? nullptr : &found->second;
}

Measurement SessionTimescale::convert(SessionId session, const TrialRecord& trial) const {
  Measurement m = trial.measurement;
  const double by = factor(session, trial.unit.session != 0 ? trial.unit.session : trial.session);
  if (by == 0) {
    m.timing.disturbance = "timed by a session that cannot be compared with this one";
    return m;
  }
  scale_scores(m.timing, by);
  return m;
}

}  // namespace nestwright
