// The tuning log: every trial, durably, in one SQLite file, with queries for the best. logs/FORMAT.md describes the
// tables.
//
// Once a call has returned, its data is on disk: a SIGKILL or a power failure at any moment loses nothing that was
// acknowledged. Several processes may write to one file at once; each waits for the others up to the busy timeout.
//
// Every method throws LogError, one sentence that names the file and says what to do: locked, read-only, disk full,
// damaged. A single row that cannot be read is skipped and noted. If the file is removed or replaced while it is in
// use, the next writing call puts everything that was recorded into a new file, which its LogError names.
// Thread rule: one thread at a time per TuningLog; any number of TuningLogs on one file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nestwright/records.h"

#pragma GCC visibility push(default)

namespace nestwright {

/// How to open a log.
enum class OpenMode : std::uint8_t {
  kRead,  ///< the file must exist and is not changed, even if its schema is older; works on read-only files and folders
  kWrite,  ///< created if it does not exist; an older schema is migrated, and a copy of the old file is kept
};

/// Options for opening a log.
struct OpenOptions {
  int busy_timeout_ms = 60'000;  ///< how long to wait for another process's transaction
  /// Checks the whole file for damage, which takes a second for a million trials. A writer always does so if the file
  /// is small or the last writer died.
  bool check = false;
  std::int64_t small_bytes = std::int64_t{64} << 20;  ///< the largest size of a small file
  std::int64_t max_bytes = 0;                         ///< writes beyond this size fail as on a full disk; 0: no limit
  /// Called with notes for the user that do not stop the work, one sentence each: a row that cannot be read, a copy
  /// that is kept. May be empty.
  std::function<void(const std::string&)> on_note;
};

class TuningLog {
 public:
  /// Opens a log. Refuses, without changing it, a file that does not exist (kRead), is not an SQLite file, is damaged,
  /// belongs to another program or has a newer schema.
  static TuningLog open(const std::string& path, OpenMode mode, const OpenOptions& options = {});
  TuningLog(TuningLog&&) noexcept;
  TuningLog& operator=(TuningLog&&) noexcept;
  ~TuningLog();

  // Writing: one durable transaction per call.

  /// Begins a session. It belongs to this process until it is ended or the process dies, which other processes with the
  /// file can see, even from another container.
  SessionId begin_session(const TaskKey& task, const SessionInfo& info);
  void end_session(SessionId session, SessionStatus status, const std::string& reason);
  /// Records the number of valid points in the space of a template. May be called again.
  void describe_space(SessionId session, const TemplateVersion& from, double valid_points, bool estimated);

  /// Commits the points that are going to be measured. Points that were ever proposed for this task, by any session,
  /// are left out of the result: they are or will be measured there. `origin` names the strategy that proposed them;
  /// empty: that of the session. Requires that the session has no batch with that number.
  Batch commit_batch(SessionId session, int number, const std::vector<Point>& points, const std::string& origin = {});
  /// Takes over a batch of this task whose session is dead and that has points without a trial, and returns those
  /// points. Absent if there is none. Marks sessions that it finds dead as kKilled.
  std::optional<Batch> claim_unfinished_batch(SessionId session);
  /// Records a trial. Requires a proposal of a batch that this session committed or claimed; a second record of a
  /// proposal is refused. A trial that takes the measurement of another one of the same code is marked so and never
  /// best itself; TrialCode::same_as must be a measured trial of this task with the same code.
  TrialId record(SessionId session, ProposalId proposal, const Measurement& measurement, const TrialCode& code = {});

  /// Replaces a trial's measurement and evidence if the old one failed, was disturbed, was that of a part of the
  /// kernel, was ended early or has no more samples than the new one. An undisturbed failure replaces any measurement;
  /// a timing that was disturbed, of a part or ended early never replaces a sound one. The trial may belong to another
  /// session; it then becomes this session's, and its times are in this session's unit. check_ms and measure_ms are
  /// added to the old values; the other costs are kept. Trials that take this trial's measurement take the new one.
  /// Returns false, without a change, if the recorded measurement is the better one, which another session may have
  /// written meanwhile. Throws LogError for a trial of another task, and for one that takes another trial's
  /// measurement. `code` is the identity of the machine code that was measured; empty: that of the recorded
  /// measurement.
  bool remeasure(SessionId session, TrialId trial, const Measurement& measurement, const std::string& code = {});

  /// Deletes the failed trials of the session `of` with these templates, and the trials that take their measurements,
  /// so that their points are without a trial again: claim_unfinished_batch() returns them. Trials that a race or a
  /// session names stay.
  void forget_failures(SessionId of, const std::vector<TemplateVersion>& templates);

  /// Sets the session's unit: the reference time of the template's default schedule, a trial of the same task, possibly
  /// of an earlier session. Once per session: all its times are in that unit.
  void set_anchor(SessionId session, TrialId trial, double ns);
  /// Records the last incumbent that the session has confirmed, a trial of the same task, possibly of an earlier
  /// session. It must be fit to be best: right, timed to the end without a disturbance, and measured itself.
  void set_incumbent(SessionId session, TrialId trial);
  /// Widens the interval of a trial's time, in nanoseconds. An end that would become narrower stays.
  void widen_interval(TrialId trial, double low_ns, double high_ns);
  /// Records how much the readings of one kernel differed within the session, as a share (BestRecord::drift).
  void set_drift(SessionId session, double drift);
  /// Records what the session's search considered so far, in the place of what it recorded before.
  void set_funnel(SessionId session, const SearchFunnel& funnel);
  /// Whether a trial is fit to be best; a trial that has since failed in a race is not.
  bool may_be_best(TrialId trial) const;

  /// Extends the chain of comparisons: the winner becomes the task's best. Requires entries that are trials of the
  /// session's task, of any outcome, and a winner that is right (verified). The stored best (stored_best()) must be
  /// among them, and loses its place by a slower time or by an outcome that is not ok. If it is not among them, because
  /// another session has just stored it, nothing is written and it is returned: race again with it. Absent: the race
  /// was written. A race on a disturbed machine needs neither a winner nor the stored best: it is recorded and replaces
  /// nothing; its winner answers only where nothing better is known.
  std::optional<BestRecord> record_race(SessionId session, const Race& race,
                                        const std::vector<TemplateVersion>& templates = {});

  /// Records a network.
  void record_network(const NetworkRecord& record);

  /// Raises the stored limits of the machine to the measured ones if those are higher. Returns the resulting limits.
  MachineLimits raise_limits(const std::string& machine, const MachineLimits& measured);

  // Queries. An empty `templates` matches any; otherwise records of other templates or versions are ignored.

  /// Returns the number after the highest of any batch of this task.
  int next_batch_number(const TaskKey& task) const;
  /// Returns trials of all outcomes in the order of recording; only the latest `limit` if it is not 0.
  std::vector<TrialRecord> trials(const TaskFilter& filter, std::int64_t limit = 0) const;
  /// Returns the trials of a task that were recorded after the trial `after`, in order, except those of session
  /// `except`: how concurrent sessions learn of each other's trials. The time depends on the number of those trials,
  /// not of all.
  std::vector<TrialRecord> trials_after(const TaskKey& task, TrialId after, SessionId except = 0) const;
  /// Returns the trials from which a search continues, in the order of recording: the last `latest` trials of the task,
  /// of all outcomes, and, if there are more, the `fastest` ones of each of its last 8 sessions and the trials that its
  /// last sessions and races name: anchors, confirmed incumbents, winners. Time and memory depend on `latest`, not on
  /// all trials.
  std::vector<TrialRecord> history(const TaskKey& task, std::int64_t latest, std::int64_t fastest) const;
  /// Whether any trial of the task, of whichever template, was right, whether or not its time counts.
  bool has_right_trial(const TaskKey& task) const;
  /// Returns the totals of a task. The time does not depend on the number of trials.
  TaskTotals totals(const TaskKey& task) const;
  /// Returns the unit of every session of the task, in order.
  std::vector<SessionUnit> session_units(const TaskKey& task) const;

  /// Returns the winner of the task's last undisturbed race, unless it failed in a later one. If there was no race yet:
  /// the last confirmed incumbent of the latest session that has one, with sessions that were restricted (e.g. to
  /// a template) after all others; else, if sessions of the old rule recorded trials, the fastest trial of the session
  /// with the most of them, because times of different sessions of that rule are not comparable; else the winner of the
  /// last disturbed race, or the fastest trial of the latest session, as kDisturbed where it was. Never a record that
  /// is wrong or ended early. If several tasks match: that of the task with the latest undisturbed record, else the
  /// latest one.
  std::optional<BestRecord> best(const TaskFilter& filter, const std::vector<TemplateVersion>& templates = {}) const;
  /// Returns the record that a race of this session must include: the winner of the task's last undisturbed race; if
  /// there is none, the incumbent that another session, which has ended, confirmed last. A session's own incumbent does
  /// not count, the incumbent of a running session takes part in that session's race, and a record that was never
  /// confirmed was never compared with anything.
  std::optional<BestRecord> stored_best(SessionId session, const std::vector<TemplateVersion>& templates = {}) const;
  /// Returns best() and its runners-up: the entries of the same race by their medians, then trials of the same session.
  std::vector<BestRecord> top(const TaskFilter& filter, int count,
                              const std::vector<TemplateVersion>& templates = {}) const;
  /// Returns the trial with this number, of any task and outcome, with its own reading. Absent if there is none, or if
  /// it cannot be read.
  std::optional<BestRecord> find_trial(TrialId id) const;
  /// Returns the trial of a point of the task. Absent if there is none.
  std::optional<TrialId> trial_of(const TaskKey& task, const Point& point) const;
  /// Returns how the trial with this number failed: "wrong_result: C[0, 0] is 1, not 2"; empty if it did not, or if
  /// there is none.
  std::string failure_of(TrialId id) const;
  /// Returns the trials that the next race must include, because their sessions did not reach a race: up to
  /// `per_session` trials that are fit to be best, of each session that has ended without any of its trials in an
  /// undisturbed race, first the confirmed incumbent, then the fastest. Then the winners that later races omitted,
  /// because these were held without the plugin of their template.
  std::vector<TrialRecord> challengers(const TaskKey& task, int per_session,
                                       const std::vector<TemplateVersion>& templates = {}) const;
  /// Returns what the search of a task can learn from other tasks: the timed trials of up to `tasks` tasks with the
  /// same operator, type, target, machine and conditions, out of the last 2000 undisturbed trials of each. First those
  /// that differ in the backend only, or have the key's former target, then those of the same backend whose parameters
  /// differ only in sizes, nearest first.
  std::vector<RelatedTask> relatives(const TaskKey& task, int tasks,
                                     const std::vector<TemplateVersion>& templates = {}) const;
  /// Returns the trials `ids` of a related task, in this order, without the individual readings (the lists of
  /// Timing are empty). A trial that cannot be read is left out.
  std::vector<TrialRecord> trials_of(const RelatedTask& task, std::span<const TrialId> ids) const;
  /// Returns the best records of other shapes, nearest first: same operator, all parameters except sizes equal, and
  /// matching `filter` (whose workload and op are ignored). Of records that are equally near, those of `machine` come
  /// first, then the latest. The caller must check that a configuration fits the shape.
  std::vector<BestRecord> nearest(const WorkloadKey& workload, const TaskFilter& filter, int limit,
                                  const std::vector<TemplateVersion>& templates = {},
                                  const std::string& machine = "") const;
  /// Returns the spaces of the task whose points were counted, of all versions of its templates.
  std::vector<SpaceRecord> spaces(const TaskKey& task) const;
  /// Returns what each session of the task proposed and considered, in the order of the sessions. Of proposals with a
  /// trial, only their number is read.
  std::vector<SessionProposals> proposals(const TaskKey& task) const;
  /// Returns the latest record of a network, an undisturbed one if there is one. Absent if there is none.
  std::optional<NetworkRecord> find_network(const NetworkKey& key) const;
  /// Returns the latest undisturbed record of those with this model_graph; `key.graph` is ignored.
  std::optional<NetworkRecord> find_network_of(const std::string& model_graph, const NetworkKey& key) const;
  /// Returns the best of each task that matches, ordered by workload text. Tasks without one are left out.
  std::vector<BestRecord> list(const TaskFilter& filter, const std::vector<TemplateVersion>& templates = {}) const;

  const std::string& path() const;

 private:
  struct State;
  explicit TuningLog(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Returns best() on `machine` (empty: any), else on another one, else the first of nearest() that `fits`. Of the
/// records of one machine, one by the filter's backend comes before one by another, and one of the filter's target
/// before one of `former_target` (as in TaskKey). Absent if there is none: use the template's default.
std::optional<BestRecord> find_best(const TuningLog& log, const WorkloadKey& workload, const TaskFilter& filter,
                                    const std::string& machine, const std::vector<TemplateVersion>& templates,
                                    const std::function<bool(const BestRecord&)>& fits,
                                    const std::string& former_target = {});

}  // namespace nestwright

#pragma GCC visibility pop
