// Whatever two databases contain, it does not matter which one is merged into which, and a second merge adds nothing.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <filesystem>
#include <random>
#include <vector>

#include "logs/upkeep/merge.h"
#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

/// Writes made-up rows of one task. Two logs have some sessions and many points in common.
class RandomLog {
 public:
  RandomLog(std::string owner, std::uint32_t seed) : owner_(std::move(owner)), random_(seed) {}

  void write(const std::string& path) {
    TuningLog::open(path, OpenMode::kWrite);
    add_task();
    const int sessions = number(1, 3);
    std::vector<int> configs{0, 1, 2, 3, 4, 5, 6, 7};
    std::shuffle(configs.begin(), configs.end(), random_);
    for (int session = 1; session <= sessions; ++session) add_session(session, configs);
    for (int session = 1; session <= sessions; ++session) link_session(session);
    sqlite::Database database(path, path, SQLITE_OPEN_READWRITE, 1000);
    database.execute("BEGIN;" + sql_ + "COMMIT");
  }

 private:
  struct Trial {
    int id = 0, same_as = 0;
    std::string measured;
  };

  int number(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<std::uint32_t>(high - low + 1));
  }
  bool happens(int percent) { return number(1, 100) <= percent; }
  template <typename... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    sql_ += fmt::format(format, std::forward<Values>(values)...);
  }

  void add_task() {
    add("INSERT INTO target VALUES (1, 'cpu,isa=avx512,threads=2', 'made-up machine', 'LLVM 19.1.7', 2);"
        "INSERT INTO workload(id, workload, op, dtype, parameters, flops)"
        " VALUES (1, 'matmul m=8 n=8 k=8', 'matmul', 'float32', '{{}}', 1);"
        "INSERT INTO task(id, workload_id, target_id, pipeline, cache, pages, prepacked)"
        " VALUES (1, 1, 1, 0, 'warm', 'small', 'none');"
        "INSERT INTO space(id, task_id, template, template_version) VALUES (1, 1, 'matmul.cpu', 1);");
  }

  void add_session(int session, std::vector<int>& configs) {
    const bool is_shared = happens(50);
    const std::string name = is_shared ? fmt::format("shared {}", session) : fmt::format("{} {}", owner_, session);
    add("INSERT INTO session(id, task_id, seed, strategy, cost_model, options, status, reason, owner, rule, started_at)"
        " VALUES ({}, 1, '1', 's', 'c', '{{}}', '{}', '', '{}', 2, '2026-01-0{}');",
        session, happens(50) ? "killed" : "done", name, is_shared ? session : number(4, 9));
    add("INSERT INTO batch(id, session_id, number, runner_session_id, committed_at) VALUES ({0}, {0}, 0, {1}, '2026');",
        session, number(1, session));
    for (int position = 0; position < number(1, 3) && !configs.empty(); ++position) {
      const int config = configs.back();
      configs.pop_back();
      const int id = static_cast<int>(++proposals_);
      add("INSERT INTO proposal(id, batch_id, position, space_id, config, knobs, origin)"
          " VALUES ({0}, {1}, {2}, 1, 'x={3}', '{{\"x\":{3}}}', 'o');",
          id, session, position, config);
      if (happens(85)) add_trial(id, number(1, session));
    }
  }

  void add_trial(int id, int session) {
    Trial trial{id, 0, measurement()};
    if (happens(30)) {
      const int other = trials_.empty() ? 0 : number(0, static_cast<int>(trials_.size()) - 1);
      if (!trials_.empty() && trials_[other].same_as == 0) {
        trial.same_as = trials_[other].id;
        trial.measured = trials_[other].measured;
      }
    }
    add("INSERT INTO trial(id, proposal_id, session_id, same_as_trial_id, recorded_at, compile_ms, check_ms, "
        "measure_ms,"
        " {}) VALUES ({}, {}, {}, {}, '2026-02-0{}', 1, 2, {}, {});",
        kMeasured, id, id, session, trial.same_as == 0 ? "NULL" : std::to_string(trial.same_as), number(1, 2),
        number(1, 2), trial.measured);
    trials_.push_back(trial);
  }

  std::string measurement() {
    const bool failed = happens(20);
    const std::string median = failed ? "NULL" : std::to_string(number(10, 14));
    return fmt::format("{}, '', {}, {}, {}, '{}', '[]', '[]', {}, '{}', {}, {}, {}", failed ? 5 : 0, median, median,
                       median, happens(50) ? "[1]" : "[1,2]", happens(10) ? 1 : 0, happens(20) ? "a neighbour" : "",
                       happens(80) && !failed ? 1 : 0, happens(10) ? "4" : "NULL", number(1000, 1001));
  }

  void link_session(int session) {
    if (trials_.empty()) return;
    const auto any_trial = [&] { return trials_[number(0, static_cast<int>(trials_.size()) - 1)].id; };
    if (happens(50)) add("UPDATE session SET incumbent_trial_id = {} WHERE id = {};", any_trial(), session);
    for (int race = 0; race < number(0, 2); ++race) {
      const int winner = any_trial();
      add("INSERT INTO race(session_id, task_id, pipeline, winner_trial_id, recorded_at)"
          " VALUES ({}, 1, 0, {}, '2026-03-0{}');",
          session, winner, session);
      add("INSERT INTO race_entry(race_id, trial_id, role, tied, {1}) SELECT (SELECT max(id) FROM race), {0}, "
          "'finalist',"
          " 0, {1} FROM trial WHERE id = {0};",
          winner,
          "outcome, message, median_ns, low_ns, high_ns, samples_ns, raw_ns, fma_ns, ended_early, disturbance, "
          "verified");
    }
  }

  static constexpr const char* kMeasured =
      "outcome, message, median_ns, low_ns, high_ns, samples_ns, raw_ns, fma_ns, ended_early, disturbance, verified,"
      " part_ratio, device_clock_mhz";
  std::string owner_, sql_;
  std::mt19937 random_;
  std::size_t proposals_ = 0;
  std::vector<Trial> trials_;
};

class MergePropertyTest : public TwoLogs {
 protected:
  /// What a merge must make of two databases: texts, without numbers of rows.
  static std::vector<std::string> content(const std::string& path) {
    const sqlite::Database database(path, path, SQLITE_OPEN_READWRITE, 1000);
    std::vector<std::string> rows;
    for (const char* query :
         {"SELECT 'trial', config, outcome, median_ns, disturbance, samples_ns, verified, part_ratio, device_clock_mhz,"
          " owner, started_at, (SELECT config FROM trial AS measured JOIN proposal ON proposal.id = "
          "measured.proposal_id"
          "  WHERE measured.id = trial.same_as_trial_id)"
          " FROM trial JOIN proposal ON proposal.id = proposal_id JOIN session ON session.id = trial.session_id"
          " ORDER BY config",
          "SELECT 'session', owner, status, (SELECT config FROM trial JOIN proposal ON proposal.id = proposal_id"
          " WHERE trial.id = incumbent_trial_id) FROM session ORDER BY owner"}) {
      sqlite::Statement select = database.prepare(query);
      while (select.step()) {
        std::string row;
        for (int column = 0; column < (rows.empty() || select.text(0) == "trial" ? 12 : 4); ++column) {
          row += select.text(column) + " | ";
        }
        rows.push_back(row);
      }
    }
    return rows;
  }
  static void expect_copies_to_follow(const std::string& path) {
    const std::string pairs =
        "SELECT count(*) FROM trial JOIN trial AS measured ON measured.id = trial.same_as_trial_id";
    EXPECT_EQ(value(path, pairs + " WHERE measured.same_as_trial_id IS NOT NULL"), 0);
    EXPECT_EQ(
        value(path, pairs + " WHERE (trial.outcome, trial.median_ns, trial.part_ratio, trial.device_clock_mhz) IS NOT"
                            " (measured.outcome, measured.median_ns, measured.part_ratio,"
                            "  measured.device_clock_mhz)"),
        0);
  }
};

TEST_F(MergePropertyTest, TheDirectionDoesNotMatterAndASecondMergeAddsNothing) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) std::filesystem::remove(entry);
    RandomLog("a", 2 * seed).write(a_);
    RandomLog("b", 2 * seed + 1).write(b_);
    const std::string ab = folder_.file("ab.db"), ba = folder_.file("ba.db");
    for (const auto& [first, second, both] : {std::tuple(a_, b_, ab), std::tuple(b_, a_, ba)}) {
      merge_log(first, both);
      merge_log(second, both);
      expect_whole(both);
      expect_copies_to_follow(both);
      for (const std::string& again : {first, second}) {
        const MergeResult added = merge_log(again, both);
        EXPECT_EQ(added.tasks + added.sessions + added.trials + added.races + added.replaced, 0) << both;
      }
    }
    EXPECT_EQ(content(ab), content(ba));
    EXPECT_EQ(value(ab, "SELECT count(*) FROM race"), value(ba, "SELECT count(*) FROM race"));
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace nestwright
