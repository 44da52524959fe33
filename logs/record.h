// What the log stores and hands back: plain values without any SQLite type. Keys hold everything that a result depends
// on. Thread rule: plain values. Units stand in the names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/backend.h"
#include "measure/measurement.h"
#include "space/config.h"

namespace nestwright {

using SessionId = std::int64_t;
using ProposalId = std::int64_t;
using TrialId = std::int64_t;

/// One parameter of a workload. Sizes may differ between a query and its nearest answer; everything else must be equal.
struct WorkloadParameter {
  std::string name;
  std::string value;  ///< canonical text; numbers are stored as JSON numbers
  bool is_size = false;
  friend bool operator==(const WorkloadParameter&, const WorkloadParameter&) = default;
};

struct WorkloadKey {
  std::string text;  ///< canonical: "matmul m=512 n=512 k=512 tb=1"
  std::string op;
  std::string dtype;
  std::vector<WorkloadParameter> parameters;  ///< those that do not stand at their default, as in the text
  double flops = 0;                           ///< of one run
};

/// A task: a workload, where it runs and under which conditions. Results of different tasks are never compared.
struct TaskKey {
  WorkloadKey workload;
  std::string target;                     ///< Target::str()
  int threads = 1;                        ///< as in the target, for filters
  std::string machine;                    ///< fingerprint: CPU model, extensions, caches; of a device also its driver
  std::string backend;                    ///< compiler and version: "LLVM 19.1.7"
  Pipeline pipeline = Pipeline::kSearch;  ///< that trials are compiled with
  std::string cache = "warm";             ///< "warm" or "cold"
  std::string pages = "small";            ///< "small" or "huge"
  std::string prepacked = "none";         ///< operands that count as constant and packed ahead, e.g. "B"
};

/// Which tasks a question is about; an empty string and 0 mean any.
struct TaskFilter {
  std::string workload, op, dtype, target, machine, backend, cache, pages, prepacked;
  int threads = 0;
};
/// Exactly this task.
TaskFilter filter_of(const TaskKey& task);

/// A configuration means something only together with the version of its template.
struct TemplateVersion {
  std::string name;
  int version = 1;
  friend bool operator==(const TemplateVersion&, const TemplateVersion&) = default;
};

/// How a session makes scores of readings. DO NOT CHANGE THESE VALUES: they are stored in databases.
enum class ScoringRule : std::uint8_t {
  kDividedByFma = 1,  ///< by an FMA loop beside the sample, up to schema version 5: a hint, never proof
  kPaired = 2,        ///< with readings of a reference kernel in the same passes
};

/// What the times of a session are measured in. Times of two sessions compare where both are paired and have the same
/// anchor: those of session a are ns * b.anchor_ns / a.anchor_ns in the unit of session b.
struct SessionUnit {
  SessionId session = 0;
  ScoringRule rule = ScoringRule::kPaired;
  TrialId anchor = 0;          ///< of the template's default schedule; 0: the session has no anchor
  double anchor_ns = 0;        ///< its reference time in the session
  std::string code_generator;  ///< MadeBy::code_generator of the session
};

/// What the time of a trial is worth to the search of another task.
struct RelatedTrial {
  TrialId id = 0;
  double median_ns = 0;
  bool ended_early = false, verified = false;
  SessionUnit unit;  ///< of its measurement; code_generator is left out
};
struct RelatedTask {
  WorkloadKey workload;
  std::vector<RelatedTrial> trials;  ///< in the order of recording
};

/// Totals over all trials of a task.
struct TaskTotals {
  std::int64_t trials = 0;  ///< of all outcomes
  double seconds = 0;       ///< spent on compiling, checking and measuring them
};

/// What made the kernels of a session and may change on one machine from day to day. Where it has, a record is a hint:
/// it is shown, and raced again before it counts.
struct MadeBy {
  std::string code_generator;  ///< codegen/fingerprint.h; empty up to schema version 6: not known
  std::string kernel;          ///< of the operating system: "Linux 6.1.0"; empty: not known
  std::string microcode;       ///< empty: not known
  std::string huge_pages;      ///< "always", "madvise" or "never"; empty: not known
};

struct SessionInfo {
  std::uint64_t seed = 0;
  std::string strategy;
  std::string cost_model;
  std::string options_json = "{}";  ///< everything else that the session was started with
  MadeBy made_by;
};

/// DO NOT RENAME: the names are stored in databases.
enum class SessionStatus : std::uint8_t {
  kRunning,
  kDone,
  kInterrupted,  ///< by the user
  kFailed,
  kKilled,  ///< found dead by a later session
};
const char* session_status_name(SessionStatus status);

/// A point that is to be measured. What the log hands back has labels without their values: ConfigSpace::resolve puts
/// them in.
struct Proposal {
  TemplateVersion from;
  Config config;
  std::string origin;  ///< who thought of it: "seed", "random", "model", ...
};

struct CommittedProposal {
  ProposalId id = 0;
  int position = 0;  ///< in the batch as it was proposed
  Proposal proposal;
};

struct Batch {
  std::int64_t id = 0;
  int number = 0;
  std::uint64_t seed = 0;                    ///< of the session that proposed it
  std::vector<CommittedProposal> proposals;  ///< those that are still to be measured
};

/// Which machine code a trial was of.
struct TrialCode {
  std::string identity;  ///< CompiledObject::code_fingerprint; empty: nothing was compiled
  TrialId same_as = 0;   ///< the trial of this very code whose measurement this one takes; 0: it was measured itself
};

struct TrialRecord {
  TrialId id = 0;
  SessionId session = 0;  ///< that measured it
  SessionUnit unit;       ///< of its times; another session's where it takes the measurement of a trial of that one
  int batch = 0;
  int position = 0;
  std::string workload;                       ///< canonical text
  std::vector<WorkloadParameter> parameters;  ///< without is_size
  Proposal proposal;
  Measurement measurement;
  TrialCode code;
};

/// Of the stored best in a race. DO NOT RENAME: stored in databases.
inline constexpr const char* kIncumbentRole = "incumbent";

/// One contestant of the race that ends a session.
struct RaceEntry {
  TrialId trial = 0;
  /// "finalist", "incumbent" (the stored best: the log itself gives it this role) or "default" (the untuned schedule).
  std::string role = "finalist";
  Measurement measurement;                 ///< taken interleaved with the other entries; its outcome may be any
  bool tied = false;                       ///< not told apart from the winner
  std::vector<double> process_medians_ns;  ///< of each fresh process that timed it; empty: none did
};

struct Race {
  Pipeline pipeline = Pipeline::kFinal;
  std::vector<RaceEntry> entries;
  std::optional<int> winner;  ///< index into entries; nullopt only where the race was disturbed
  std::string disturbance;    ///< what disturbed the machine: the race replaces nothing; empty: it was quiet
};

/// DO NOT RENAME: printed by `query --json`.
enum class MatchKind : std::uint8_t {
  kExact,
  kOtherMachine,  ///< this very workload and target, on another machine
  kNearest,
  kDefault,
};
const char* match_name(MatchKind match);

/// Why a record is called best. DO NOT RENAME: printed by `query --json`.
enum class BestSource : std::uint8_t {
  kRace,         ///< won or ran in the last race
  kConfirmed,    ///< the last confirmed incumbent of a task without a race
  kUnconfirmed,  ///< the fastest trial of its session
};
const char* best_source_name(BestSource source);  // "race", "confirmed", "unconfirmed"

/// A best known configuration, or one of the best.
struct BestRecord {
  MatchKind match = MatchKind::kExact;
  TaskKey task;         ///< of the record; parameters without is_size
  double distance = 0;  ///< to the shape that was asked for: length of the difference of log2 sizes
  TrialId trial = 0;
  SessionId session = 0;  ///< whose race or trials this comes from
  BestSource source = BestSource::kUnconfirmed;
  bool by_old_rule = false;  ///< timed by ScoringRule::kDividedByFma: a hint
  MadeBy made_by;            ///< of the session
  bool tied = false;         ///< an entry that the race could not tell from its winner
  bool kept = false;         ///< a race's winner that was the stored best before it
  int ties = 0;              ///< other entries that the race could not tell from its winner, which this one is
  std::vector<double> process_medians_ns;  ///< as in RaceEntry
  Pipeline pipeline = Pipeline::kSearch;   ///< that the time was taken with
  Proposal proposal;
  Timing timing;
  Evidence evidence;
  std::string recorded_at;  ///< UTC, ISO 8601
  std::int64_t trials = 0;  ///< recorded for the task, of every outcome
  double gflops() const { return timing.median_ns > 0 ? task.workload.flops / timing.median_ns : 0; }
};

}  // namespace nestwright
