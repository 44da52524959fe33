// The tuning log: every trial, durably, in one SQLite file, and the best-of questions over it. logs/FORMAT.md describes
// the tables.
//
// Whatever a call has returned from is on the disk: a SIGKILL or a power cut at any moment loses nothing that was
// acknowledged. Several processes may write to one file at once; each waits for the others up to the busy timeout.
// Thread rule: one thread at a time per TuningLog; any number of TuningLogs on one file.
// Every method throws LogError, one sentence that names the file and says what to do: locked, read-only, disk full,
// damaged. A single row that cannot be read is passed over and noted. Where the file is removed or replaced while it is
// in use, the next writing call puts all that was recorded into a new file, which its LogError names.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "logs/record.h"
#include "target/machine_limits.h"

namespace nestwright {

enum class OpenMode : std::uint8_t {
  kRead,   ///< the file must be there and stays as it is, an older schema too; works on read-only files and folders
  kWrite,  ///< made where it is not there; an older schema is brought up to date, and a copy of the old file kept
};

struct OpenOptions {
  int busy_timeout_ms = 60'000;  ///< how long another process's transaction is waited for
  /// Looks for damage in the whole file, which takes a second for a million trials. A writer does it in any case where
  /// the file is small or the last writer died.
  bool check = false;
  std::int64_t small_bytes = std::int64_t{64} << 20;  ///< up to which a file is small
  std::int64_t max_bytes = 0;                         ///< writes fail as on a full disk beyond this size; 0: no limit
  /// Told what the user should know though the work goes on, one sentence each: a row that cannot be read, a copy that
  /// is kept. May be empty.
  std::function<void(const std::string&)> on_note;
};

class TuningLog {
 public:
  /// Refuses what is not there (kRead), is no SQLite file, is damaged, belongs to another program or has a newer
  /// schema, and leaves it as it is.
  static TuningLog open(const std::string& path, OpenMode mode, const OpenOptions& options = {});
  TuningLog(TuningLog&&) noexcept;
  TuningLog& operator=(TuningLog&&) noexcept;
  ~TuningLog();

  // Writing: one durable transaction a call.

  /// The session belongs to this process until it is ended or the process dies, which others of the same file see also
  /// from another container.
  SessionId begin_session(const TaskKey& task, const SessionInfo& info);
  void end_session(SessionId session, SessionStatus status, const std::string& reason);
  /// Notes how many valid points the space of a template has. May be called again.
  void describe_space(SessionId session, const TemplateVersion& from, double valid_points, bool estimated);

  /// Commits what is going to be measured. A point that was ever proposed for this task, by anyone, is left out of the
  /// result: it is or will be measured there. Requires that the session has no batch of that number.
  Batch commit_batch(SessionId session, int number, const std::vector<Proposal>& proposals);
  /// Takes over a batch of this task that nobody works on any more and that has points without a trial, with those
  /// points. nullopt where there is none. Sessions found dead on the way become kKilled.
  std::optional<Batch> claim_unfinished_batch(SessionId session);
  /// Requires a proposal of a batch that this session committed or claimed. A second record of one proposal is refused.
  /// A trial that takes the measurement of another one of the same code is marked so and never best itself; what it is
  /// the same as must be a trial of this task and code that was measured.
  TrialId record(SessionId session, ProposalId proposal, const Measurement& measurement, const TrialCode& code = {});

  /// Puts another measurement, with its evidence, in the place of one that was disturbed, or that has fewer samples; a
  /// failure replaces any. The trial may be another session's, and is this one's from then on, in whose unit its times
  /// are; check_ms and measure_ms are added to what it took before, its other costs stay. Trials that take its
  /// measurement take the new one. Refuses a trial of another task, one that takes another one's measurement, and a
  /// measurement that is no improvement.
  void remeasure(SessionId session, TrialId trial, const Measurement& measurement);

  /// Notes the session's unit: the reference time of the template's default schedule, a trial of the same task, maybe
  /// of an earlier session. Once a session: all its times are in that unit.
  void set_anchor(SessionId session, TrialId trial, double ns);
  /// Notes the last incumbent that the session has confirmed, a trial of the same task, maybe of an earlier session. It
  /// must be fit to be best: right, timed to the end without a disturbance, and measured itself.
  void set_incumbent(SessionId session, TrialId trial);
  /// Puts a wider interval of its time in the place of a trial's. Unit: nanoseconds. A narrower end stays.
  void widen_interval(TrialId trial, double low_ns, double high_ns);
  /// Whether it is fit to be best, which one that failed in a race since is not.
  bool may_be_best(TrialId trial) const;

  /// Extends the chain of comparisons: the winner becomes the task's best. Requires entries that are trials of the
  /// session's task, of any outcome, and a winner that is right (verified). The stored best (stored_best()) must be
  /// among them: it loses its place by a slower time or by an outcome that is not ok. If it is not, as another session
  /// has just stored it, nothing is written and it is returned: race again with it. nullopt: written.
  /// A race on a disturbed machine needs no winner and no stored best: it is recorded and replaces nothing.
  std::optional<BestRecord> record_race(SessionId session, const Race& race,
                                        const std::vector<TemplateVersion>& templates = {});

  /// Raises what is stored of the machine to what was measured where that is more. Returns what is stored then.
  MachineLimits raise_limits(const std::string& machine, const MachineLimits& measured);

  // Asking. An empty `templates` means any; else records of other templates or versions are passed over.

  /// The number after the highest of any batch of this task.
  int next_batch_number(const TaskKey& task) const;
  /// Trials of all outcomes in the order in which they were recorded; the latest `limit` where it is not 0.
  std::vector<TrialRecord> trials(const TaskFilter& filter, std::int64_t limit = 0) const;
  /// What was recorded of a task since the trial `after`, in order, but for the trials of session `except`: how
  /// sessions that run at once hear of each other. Takes time in what was recorded since, not in what is recorded in
  /// all.
  std::vector<TrialRecord> trials_after(const TaskKey& task, TrialId after, SessionId except = 0) const;
  /// Returns what a search that goes on starts from, in the order of recording: the last `latest` trials of the task,
  /// of all outcomes, and, where there are more, the `fastest` ones of each of its last 8 sessions and the trials that
  /// its last sessions and races name: anchors, confirmed incumbents, winners. Takes time and memory in `latest`, not
  /// in what is recorded in all.
  std::vector<TrialRecord> history(const TaskKey& task, std::int64_t latest, std::int64_t fastest) const;
  /// Takes no time in what is recorded.
  TaskTotals totals(const TaskKey& task) const;
  /// Of every session of the task, in order.
  std::vector<SessionUnit> session_units(const TaskKey& task) const;

  /// The winner of the task's last undisturbed race, unless it failed in a later one. Where there was no race yet: the
  /// incumbent that was confirmed last, of the latest session that has one; else, where sessions of the old rule
  /// recorded trials, the fastest one of the session with the most of them, as their times are not comparable. Never
  /// what is wrong, was ended early or disturbed. Several tasks that match: the one with the latest such record.
  std::optional<BestRecord> best(const TaskFilter& filter, const std::vector<TemplateVersion>& templates = {}) const;
  /// What a race of this session must be run against: the winner of the task's last undisturbed race; where there is
  /// none, the incumbent that another session, which has ended, confirmed last. A session's own incumbent is not stored
  /// against itself, that of a running one runs in that one's race, and what was never confirmed was never compared to
  /// anything.
  std::optional<BestRecord> stored_best(SessionId session, const std::vector<TemplateVersion>& templates = {}) const;
  /// best() and what came after it: the entries of the same race by their medians, then trials of the same session.
  std::vector<BestRecord> top(const TaskFilter& filter, int count,
                              const std::vector<TemplateVersion>& templates = {}) const;
  /// What sessions that never came to their race leave for the next one: up to `per_session` trials that are fit to be
  /// best, of each session that has ended and none of whose trials was in an undisturbed race: the confirmed incumbent,
  /// then the fastest.
  std::vector<TrialRecord> challengers(const TaskKey& task, int per_session,
                                       const std::vector<TemplateVersion>& templates = {}) const;
  /// What the search of a task can learn from other shapes: the timed trials of up to `tasks` tasks with the same
  /// operator, type, target, machine, backend and conditions whose parameters differ in sizes alone, the nearest first,
  /// of each the last 2000 that nothing disturbed. Only what was recorded before the first session of `task` began: a
  /// session that goes on where another one was killed learns from the same.
  std::vector<RelatedTask> relatives(const TaskKey& task, int tasks,
                                     const std::vector<TemplateVersion>& templates = {}) const;
  /// Those trials of a related task, in the order of `ids`, without the lists of readings of their timings. One that
  /// cannot be read is left out.
  std::vector<TrialRecord> trials_of(const RelatedTask& task, std::span<const TrialId> ids) const;
  /// The bests of other shapes, nearest first: same operator, all parameters but sizes equal, and `filter` (whose
  /// workload and op are ignored). Whether a configuration fits the shape is for the caller to see.
  std::vector<BestRecord> nearest(const WorkloadKey& workload, const TaskFilter& filter, int limit,
                                  const std::vector<TemplateVersion>& templates = {}) const;
  /// The best of each task that matches, by workload text. Tasks without one are left out.
  std::vector<BestRecord> list(const TaskFilter& filter, const std::vector<TemplateVersion>& templates = {}) const;

  const std::string& path() const;

 private:
  struct State;
  explicit TuningLog(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// best() on `machine` (empty: any), else on another one, else the first of nearest() that `fits`, else nullopt: then
/// the template's default is what is known.
std::optional<BestRecord> find_best(const TuningLog& log, const WorkloadKey& workload, const TaskFilter& filter,
                                    const std::string& machine, const std::vector<TemplateVersion>& templates,
                                    const std::function<bool(const BestRecord&)>& fits);

}  // namespace nestwright
