#include <fmt/format.h>

#include <cstdio>

#include "cli/commands/given_config.h"
#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/options/interrupt.h"
#include "cli/output/record_output.h"
#include "cli/output/throughput.h"
#include "lookup/task_key.h"
#include "measure/race/race_finalists.h"
#include "search/budget/effort.h"
#include "search/race/side_by_side.h"
#include "search/task/runnable.h"

namespace nestwright::cli {
namespace {

struct MeasureOptions {
  CommonOptions common;
  std::string config;
  std::string template_name;
  std::string effort = effort_name(Effort::kQuick);
  bool db_given = false;  ///< if so, the database must exist
};

/// What was measured: the given configuration and, unless it is the same, the one beside it.
struct Comparison {
  Lookup given;
  Lookup beside;
  Measurement measured;
  std::optional<Measurement> measured_beside;  ///< nullopt: the given configuration is the one beside it
};

bool is_timed(const Measurement& m) { return m.outcome == Outcome::kOk && m.timing.median_ns > 0; }

/// The ratio of the times, beside by given: above 1 where the given one is faster. Zeros where one was not timed.
MedianInterval speedup(const Comparison& c) {
  if (!c.measured_beside || !is_timed(c.measured) || !is_timed(*c.measured_beside)) return {};
  return ratio_between(c.measured_beside->timing, c.measured.timing);
}

const char* beside_name(const Comparison& c) {
  return c.beside.match == MatchKind::kDefault ? "the untuned default" : "the best known";
}

std::string outcome_text(const Measurement& m) {
  if (m.outcome != Outcome::kOk) return fmt::format("not timed: {}: {}", outcome_name(m.outcome), m.message);
  if (m.timing.median_ns == 0) return "not timed: the machine was disturbed";
  const std::string disturbed = m.timing.is_disturbed() ? " (disturbed: " + m.timing.disturbance + ")" : "";
  return format_time(m.timing) + disturbed;
}

void print_text(const Comparison& c, const Task& task) {
  std::string text = fmt::format("workload  {}\ntarget    {}\ncaches    {}\n{}time      {}\n", task.workload.str(),
                                 task.target.str(), caches_of(task), config_text(c.given), outcome_text(c.measured));
  if (is_timed(c.measured)) {
    text += fmt::format(
        "speed     {}\ncorrect   verified against the reference in double, largest error {:.2g} of its "
        "bound\n",
        throughput_text(work_of(task.workload), c.measured.timing.median_ns), c.measured.evidence.largest_error_ratio);
  }
  text += fmt::format("beside    {}\n", origin_text(c.beside));
  if (!c.measured_beside) {
    text += fmt::format("ratio     1: it is {} configuration itself\n", beside_name(c));
    fmt::print("{}", printable(text));
    return;
  }
  text += config_text(c.beside) + fmt::format("time      {}\n", outcome_text(*c.measured_beside));
  if (const MedianInterval ratio = speedup(c); ratio.median > 0) {
    text += fmt::format("ratio     {:.3f} [{:.3f} .. {:.3f}] times as fast as {} one\n", ratio.median, ratio.low,
                        ratio.high, beside_name(c));
  }
  fmt::print("{}", printable(text));
}

Json side_json(const Lookup& found, const Measurement& m, const Task& task) {
  Json json = {{"match", match_name(found.match)},
               {"hint", hint_json(found.hint)},
               {"template", found.source->name},
               {"version", found.source->version},
               {"config_text", found.config.str()},
               {"outcome", outcome_name(m.outcome)},
               {"verified", m.outcome == Outcome::kOk && m.evidence.verified},
               {"time_ns", nullptr}};
  if (!m.message.empty()) json["message"] = m.message;
  if (!is_timed(m)) return json;
  const Work work = work_of(task.workload);
  json["time_ns"] = {{"median", m.timing.median_ns}, {"low", m.timing.low_ns}, {"high", m.timing.high_ns}};
  json["gflops"] = work.flops / m.timing.median_ns;
  json["gb_s"] = work.bytes / m.timing.median_ns;
  json["largest_error_ratio"] = m.evidence.largest_error_ratio;
  if (m.timing.is_disturbed()) json["disturbance"] = m.timing.disturbance;
  return json;
}

Json document(const Comparison& c, const Task& task) {
  Json json = {{"workload", task.workload.str()}, {"target", task.target.str()}, {"caches", caches_of(task)}};
  json.update(side_json(c.given, c.measured, task));
  json["beside"] = side_json(c.beside, c.measured_beside.value_or(c.measured), task);
  json["ratio"] = nullptr;
  if (const MedianInterval ratio = speedup(c); ratio.median > 0) {
    json["ratio"] = {{"median", ratio.median}, {"low", ratio.low}, {"high", ratio.high}};
  }
  return json;
}

/// Shows what a worker wrote before it died; the message of its trial has only the last line.
void note_worker_output(const std::string& text) {
  if (text.find_first_not_of(" \n") == std::string::npos) return;
  note(fmt::format("the worker wrote:\n{}{}", printable(text), text.ends_with('\n') ? "" : "\n"));
}

int run(const MeasureOptions& options) {
  const TaskContext context = options.common.task(options.common.registry());
  const Task& task = context.task();
  Comparison c;
  c.given = given_config(context, options.config, options.template_name);
  require_runnable(task, Machine::host());
  c.beside = look_up_in(options.common, options.db_given, context);
  install_signal_handlers();
  note_missing_lock(task.target);
  note(printable(fmt::format("measuring {} beside {} configuration{}\n", task.workload.str(), beside_name(c),
                             hint_text(c.beside.hint))));

  std::vector<Side> sides{{c.given.source, c.given.config}};
  const bool is_same = c.given.source == c.beside.source && c.given.config == c.beside.config;
  if (!is_same) sides.push_back({c.beside.source, c.beside.config});
  const std::vector<Measurement> measured = measure_side_by_side(
      task, sides, parse_effort(options.effort), [] { return is_interrupted(); },
      {.kept_in = references_kept_by(options.common)}, note_worker_output);
  if (is_interrupted()) return kInterrupted;
  c.measured = measured.front();
  if (!is_same) c.measured_beside = measured.back();
  const bool is_right = c.measured.outcome == Outcome::kOk && c.measured.evidence.verified;
  if (options.common.json) {
    print_json(document(c, task));
  } else if (is_right) {
    print_text(c, task);
  }
  if (is_right) return kDone;
  return print_error(
      kNoValid, fmt::format("the configuration {} of {} failed ({}: {}): choose other values", c.given.config.str(),
                            c.given.source->name, outcome_name(c.measured.outcome), c.measured.message));
}

}  // namespace

void add_measure(CommandLine& line, Action& action) {
  auto options = std::make_shared<MeasureOptions>();
  Command command = line.add_command(
      "measure", "check one configuration and time it beside the best known one, or the default; records nothing");
  add_workload(command, options->common);
  add_config(command, options->config).required();
  add_template(command, options->template_name);
  Argument db = add_db(command, options->common);
  add_target(command, options->common);
  add_caches(command, options->common);
  command
      .add_option("--effort", options->effort,
                  "how often they are timed: in as many fresh processes as the finalists of tune")
      .value_name("NAME")
      .one_of(effort_names())
      .show_default();
  add_json(command, options->common);
  command.on_chosen([options, db, &action] {
    options->db_given = db.is_given();
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
