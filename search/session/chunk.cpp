#include "search/session/chunk.h"

#include <algorithm>
#include <utility>

#include "measure/race/race.h"
#include "search/budget/stopwatch.h"
#include "search/session/reference_time.h"

namespace nestwright {

namespace {

/// Makes the anchor the incumbent, or leaves it to the next correct candidate where the anchor itself failed.
void drop_incumbent(SessionState& session) {
  const bool was_anchor = session.anchor && session.incumbent && session.anchor->trial == session.incumbent->trial;
  if (was_anchor) session.anchor.reset();
  session.incumbent = session.anchor;
}

/// Marks all timings of the chunk as disturbed, as the reference time, the unit of its scores, was.
void mark_unit(ChunkResult& chunk, const std::string& disturbance) {
  for (std::optional<Measurement>& m : chunk.measurements) {
    if (m && m->outcome == Outcome::kOk && !m->timing.is_disturbed()) {
      m->timing.disturbance = "the reference kernel was disturbed" + disturbance;
    }
  }
}

/// Converts the scores of the chunk, whose reference time was wrong by `factor`.
void scale(ChunkResult& chunk, double factor) {
  for (std::optional<Measurement>& m : chunk.measurements) {
    if (m) scale_scores(m->timing, factor);
  }
}

/// Replaces the rough reference time of the incumbent by its undisturbed readings beside the candidates of the chunk,
/// whose scores are converted, as is the anchor. False if there are too few.
bool settle_unit(SessionState& session, ChunkResult& chunk) {
  constexpr std::size_t kEnough = 2;
  const std::vector<double> sound = undisturbed_reference(chunk.measurements);
  if (sound.size() < kEnough) return false;
  const double factor = median_interval(sound).median / session.incumbent->reference_ns;
  scale(chunk, factor);
  for (std::optional<ReferenceKernel>* kernel : {&session.incumbent, &session.anchor}) {
    if (!*kernel) continue;
    (*kernel)->reference_ns *= factor;
    (*kernel)->is_rough = false;
  }
  return true;
}

/// The number of candidates that seem to exceed the machine's highest rates.
std::size_t count_suspects(const SessionState& session, std::span<const BuiltPoint> built, const ChunkResult& chunk) {
  std::size_t suspects = 0;
  for (std::size_t i = 0; i < built.size(); ++i) {
    const std::optional<Measurement>& m = chunk.measurements[i];
    if (m && is_implausible(m->timing.median_ns, session.least_ns(built[i].work))) ++suspects;
  }
  return suspects;
}

/// Runs the contenders against the incumbent, or its part.
using Run = std::function<RunResult(const std::vector<Contender>&, const std::optional<Contender>&)>;

ChunkResult run_once(SessionState& session, std::span<const BuiltPoint> built,
                     const std::function<bool(std::size_t)>& skips, const Run& run) {
  std::vector<Contender> contenders;
  std::vector<std::size_t> contending;  // their indices in `built`
  for (std::size_t i = 0; i < built.size(); ++i) {
    if (built[i].result.outcome != Outcome::kOk || (skips && skips(i))) continue;
    contenders.push_back({.object = &built[i].result.object,
                          .least_ns = session.least_ns(built[i].work),
                          .part_ratio = built[i].part_ratio});
    contending.push_back(i);
  }
  ChunkResult chunk;
  std::optional<Contender> incumbent;
  if (session.incumbent) incumbent = Contender{&session.incumbent->object, session.incumbent->reference_ns};
  const bool has_parts = std::ranges::any_of(contenders, &Contender::is_part);
  if (const BuiltPoint* part = has_parts ? session.part_of_incumbent() : nullptr) {
    incumbent->object = &part->result.object;
    incumbent->part_ratio = part->part_ratio;
    chunk.by_part = true;
  }
  chunk.measurements.resize(built.size());
  std::int64_t running = 0, checking = 0;
  {
    const Stopwatch watch(running);
    RunResult ran = run(contenders, incumbent);
    for (std::size_t r = 0; r < ran.measurements.size(); ++r) {
      checking += static_cast<std::int64_t>(ran.measurements[r].check_ms * 1e6);
      Measurement& m = ran.measurements[r];
      if (!session.has_machine && m.outcome == Outcome::kOk) m.timing.disturbance = "another tuner had the machine";
      chunk.measurements[contending[r]] = std::move(m);
    }
    if (ran.reference) chunk.reference = contending[*ran.reference];
    if (ran.successor) chunk.successor = contending[*ran.successor];
    if (session.incumbent && !ran.incumbent_failed) {
      // A part is another kernel than the whole.
      const TrialId trial = session.incumbent->trial;
      session.reference_readings.add(chunk.by_part ? -trial : trial, chunk.measurements);
    }
    if (ran.incumbent_failed) drop_incumbent(session);
  }
  if (chunk.reference) {
    const Measurement& reference = *chunk.measurements[*chunk.reference];
    if (!is_sound(reference)) mark_unit(chunk, ": " + reference.timing.disturbance);
  } else if (session.incumbent && session.incumbent->is_rough) {
    // The part of a kernel does not tell the time of the whole well enough.
    if (chunk.by_part || !settle_unit(session, chunk)) mark_unit(chunk, " when it was timed");
  }
  session.result.times.check += checking;
  session.result.times.measure += running - checking;  // includes the incumbent's samples
  for (std::size_t i = 0; i < built.size(); ++i) {
    std::optional<Measurement>& m = chunk.measurements[i];
    const BuildResult& made = built[i].result;
    if (made.outcome != Outcome::kOk) {
      m.emplace();
      m->outcome = made.outcome;
      m->message = made.message;
    }
    // The compiler reports more kinds of resources than the driver that loaded the code.
    if (m && !made.object.resources.empty()) m->resources = made.object.resources;
  }
  return chunk;
}

}  // namespace

ChunkResult run_chunk(SessionState& session, std::span<const BuiltPoint> built,
                      const std::function<bool(std::size_t)>& skips, const std::function<bool()>& is_over) {
  const Run run = [&](const std::vector<Contender>& contenders, const std::optional<Contender>& incumbent) {
    return session.runner->run(contenders, incumbent, is_over);
  };
  ChunkResult chunk = run_once(session, built, skips, run);
  const std::size_t suspects = count_suspects(session, built, chunk);
  if (suspects == 0) return chunk;
  session.raise_limits();
  const bool was_underrated = count_suspects(session, built, chunk) < suspects;
  // Where the rates are right, the time of the incumbent may be wrong.
  const double factor = was_underrated || chunk.by_part ? 1 : correct_reference_time(session);
  if (!was_underrated && factor == 1) return chunk;
  if (!(is_over && is_over())) return run_once(session, built, skips, run);
  scale(chunk, factor);
  return chunk;
}

ChunkResult run_confirmation(SessionState& session, const BuiltPoint& built, const std::function<bool()>& is_over) {
  return run_once(session, {&built, 1}, {}, [&](const auto& contenders, const std::optional<Contender>& incumbent) {
    if (contenders.empty()) return RunResult();
    return session.runner->confirm(contenders.front(), *incumbent, is_over);
  });
}

std::optional<double> update_references(SessionState& session, const ChunkResult& chunk, std::span<const Point> points,
                                        std::span<const BuiltPoint> built, std::span<const TrialId> trials) {
  const auto measured = [&](std::size_t i) { return chunk.measurements[i].value_or(Measurement()); };
  const auto kernel_of = [&](std::size_t i) {
    return ReferenceKernel{trials[i], points[i], built[i].result.object, measured(i).timing.median_ns, built[i].work};
  };
  // A trial that failed in an earlier race may be the reference kernel but not the best.
  const auto note_incumbent = [&] {
    const TrialId trial = session.incumbent->trial;
    if (!session.incumbent->is_rough && session.log.may_be_best(trial)) session.log.set_incumbent(session.id, trial);
  };
  // The log has the first anchor of a session, even if its kernel failed later.
  const auto note_unit = [&] {
    if (session.anchor && !session.anchor->is_rough && !std::exchange(session.has_unit, true)) {
      session.log.set_anchor(session.id, session.anchor->trial, session.anchor->reference_ns);
    }
  };
  std::optional<double> ratio;
  if (chunk.reference && is_timed(measured(*chunk.reference))) {
    session.incumbent = kernel_of(*chunk.reference);
    session.incumbent->is_rough = !is_sound(measured(*chunk.reference));
    if (!session.anchor) session.anchor = session.incumbent;
    note_incumbent();
    ratio = 1;
  }
  note_unit();
  const bool is_rough = session.incumbent && session.incumbent->is_rough;
  const auto is_fit = [&](const Measurement& m) { return is_rough ? is_timed(m) : is_sound(m); };
  if (chunk.successor && !chunk.by_part && is_fit(measured(*chunk.successor))) {
    const double before = session.incumbent_ns();
    session.incumbent = kernel_of(*chunk.successor);
    session.incumbent->is_rough = is_rough;
    note_incumbent();
    ratio = before > 0 ? before / session.incumbent->reference_ns : 1;
  }
  return ratio;
}

}  // namespace nestwright
