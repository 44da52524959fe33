// The values that the database stores and returns. Keys contain everything that a result depends on. Stable: fields may
// be added, names of outcomes, sources and statuses never change.
// Thread rule: values. Units are in the names.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nestwright/config_space.h"
#include "nestwright/measurement.h"
#include "nestwright/target.h"

#pragma GCC visibility push(default)

namespace nestwright {

using SessionId = std::int64_t;
using ProposalId = std::int64_t;
using TrialId = std::int64_t;

/// A parameter of a workload. Sizes may differ between a query and its nearest answer; everything else must be equal.
struct WorkloadParameter {
  std::string name;
  std::string value;  ///< canonical text; numbers are stored as JSON numbers
  bool is_size = false;
  friend bool operator==(const WorkloadParameter&, const WorkloadParameter&) = default;
};

/// A workload: an operator with its parameters.
struct WorkloadKey {
  std::string text;  ///< canonical: "matmul m=512 n=512 k=512 tb=1"
  std::string op;
  std::string dtype;
  std::vector<WorkloadParameter> parameters;  ///< those that differ from their defaults, as in the text
  double flops = 0;                           ///< per run
  /// The defaults of all sizes that have a number as default: the values of sizes that `parameters` omits. Not
  /// recorded.
  std::vector<WorkloadParameter> defaults = {};
  /// The format of the file that it was imported from, of another tuner: "T4". Empty: Nestwright's own.
  std::string source = {};
};

/// A task: a workload, the machine that it runs on, and the conditions. Results of different tasks are never compared.
struct TaskKey {
  WorkloadKey workload;
  std::string target;                     ///< Target::str()
  int threads = 1;                        ///< as in the target, for filters
  std::string machine;                    ///< fingerprint: CPU model, extensions, caches; for a device also its driver
  std::string backend;                    ///< compiler and version: "LLVM 19.1.7"
  Pipeline pipeline = Pipeline::kSearch;  ///< that trials are compiled with
  std::string cache = "warm";             ///< cache_state_name()
  std::string pages = "small";            ///< "small" or "huge"
  std::string prepacked = "none";         ///< operands that are constant and packed in advance, e.g. "B"
  /// The target's text with the name that earlier versions gave its processor, whose records are hints; empty: the name
  /// is the same. Not recorded.
  std::string former_target = {};
};

/// Selects tasks; an empty string and 0 match any.
struct TaskFilter {
  std::string workload, op, dtype, target, machine, backend, cache, pages, prepacked;
  int threads = 0;
  bool with_foreign = false;  ///< selects tasks of other tuners (WorkloadKey::source), too
};
/// Returns a filter that selects exactly this task.
TaskFilter filter_of(const TaskKey& task);

/// A template and its version, without which a configuration is meaningless.
struct TemplateVersion {
  std::string name;
  int version = 1;
  friend bool operator==(const TemplateVersion&, const TemplateVersion&) = default;
};

/// How a session computes scores from readings. Do not change these values: databases store them.
enum class ScoringRule : std::uint8_t {
  kDividedByFma = 1,  ///< divided by an FMA loop beside the sample, up to schema version 5: a hint, never proof
  kPaired = 2,        ///< paired with readings of a reference kernel in the same passes
};

/// The unit of a session's times. Times of two sessions are comparable if both are paired and have the same anchor:
/// those of session a are ns * b.anchor_ns / a.anchor_ns in the unit of session b.
struct SessionUnit {
  SessionId session = 0;
  ScoringRule rule = ScoringRule::kPaired;
  TrialId anchor = 0;                ///< the trial of the template's default schedule; 0: the session has no anchor
  double anchor_ns = 0;              ///< its reference time in the session
  std::string code_generator;        ///< RecordProvenance::code_generator of the session
  std::vector<std::string> plugins;  ///< RecordProvenance::plugins of the session
};

/// Another task, with the largest group of its trials whose times are comparable: those of sessions with a common
/// anchor, or those of one session under the old scoring rule.
struct RelatedTask {
  WorkloadKey workload;
  std::vector<TrialId> trials;  ///< fastest first
  std::vector<double> times;    ///< of each of them, in a unit that they share
};

/// Totals over all trials of a task.
struct TaskTotals {
  std::int64_t trials = 0;  ///< of all outcomes
  double seconds = 0;       ///< spent on compiling, checking and measuring them
};

/// The provenance of a session's kernels, which may change on a machine from day to day. If it has changed, a record is
/// only a hint: it is shown, and raced again before it counts.
struct RecordProvenance {
  std::string code_generator;  ///< a hash of the code generator; empty up to schema version 6: not known
  std::string kernel;          ///< of the operating system: "Linux 6.1.0"; empty: not known
  std::string microcode;       ///< empty: not known
  std::string huge_pages;      ///< "always", "madvise" or "never"; empty: not known
  /// The plugins that the operator and its templates come from, sorted: each with its name, version and content hash.
  std::vector<std::string> plugins;
};

/// How a session searches.
struct SessionInfo {
  std::uint64_t seed = 0;
  std::string strategy;
  std::string cost_model;
  std::string options_json = "{}";  ///< all other options of the session
  RecordProvenance made_by;
};

/// Do not rename: databases store the names.
enum class SessionStatus : std::uint8_t {
  kRunning,
  kDone,
  kInterrupted,  ///< by the user
  kFailed,
  kKilled,  ///< found dead by a later session
};
const char* session_status_name(SessionStatus status);

/// A point of a search space: a configuration of a template. The log returns labels without their values, which
/// ConfigSpace::resolve restores.
struct Point {
  std::string template_name;
  int version = 1;  ///< of the template
  Config config;
  /// Stable text that identifies the point.
  std::string key() const;
  friend bool operator==(const Point&, const Point&) = default;
};

/// Points that were committed together.
struct Batch {
  std::int64_t id = 0;
  int number = 0;
  std::uint64_t seed = 0;       ///< of the session that proposed it
  std::vector<Point> points;    ///< those that are still to be measured, in the order in which they were proposed
  std::vector<ProposalId> ids;  ///< of each of them
};

/// The machine code of a trial.
struct TrialCode {
  std::string identity;  ///< a hash of the machine code; empty: nothing was compiled
  TrialId same_as = 0;   ///< the trial of the same code whose measurement this one takes; 0: it was measured itself
};

/// How many points a search considered before it proposed some of them.
struct ConsideredPoints {
  std::int64_t sampled = 0;      ///< drawn uniformly from the space; one that was drawn for two purposes counts twice
  std::int64_t ranked = 0;       ///< scored by the cost model, each once
  std::int64_t not_lowered = 0;  ///< to be scored, but without features: their programs cannot be lowered; each once
  ConsideredPoints& operator+=(const ConsideredPoints& more) {
    sampled += more.sampled;
    ranked += more.ranked;
    not_lowered += more.not_lowered;
    return *this;
  }
  friend bool operator==(const ConsideredPoints&, const ConsideredPoints&) = default;
};

/// What the search of a session considered: the points of each template, and how many of them have each value of each
/// knob.
struct SearchFunnel {
  struct OfTemplate {
    TemplateVersion source;
    ConsideredPoints points;
    /// By knob and value, as Config::str() writes it: values["unroll_k"]["4"]. Values of no such point are left out.
    std::map<std::string, std::map<std::string, ConsideredPoints>> values;
    friend bool operator==(const OfTemplate&, const OfTemplate&) = default;
  };
  std::vector<OfTemplate> templates;
  friend bool operator==(const SearchFunnel&, const SearchFunnel&) = default;
};

/// The number of points of a template's space for a task, as its last session counted them.
struct SpaceRecord {
  TemplateVersion source;
  PointCount valid;
};

/// What a session proposed, and what it considered before.
struct SessionProposals {
  SessionId session = 0;
  std::int64_t proposed = 0;           ///< points, measured or not
  std::vector<Point> unmeasured;       ///< proposed, but without a trial
  std::optional<SearchFunnel> funnel;  ///< absent: not recorded, as up to schema version 11
};

/// A recorded trial.
struct TrialRecord {
  TrialId id = 0;
  SessionId session = 0;  ///< the session that measured it
  SessionUnit unit;       ///< of its times; that of another session if it takes the measurement of a trial there
  int batch = 0;
  int position = 0;
  std::string workload;                       ///< canonical text
  std::vector<WorkloadParameter> parameters;  ///< without is_size
  Point point;
  std::string origin;  ///< the name of the strategy that proposed the point: "evolutionary"
  Measurement measurement;
  TrialCode code;
};

/// The role of the stored best in a race. Do not rename: databases store it.
inline constexpr const char* kIncumbentRole = "incumbent";

/// SessionInfo::strategy of a session that does not search, but races stored bests again. Do not rename: databases
/// store it.
inline constexpr const char* kRevalidateStrategy = "revalidate";

/// A contestant of the race that ends a session.
struct RaceEntry {
  TrialId trial = 0;
  /// "finalist", "incumbent" (the stored best; assigned by the log itself) or "default" (the untuned schedule).
  std::string role = "finalist";
  Measurement measurement;                 ///< interleaved with the other entries; any outcome
  bool tied = false;                       ///< indistinguishable from the winner
  std::vector<double> process_medians_ns;  ///< of each fresh process that timed it; empty: none did
};

/// A race that ends a session.
struct Race {
  Pipeline pipeline = Pipeline::kFinal;
  std::vector<RaceEntry> entries;
  /// Index into entries. If the race was disturbed, it may be absent, and answers only where nothing better is known.
  std::optional<int> winner;
  std::string disturbance;  ///< what disturbed the machine, so that the race replaces nothing; empty: nothing
};

/// How a record matches a query. Do not rename: `query --json` prints the names.
enum class MatchKind : std::uint8_t {
  kExact,
  kOtherMachine,  ///< the same workload and target, on another machine
  kNearest,
  kDefault,
  kGiven,  ///< a configuration that the user wrote
};
const char* match_name(MatchKind match);

/// Why a record is the best. Do not rename: `query --json` prints the names.
enum class BestSource : std::uint8_t {
  kRace,         ///< won or ran in the last race
  kConfirmed,    ///< the last confirmed incumbent of a task without a race
  kUnconfirmed,  ///< the fastest trial of its session
  kTrial,        ///< a trial that was asked for by its number
  kDisturbed,    ///< right, but timed on a disturbed machine, of a task without any other record
};
const char* best_source_name(BestSource source);  // "race", "confirmed", "unconfirmed", "trial", "disturbed"

/// The conditions of a network's records: as those of a task.
struct NetworkKey {
  std::string graph;    ///< identity_of() its kernels (network/identity.h)
  std::string target;   ///< Target::str()
  std::string machine;  ///< as in TaskKey
  std::string backend;  ///< as in TaskKey
  std::string cache;    ///< cache_state_name() of its tasks
};

/// A kernel of a network, and what it was compared with while the network ran.
struct NetworkKernelChoice {
  std::string workload;  ///< canonical text
  Point point;           ///< of the fastest one
  /// All that were compared, `point` among them. While the best of the task is one of them, the choice counts.
  std::vector<Point> compared;
  double saved_ns = 0;  ///< of a run of the network, beside the best of the task
};

/// How the kernels of a network are made of its model's joined graph, where that is not the default way. Nodes are
/// numbers of the graph to which the choice is applied.
struct NetworkVariant {
  struct Grouping {
    std::string kind;                ///< the name of a GroupingKind
    std::vector<std::size_t> nodes;  ///< of the joined graph
    friend bool operator==(const Grouping&, const Grouping&) = default;
  };
  std::vector<Grouping> groupings;
  /// By the channels of a block: the nodes, of the graph after the groupings, that have tensors of such blocks.
  std::map<int, std::vector<std::size_t>> blocked;
  bool is_default() const { return groupings.empty() && blocked.empty(); }
  friend bool operator==(const NetworkVariant&, const NetworkVariant&) = default;
};

/// The fastest way that was found to run a network, and its time.
struct NetworkRecord {
  NetworkKey key;
  std::string model_graph;     ///< identity_of() the graph from which groupings and layouts make the kernels
  std::string model;           ///< for people: the file's name
  std::string code_generator;  ///< as in RecordProvenance
  NetworkVariant variant;      ///< that makes these kernels
  std::vector<NetworkKernelChoice> kernels;  ///< those that were compared
  Timing timing;                             ///< of the network, without the individual readings
  std::vector<double> process_medians_ns;    ///< as in RaceEntry
  /// Its time with the default variant and the best of each task, in the same race or scaled by one; 0: unknown.
  double before_ns = 0;
  double kernels_ns = 0;         ///< the sum of the times of its kernels while it ran; 0: unknown
  std::string recorded_at = {};  ///< UTC, ISO 8601; is set by the log
};

/// A best known configuration, or one of the best.
struct BestRecord {
  MatchKind match = MatchKind::kExact;
  TaskKey task;  ///< of the record; parameters without is_size
  /// Target::str() of the target asked for, where the record has its TaskKey::former_target: a hint.
  std::string target_now = {};
  double distance = 0;  ///< to the requested shape: the Euclidean distance between log2 sizes
  TrialId trial = 0;
  SessionId session = 0;  ///< the session of its race or trials
  BestSource source = BestSource::kUnconfirmed;
  bool by_old_rule = false;  ///< timed by ScoringRule::kDividedByFma: a hint
  RecordProvenance made_by;  ///< of the session
  bool tied = false;         ///< an entry that the race could not distinguish from its winner
  bool kept = false;         ///< a race's winner that was the stored best before it
  int ties = 0;  ///< if this is the winner, the number of other entries that the race could not distinguish from it
  std::vector<double> process_medians_ns;  ///< as in RaceEntry
  /// Of its session: two readings of one kernel, minutes apart, differed by at most this share (95% confidence); 0: not
  /// known.
  double drift = 0;
  Pipeline pipeline = Pipeline::kSearch;  ///< that the time was measured with
  Point point;
  Timing timing;
  Evidence evidence;
  std::string recorded_at;  ///< UTC, ISO 8601
  std::int64_t trials = 0;  ///< recorded for the task, of all outcomes
  double gflops() const { return timing.median_ns > 0 ? task.workload.flops / timing.median_ns : 0; }
};

}  // namespace nestwright

#pragma GCC visibility pop
