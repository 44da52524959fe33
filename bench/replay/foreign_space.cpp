#include "bench/replay/foreign_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "logs/exchange/exchange.h"
#include "logs/listing/log_reader.h"
#include "logs/open_log.h"
#include "nestwright/error.h"
#include "nestwright/template.h"
#include "support/os/scratch_folder.h"

namespace nestwright {
namespace {

constexpr const char* kAbsent = "absent";  // the option of a knob that a point lacks

/// The values that a knob has in a record, in the order of their first appearance.
struct RecordedKnob {
  std::string name;
  std::vector<std::string> texts;
  std::vector<std::int64_t> integers;  ///< the same, unless has_texts
  bool has_texts = false;              ///< some value is no integer, or some point lacks the knob
};

std::string text_of(const ConfigEntry* entry) {
  if (entry == nullptr) return kAbsent;
  return entry->label.empty() ? std::to_string(entry->value.at(0)) : entry->label;
}

std::vector<RecordedKnob> knobs_of(const std::vector<TrialRecord>& trials) {
  std::vector<RecordedKnob> knobs;
  std::map<std::string, std::size_t> places;
  for (const TrialRecord& trial : trials) {
    for (const ConfigEntry& entry : trial.point.config.entries()) {
      if (places.try_emplace(entry.knob, knobs.size()).second) knobs.push_back({entry.knob, {}, {}, false});
    }
  }
  for (RecordedKnob& knob : knobs) {
    std::map<std::string, bool> seen;
    for (const TrialRecord& trial : trials) {
      const ConfigEntry* const entry = trial.point.config.find(knob.name);
      if (!seen.emplace(text_of(entry), true).second) continue;
      knob.texts.push_back(text_of(entry));
      knob.has_texts = knob.has_texts || entry == nullptr || !entry->label.empty();
      if (!knob.has_texts) knob.integers.push_back(entry->value.at(0));
    }
    std::ranges::sort(knob.integers);
  }
  return knobs;
}

/// The configuration with every knob, as the template of recorded_operator() has them.
Config complete(const Config& config, const std::vector<RecordedKnob>& knobs) {
  Config whole;
  for (const RecordedKnob& knob : knobs) {
    const ConfigEntry* const entry = config.find(knob.name);
    if (knob.has_texts) {
      whole.set(knob.name, {}, text_of(entry));
    } else {
      whole.set(knob.name, entry->value);
    }
  }
  return whole;
}

/// An operator that copies one element, under every configuration.
std::shared_ptr<const Operator> recorded_operator(const Point& point, std::vector<RecordedKnob> knobs) {
  auto op = std::make_shared<Operator>();
  op->name = "recorded";
  op->summary = "stands for a kernel of another tuner";
  op->define = [](const Workload&) {
    const Tensor in = placeholder({1}, kFloat32, "A");
    const Tensor out = compute({1}, [&](const Expr& i) { return in(i); }, "B");
    return Definition{.args = {in, out}, .inputs = 1, .flops = 1, .bytes = 8};
  };
  Template recorded;
  recorded.name = point.template_name;
  recorded.version = point.version;
  recorded.schedule = [knobs = std::move(knobs)](Tuning& t, const Workload&, Definition& definition, const Target&) {
    for (const RecordedKnob& knob : knobs) {
      if (knob.has_texts) {
        t.define_annotate(knob.name, knob.texts);
      } else {
        t.define_knob(knob.name, knob.integers);
      }
    }
    return create_schedule(definition.outputs());
  };
  op->templates = {std::move(recorded)};
  return op;
}

ForeignReplay replay_of(const TuningLog& log, const TaskKey& key) {
  const std::vector<TrialRecord> trials = log.trials(filter_of(key));
  check(!trials.empty(), "a task that was listed has no trials");
  const std::vector<RecordedKnob> knobs = knobs_of(trials);
  const Task task{parse_workload("recorded", recorded_operator(trials.front().point, knobs)),
                  Target::parse("cpu,isa=avx2,threads=1")};
  ForeignReplay replay{key.workload.text, key.machine, task, {}};
  for (const TrialRecord& record : trials) {
    // What was measured by something else than a time can be neither fast nor slow.
    if (record.measurement.outcome == Outcome::kOk && record.measurement.timing.median_ns <= 0) continue;
    const Point point{record.point.template_name, record.point.version, complete(record.point.config, knobs)};
    replay.points.push_back({session_trial(record.id, point, record.measurement), is_sound(record.measurement), true});
  }
  return replay;
}

/// The tasks of other tuners in a database.
std::vector<TaskKey> foreign_tasks(const std::string& database) {
  std::vector<TaskKey> tasks;
  SessionFilter all;
  all.tasks.with_foreign = true;
  for (const ListedSession& session : LogReader(database).sessions(all).sessions) {
    const auto is_same = [&](const TaskKey& task) {
      return task.workload.text == session.task.workload.text && task.target == session.task.target &&
             task.machine == session.task.machine && task.backend == session.task.backend;
    };
    if (session.task.workload.source.empty() || session.trials == 0 || std::ranges::any_of(tasks, is_same)) continue;
    tasks.push_back(session.task);
  }
  return tasks;
}

}  // namespace

std::vector<ForeignReplay> read_foreign_spaces(const std::string& file) {
  std::optional<ScratchFolder> scratch;
  std::string database = file;
  if (!is_sqlite_file(file)) {
    scratch.emplace("nestwright-replay");
    database = scratch->path() + "/imported.db";
    import_records(database, {.file = file});
  }
  std::vector<ForeignReplay> spaces;
  const TuningLog log = TuningLog::open(database, OpenMode::kRead);
  for (const TaskKey& task : foreign_tasks(database)) spaces.push_back(replay_of(log, task));
  if (spaces.empty()) {
    throw UsageError(
        fmt::format("file '{}' has no records of other tuners: import some with nestwright log import", file));
  }
  return spaces;
}

}  // namespace nestwright
