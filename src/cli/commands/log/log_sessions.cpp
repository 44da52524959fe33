#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>

#include "cli/commands/log/log.h"
#include "cli/commands/log/log_output.h"
#include "cli/commands/log/selection.h"
#include "cli/options/exit_code.h"
#include "cli/options/option_checks.h"
#include "cli/output/record_output.h"
#include "logs/listing/log_reader.h"

namespace nestwright::cli {
namespace {

struct SessionsOptions {
  CommonOptions common;
  bool has_target = false;
  SessionFilter filter;
};

/// "2 wrong_result, 1 timeout"; "-" if all trials have a time.
std::string not_timed_text(const ListedSession& session) {
  std::vector<std::string> counts;
  for (const OutcomeCount& count : session.not_timed) {
    counts.push_back(fmt::format("{} {}", count.trials, outcome_name(count.outcome)));
  }
  return counts.empty() ? "-" : fmt::format("{}", fmt::join(counts, ", "));
}

/// "75 s"; "-" if the session has not ended.
std::string duration_text(const ListedSession& session) {
  return session.seconds ? fmt::format("{:.0f} s", *session.seconds) : "-";
}

/// "done: all points of the space were tried"
std::string status_text(const ListedSession& session) {
  if (session.status == session_status_name(SessionStatus::kRunning) && !session.is_held) {
    return "killed: its process died";
  }
  return session.reason.empty() ? session.status : fmt::format("{}: {}", session.status, session.reason);
}

void print_text(const SessionListing& listing) {
  std::vector<std::vector<std::string>> rows{
      {"session", "started", "duration", "trials", "not timed", "best", "strategy", "seed", "status", "task"}};
  for (const ListedSession& s : listing.sessions) {
    rows.push_back({std::to_string(s.id), s.started_at.substr(0, 19), duration_text(s), std::to_string(s.trials),
                    not_timed_text(s), s.best == 0 ? "-" : format_time(s.best_ns), s.strategy, s.seed, status_text(s),
                    task_text(s.task)});
  }
  fmt::print("{}", table_text(rows, "rlrrlrlrll"));
}

Json session_json(const ListedSession& s) {
  Json not_timed = Json::object();
  for (const OutcomeCount& count : s.not_timed) not_timed[outcome_name(count.outcome)] = count.trials;
  Json json{{"session", s.id}, {"task", task_json(s.task)}, {"started_at", s.started_at}};
  json["ended_at"] = s.ended_at.empty() ? Json() : Json(s.ended_at);
  json["seconds"] = s.seconds ? Json(*s.seconds) : Json();
  json["trials"] = s.trials;
  json["timed"] = s.timed;
  json["not_timed"] = not_timed;
  json["best"] = s.best == 0 ? Json() : Json{{"trial", s.best}, {"median_ns", s.best_ns}};
  json["status"] = s.status;
  json["reason"] = s.reason;
  json["owner"] = s.owner;
  json["is_held"] = s.is_held;
  json["strategy"] = s.strategy;
  json["cost_model"] = s.cost_model;
  json["seed"] = s.seed;
  json["options"] = s.options;
  json["rule"] = static_cast<int>(s.rule);
  json["anchor"] = s.anchor == 0 ? Json() : Json{{"trial", s.anchor}, {"ns", s.anchor_ns}};
  json["incumbent_trial"] = s.incumbent == 0 ? Json() : Json(s.incumbent);
  json["code_generator"] = s.made_by.code_generator;
  json["kernel"] = s.made_by.kernel;
  json["microcode"] = s.made_by.microcode;
  json["huge_pages"] = s.made_by.huge_pages;
  json["plugins"] = s.made_by.plugins;
  json["drift"] = s.drift;
  json["funnel"] = s.funnel.empty() ? Json() : Json(s.funnel);
  return json;
}

int run(const SessionsOptions& options) {
  SessionFilter filter = options.filter;
  const TaskSelection selection = task_selection(options.common, options.has_target);
  filter.tasks = selection.filter;
  const SessionListing listing = LogReader(options.common.db, database_options()).sessions(filter);
  if (listing.sessions.empty()) return print_nothing_matches(selection, options.common, "session");
  if (options.common.json) {
    Json json = Json::list();
    for (const ListedSession& session : listing.sessions) json.push_back(session_json(session));
    print_json(json);
  } else {
    print_text(listing);
  }
  note_rest(static_cast<std::int64_t>(listing.sessions.size()), listing.matching, "latest", "sessions");
  return kDone;
}

}  // namespace

void add_log_sessions(Command& log, Action& action) {
  auto options = std::make_shared<SessionsOptions>();
  options->filter.limit = 30;
  Command command = log.add_command("sessions", "list the sessions of a database, in the order in which they began");
  const Argument target = add_task_selection(command, options->common);
  add_session(command, options->filter.session, "only the session with this number");
  add_since(command, options->filter.since, "only those that began since");
  add_limit(command, options->filter.limit, "the latest N sessions");
  add_json(command, options->common);
  command.on_chosen([options, target, &action] {
    options->has_target = target.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
