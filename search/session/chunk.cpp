#include "search/session/chunk.h"

#include <algorithm>
#include <utility>

#include "measure/race/race.h"
#include "measure/race/scale_scores.h"
#include "search/budget/stopwatch.h"
#include "search/session/reference_time.h"
#include "search/trials/incumbent_part.h"

namespace nestwright {

namespace {

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
bool settle_unit(SessionTrials& trials, ChunkResult& chunk) {
  constexpr std::size_t kEnough = 2;
  const std::vector<double> sound = undisturbed_reference(chunk.measurements);
  if (sound.size() < kEnough) return false;
  const double factor = median_interval(sound).median / trials.incumbent_ns();
  scale(chunk, factor);
  trials.settle_unit(factor);
  return true;
}

/// The number of candidates that seem to exceed the machine's highest rates.
std::size_t count_suspects(const MachineRates& rates, std::span<const BuiltPoint> built, const ChunkResult& chunk) {
  std::size_t suspects = 0;
  for (std::size_t i = 0; i < built.size(); ++i) {
    const std::optional<Measurement>& m = chunk.measurements[i];
    if (m && is_implausible(m->timing.median_ns, rates.least_ns(built[i].work))) ++suspects;
  }
  return suspects;
}

/// Runs the contenders against the incumbent, or its part.
using Run = std::function<RunResult(const std::vector<Contender>&, const std::optional<Contender>&)>;

ChunkResult run_once(SessionTrials& trials, Tools& tools, std::span<const BuiltPoint> built,
                     const std::function<bool(std::size_t)>& skips, const Run& run) {
  std::vector<Contender> contenders;
  std::vector<std::size_t> contending;  // their indices in `built`
  for (std::size_t i = 0; i < built.size(); ++i) {
    if (built[i].result.outcome != Outcome::kOk || (skips && skips(i))) continue;
    contenders.push_back({.object = &built[i].result.object,
                          .least_ns = tools.rates.least_ns(built[i].work),
                          .part_ratio = built[i].part_ratio});
    contending.push_back(i);
  }
  ChunkResult chunk;
  std::optional<Contender> incumbent;
  if (trials.incumbent()) incumbent = Contender{&trials.incumbent_kernel().result.object, trials.incumbent_ns()};
  const bool has_parts = std::ranges::any_of(contenders, &Contender::is_part);
  if (const BuiltPoint* part = has_parts ? part_of_incumbent(trials, tools) : nullptr) {
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
      if (!tools.has_machine && m.outcome == Outcome::kOk) m.timing.disturbance = "another tuner had the machine";
      chunk.measurements[contending[r]] = std::move(m);
    }
    if (ran.reference) chunk.reference = contending[*ran.reference];
    if (ran.successor) chunk.successor = contending[*ran.successor];
    if (trials.incumbent() && !ran.incumbent_failed) {
      // A part is another kernel than the whole.
      const TrialId id = trials.incumbent()->id;
      trials.reference_readings.add(chunk.by_part ? -id : id, chunk.measurements);
    }
    if (ran.incumbent_failed) trials.drop_incumbent();
  }
  if (chunk.reference) {
    const Measurement& reference = *chunk.measurements[*chunk.reference];
    if (!is_sound(reference)) mark_unit(chunk, ": " + reference.timing.disturbance);
  } else if (trials.has_rough_unit()) {
    // The part of a kernel does not tell the time of the whole well enough.
    if (chunk.by_part || !settle_unit(trials, chunk)) mark_unit(chunk, " when it was timed");
  }
  tools.times.check += checking;
  tools.times.measure += running - checking;  // includes the incumbent's samples
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

ChunkResult run_chunk(SessionTrials& trials, Tools& tools, std::span<const BuiltPoint> built,
                      const std::function<bool(std::size_t)>& skips, const std::function<bool()>& is_over) {
  const Run run = [&](const std::vector<Contender>& contenders, const std::optional<Contender>& incumbent) {
    return tools.runner->run(contenders, incumbent, is_over);
  };
  ChunkResult chunk = run_once(trials, tools, built, skips, run);
  const std::size_t suspects = count_suspects(tools.rates, built, chunk);
  if (suspects == 0) return chunk;
  tools.rates.raise();
  const bool was_underrated = count_suspects(tools.rates, built, chunk) < suspects;
  // Where the rates are right, the time of the incumbent may be wrong.
  const double factor = was_underrated || chunk.by_part ? 1 : correct_reference_time(trials, tools);
  if (!was_underrated && factor == 1) return chunk;
  if (!(is_over && is_over())) return run_once(trials, tools, built, skips, run);
  scale(chunk, factor);
  return chunk;
}

ChunkResult run_confirmation(SessionTrials& trials, Tools& tools, const BuiltPoint& built,
                             const std::function<bool()>& is_over) {
  return run_once(trials, tools, {&built, 1}, {},
                  [&](const auto& contenders, const std::optional<Contender>& incumbent) {
                    if (contenders.empty()) return RunResult();
                    return tools.runner->confirm(contenders.front(), *incumbent, is_over);
                  });
}

std::optional<double> update_references(SessionTrials& trials, const Tools& tools, const ChunkResult& chunk,
                                        std::span<const Point> points, std::span<const BuiltPoint> built,
                                        std::span<const TrialId> recorded) {
  const auto measured = [&](std::size_t i) { return chunk.measurements[i].value_or(Measurement()); };
  const auto set_incumbent = [&](std::size_t i, bool is_rough) {
    const TrialQuality quality = is_rough ? TrialQuality::kDisturbed : TrialQuality::kSound;
    trials.set_incumbent({recorded[i], points[i], measured(i).timing.median_ns, quality}, built[i]);
    // A trial that failed in an earlier race may be the reference kernel but not the best.
    if (!is_rough && tools.log.may_be_best(recorded[i])) tools.log.set_incumbent(tools.id, recorded[i]);
  };
  std::optional<double> ratio;
  if (chunk.reference && is_timed(measured(*chunk.reference))) {
    set_incumbent(*chunk.reference, !is_sound(measured(*chunk.reference)));
    trials.provide_anchor();
    ratio = 1;
  }
  if (trials.takes_unit()) tools.log.set_anchor(tools.id, trials.anchor()->id, trials.anchor()->ns);
  const bool is_rough = trials.has_rough_unit();
  const auto is_fit = [&](const Measurement& m) { return is_rough ? is_timed(m) : is_sound(m); };
  if (chunk.successor && !chunk.by_part && is_fit(measured(*chunk.successor))) {
    const double before = trials.incumbent_ns();
    set_incumbent(*chunk.successor, is_rough);
    ratio = before > 0 ? before / trials.incumbent_ns() : 1;
  }
  return ratio;
}

}  // namespace nestwright
