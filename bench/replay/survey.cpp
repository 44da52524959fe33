#include "bench/replay/survey.h"

#include <fmt/format.h>

#include <algorithm>

#include "lookup/task_key.h"
#include "nestwright/error.h"
#include "search/propose/measured_trials.h"
#include "search/session/chunk.h"

namespace nestwright {
namespace {

constexpr const char* kStrategy = "survey";
constexpr const char* kSeed = "survey seed";
constexpr const char* kSample = "survey sample";
constexpr const char* kRelative = "survey relative";

constexpr std::size_t kBatch = 16, kChunk = 8;
constexpr std::size_t kParents = 32;  // the best points, whose relatives are measured

class Survey {
 public:
  Survey(const Task& task, TuningLog& log, const SurveyOptions& options, const SurveyProgress& progress)
      : options_(options),
        progress_(progress),
        context_(task),
        tools_(context_, log, session_options_),
        random_(options.seed) {}

  void run() {
    tools_.id = tools_.log.begin_session(
        context_.key(), {.seed = options_.seed, .strategy = kStrategy, .made_by = context_.provenance()});
    measure_seeds();
    measure_samples();
    for (int left = options_.relatives; left > 0;) {
      const std::vector<Point> batch = relatives(std::min<std::size_t>(kBatch, static_cast<std::size_t>(left)));
      if (batch.empty()) break;  // no unseen relatives are left
      left -= static_cast<int>(batch.size());
      measure(batch, kRelative);
    }
    tools_.log.end_session(tools_.id, SessionStatus::kDone, "surveyed");
  }

 private:
  void measure_seeds() {
    std::vector<Point> seeds;
    std::ranges::copy_if(tools_.space.seeds(), std::back_inserter(seeds),
                         [this](const Point& seed) { return seen_.insert(seed); });
    measure_all(seeds, kSeed);
  }

  void measure_samples() {
    std::vector<Point> samples;
    add_samples(tools_.space, options_.samples, random_, seen_, samples);
    measure_all(samples, kSample);
  }

  std::vector<Point> relatives(std::size_t n) {
    constexpr std::size_t kAttempts = 50;  // for each relative
    std::vector<Point> found;
    const std::vector<Point> parents = sound_.fastest(kParents);
    for (std::size_t attempt = 0; !parents.empty() && attempt < kAttempts * n && found.size() < n; ++attempt) {
      const Point& parent = parents[random_() % parents.size()];
      auto child = tools_.space.mutate(parent, 1 + static_cast<int>(random_() % 2), random_);
      if (child && seen_.insert(*child)) found.push_back(std::move(*child));
    }
    return found;
  }

  void measure_all(std::span<const Point> points, const char* origin) {
    for (std::size_t first = 0; first < points.size(); first += kBatch) {
      const auto part = points.subspan(first, std::min(kBatch, points.size() - first));
      measure({part.begin(), part.end()}, origin);
    }
  }

  void measure(const std::vector<Point>& points, const char* origin) {
    const Batch batch = tools_.log.commit_batch(tools_.id, batches_++, points, origin);
    check(batch.points.size() == points.size(), "a survey's points were there before it");
    const std::vector<BuiltPoint> built = tools_.build(points, Pipeline::kSearch);
    std::vector<SessionTrial> trials;
    for (std::size_t first = 0; first < built.size(); first += kChunk) {
      const std::size_t n = std::min(kChunk, built.size() - first);
      const auto part = std::span(built).subspan(first, n);
      const ChunkResult chunk = run_chunk(trials_, tools_, part);
      std::vector<TrialId> recorded;
      for (std::size_t i = 0; i < n; ++i) {
        Measurement m = chunk.measurements[i].value();
        m.compile_ms = part[i].result.compile_ms;
        recorded.push_back(
            tools_.log.record(tools_.id, batch.ids[first + i], m, {part[i].result.object.code_fingerprint, 0}));
        if (is_sound(m)) trials.push_back(session_trial(recorded.back(), points[first + i], m));
      }
      update_references(trials_, tools_, chunk, std::span(points).subspan(first, n), part, recorded);
    }
    sound_.record(trials);
    done_ += static_cast<std::int64_t>(built.size());
    if (progress_) progress_(done_);
  }

  const SurveyOptions options_;
  const SurveyProgress& progress_;
  const SessionOptions session_options_;
  const TaskContext context_;
  Tools tools_;
  SessionTrials trials_{tools_.space.default_point()};
  std::mt19937_64 random_;
  SeenPoints seen_;
  MeasuredTrials sound_;
  int batches_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace

void survey(const Task& task, TuningLog& log, const SurveyOptions& options, const SurveyProgress& progress) {
  if (!log.trials(filter_of(task_key(task)), 1).empty()) {
    throw UsageError(
        fmt::format("{} has trials of '{}' already: record it in a new file", log.path(), task.workload.str()));
  }
  Survey(task, log, options, progress).run();
}

std::vector<SurveyedPoint> read_survey(const TuningLog& log, const Task& task) {
  TaskFilter filter = filter_of(task_key(task));
  filter.machine.clear();
  filter.backend.clear();
  std::vector<SurveyedPoint> points;
  SessionId session = 0;
  for (const TrialRecord& record : log.trials(filter)) {
    const std::string& origin = record.origin;
    if (origin != kSeed && origin != kSample && origin != kRelative) continue;
    if (session == 0) session = record.session;
    if (record.session != session) continue;  // times of different sessions are not comparable
    const Measurement& m = record.measurement;
    points.push_back({session_trial(record.id, record.point, m), is_sound(m), origin == kSample});
  }
  return points;
}

}  // namespace nestwright
