#include "cli/output/explain_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "cli/options/common_options.h"
#include "cli/output/record_output.h"
#include "cli/output/shell_command.h"
#include "cli/output/throughput.h"
#include "findings/value_reason.h"
#include "lookup/task_key.h"

namespace nestwright::cli {
namespace {

constexpr double kLineBytes = 64;                         // of a cache
constexpr std::size_t kMaxCauses = 5, kMaxRuledOut = 16;  // shown as text

const char* times_text(std::int64_t count) { return count == 1 ? "time" : "times"; }

std::string count_text(const std::optional<PointCount>& count) {
  if (!count) return "not known";
  return fmt::format("{}{:.{}g}", count->estimated ? "about " : "", count->points, count->points < 1e6 ? 6 : 3);
}

std::string funnel_text(const FunnelStages& stages) {
  const auto line = [](const char* stage, const std::string& count, const std::string& remark = "") {
    return fmt::format("  {:<10}{:>12}{}{}\n", stage, count, remark.empty() ? "" : "  ", remark);
  };
  const auto number = [](std::int64_t count) { return std::to_string(count); };
  std::string text = line("valid", count_text(stages.valid), "points of the space");
  if (stages.considered) {
    text += line("sampled", number(stages.considered->sampled), "of them, uniformly");
    const std::int64_t not_lowered = stages.considered->not_lowered;
    text += line("ranked", number(stages.considered->ranked),
                 fmt::format("by the cost model{}",
                             not_lowered > 0 ? fmt::format("; {} more could not be lowered", not_lowered) : ""));
  } else {
    text += line("sampled", "?", "not recorded: the sessions are of an earlier version");
  }
  text += line("proposed", number(stages.proposed));
  text += line(
      "tried", number(stages.tried),
      stages.tried < stages.proposed ? fmt::format("{} wait for the next run", stages.proposed - stages.tried) : "");
  text += line("built", number(stages.built));
  text += line("right", number(stages.right));
  text += line(
      "timed", number(stages.timed),
      stages.same_code > 0 ? fmt::format("{} of them by a trial with the same machine code", stages.same_code) : "");
  text += line("confirmed", number(stages.confirmed), "checked and timed to the end, on a quiet machine");
  return text + line("raced", number(stages.raced));
}

std::string config_of(const Explanation& e, std::size_t trial) { return e.trials.config(trial); }

const std::string& template_of(const Explanation& e, std::size_t trial) {
  return e.trials.spaces[e.trials.space[trial]].name;
}

std::string failures_text(const Explanation& e) {
  const std::int64_t failed = e.funnel.task.tried - e.funnel.task.right;
  std::string text = fmt::format("failures  {} of {} trials\n", failed, e.funnel.task.tried);
  for (std::size_t i = 0; i < std::min(e.causes.size(), kMaxCauses); ++i) {
    const FailureCause& cause = e.causes[i];
    text += fmt::format("  {:>6}  {}: {}\n          {}\n", cause.trials, outcome_name(cause.outcome), cause.message,
                        measure_command(e.context.task(), template_of(e, cause.example), config_of(e, cause.example)));
  }
  if (e.causes.size() > kMaxCauses) text += fmt::format("  ... {} causes in all (--json)\n", e.causes.size());
  return text;
}

std::string ruled_out_text(const Explanation& e) {
  struct Line {
    std::string template_name, knob;
    std::vector<std::string> values;
    std::string why;
  };
  std::vector<Line> lines;
  std::size_t count = 0;
  for (const TemplateValues& of : e.values) {
    for (const KnobValues& knob : of.knobs) {
      const std::size_t first = lines.size();
      for (const ValueFinding& value : knob.values) {
        if (value.status != ValueStatus::kRuledOut) continue;
        ++count;
        const std::string why = constraints_text(value.excluded_by);
        const auto same = std::find_if(lines.begin() + static_cast<std::ptrdiff_t>(first), lines.end(),
                                       [&](const Line& line) { return line.why == why; });
        if (same != lines.end()) {
          same->values.push_back(value.value);
        } else {
          lines.push_back({of.source.name, knob.knob, {value.value}, why});
        }
      }
    }
  }
  std::string text = fmt::format("ruled out {} value{}, which no valid point has{}\n", count, count == 1 ? "" : "s",
                                 count == 0 ? "" : ", by the constraints without which one would");
  for (std::size_t i = 0; i < std::min(lines.size(), kMaxRuledOut); ++i) {
    const Line& line = lines[i];
    text += fmt::format("  {} {}={}: {}\n", line.template_name, line.knob, fmt::join(line.values, "|"), line.why);
  }
  if (lines.size() > kMaxRuledOut) text += "  ... (--json lists all)\n";
  return text;
}

/// How many values have each status, but for those that are listed.
std::string other_values_text(const Explanation& e) {
  std::map<ValueStatus, std::int64_t> counts;
  for (const TemplateValues& of : e.values) {
    for (const KnobValues& knob : of.knobs) {
      for (const ValueFinding& value : knob.values) ++counts[value.status];
    }
  }
  counts.erase(ValueStatus::kRuledOut);
  std::string text;
  for (const auto& [status, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status_name(status));
  }
  return fmt::format("values    {} (--why KNOB=VALUE says more of one)\n", text);
}

std::string advice(const BestBound& b) {
  const double speedup = b.bound.possible_speedup();
  switch (b.bound.by) {
    case BoundBy::kArithmetic:
      return fmt::format(
          "at most {:.2f} times as fast with these operations; beyond that, fewer operations or a narrower type",
          speedup);
    case BoundBy::kBandwidth:
      return fmt::format(
          "at most {:.2f} times as fast at this bandwidth; beyond that, less traffic: a narrower type, or one kernel "
          "together with what it reads from or writes to",
          speedup);
    case BoundBy::kLatency:
      return fmt::format(
          "up to {:.1f} times as fast: neither arithmetic nor bandwidth takes half of the time, but dependent "
          "operations, loads that miss, scalar code or the start of the parallel loop",
          speedup);
    case BoundBy::kUnknown:
      break;
  }
  if (b.rates.is_faster_level && speedup > 0) {
    return "not arithmetic; --run measures the bandwidth for these tensors, and tells it from latency";
  }
  return "the highest rates of this machine are not recorded";
}

std::string bound_text(const BestBound& b) {
  std::string text = fmt::format("bound by  {}: {}\n", bound_name(b.bound.by), advice(b));
  const auto share = [&](double ns) {
    return fmt::format("{:>10} {:>5.1f}%", format_time(ns), 100 * b.bound.share_of(ns));
  };
  if (b.bound.arithmetic_ns > 0) {
    text += fmt::format("  arithmetic {}  {:.4g} operations at {:.1f} GFLOP/s\n", share(b.bound.arithmetic_ns),
                        b.work.flops, b.rates.peak_gflops);
  }
  if (b.bound.traffic_ns > 0) {
    text += fmt::format("  traffic    {}  {:.4g} bytes at {:.1f} GB/s of {}\n", share(b.bound.traffic_ns), b.work.bytes,
                        b.rates.read_gb_s, b.level);
  }
  if (b.bound.start_ns > 0) {
    text += fmt::format("  start      {}  of the parallel loop\n", share(b.bound.start_ns));
  }
  if (b.bound.by != BoundBy::kUnknown) {
    text += fmt::format("  the rest   {}  latency and overhead{}\n", share(b.bound.rest_ns()),
                        b.rates.is_faster_level ? ", or traffic that is slower" : "");
  }
  if (b.is_time_of_run) {
    text += fmt::format("  a call     {:>10} 100.0%  now, beside these rates\n", format_time(b.bound.time_ns));
  }
  if (b.counts) {
    const CallCounts& c = *b.counts;
    text += fmt::format(
        "counters  {:.4g} instructions in {:.4g} cycles a call, {:.2f} a cycle; {:.4g} misses of the "
        "last cache, {:.4g} bytes of memory\n",
        c.instructions, c.cycles, c.cycles > 0 ? c.instructions / c.cycles : 0, c.cache_misses,
        kLineBytes * c.cache_misses);
  }
  if (!b.why_not_counted.empty()) text += fmt::format("counters  none: {}\n", b.why_not_counted);
  return text;
}

std::string outcomes_text(const ValueFinding& value) {
  std::string text;
  for (std::size_t i = 0; i < value.outcomes.size(); ++i) {
    if (value.outcomes[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", value.outcomes[i], outcome_name(static_cast<Outcome>(i)));
  }
  return text;
}

std::string tried_text(const Explanation& e, const ValueFinding& value) {
  std::string text = fmt::format("tried {} {} ({})", value.trials, times_text(value.trials), outcomes_text(value));
  if (value.best_ns == 0) return text + ", never timed";
  text += fmt::format(", its best {}{}", value.is_rough ? "about " : "", format_time(value.best_ns));
  if (e.times.best >= e.trials.size()) return text;
  if (e.trials.id[e.times.best] == value.best_trial) return text + ", the best of all trials";
  return text +
         fmt::format(", {:.2f} times as long as the best of all trials", value.best_ns / e.times.ns[e.times.best]);
}

std::string became_text(const Explanation& e, const ValueFinding& value) {
  return value.status == ValueStatus::kTried ? tried_text(e, value) : value_reason(value);
}

Json stages_json(const FunnelStages& stages) {
  Json json = Json::object();
  json["valid"] = stages.valid ? Json(stages.valid->points) : Json();
  json["valid_is_estimate"] = stages.valid ? Json(stages.valid->estimated) : Json();
  json["sampled"] = stages.considered ? Json(stages.considered->sampled) : Json();
  json["ranked"] = stages.considered ? Json(stages.considered->ranked) : Json();
  json["not_lowered"] = stages.considered ? Json(stages.considered->not_lowered) : Json();
  json["proposed"] = stages.proposed;
  json["tried"] = stages.tried;
  json["built"] = stages.built;
  json["right"] = stages.right;
  json["timed"] = stages.timed;
  json["confirmed"] = stages.confirmed;
  json["raced"] = stages.raced;
  json["same_code"] = stages.same_code;
  return json;
}

Json value_json(const TemplateValues& of, const KnobValues& knob, const ValueFinding& value) {
  Json outcomes = Json::object();
  for (std::size_t i = 0; i < value.outcomes.size(); ++i) {
    if (value.outcomes[i] > 0) outcomes[outcome_name(static_cast<Outcome>(i))] = value.outcomes[i];
  }
  Json json = {{"template", of.source.name},
               {"version", of.source.version},
               {"knob", knob.knob},
               {"value", value.value},
               {"status", status_name(value.status)}};
  json["only_with"] = knob.only_with.empty() ? Json() : Json(knob.only_with);
  json["trials"] = value.trials;
  json["outcomes"] = std::move(outcomes);
  json["best_ns"] = value.best_ns > 0 ? Json(value.best_ns) : Json();
  json["is_rough"] = value.is_rough;
  json["best_trial"] = value.best_trial > 0 ? Json(value.best_trial) : Json();
  json["sampled"] = value.considered.sampled;
  json["ranked"] = value.considered.ranked;
  json["not_lowered"] = value.considered.not_lowered;
  json["expected_samples"] = value.expected_samples ? Json(*value.expected_samples) : Json();
  Json sets = Json::list();
  for (const std::vector<std::string>& set : value.excluded_by) sets.push_back(Json(set));
  json["excluded_by"] = std::move(sets);
  json["scopes"] = Json(value.scopes);
  return json;
}

Json failure_json(const Explanation& e, const FailureCause& cause) {
  const std::string config = config_of(e, cause.example), &name = template_of(e, cause.example);
  return {{"outcome", outcome_name(cause.outcome)},
          {"message", cause.message},
          {"trials", cause.trials},
          {"trial", e.trials.id[cause.example]},
          {"template", name},
          {"config_text", config},
          {"command", measure_command(e.context.task(), name, config)}};
}

Json bound_json(const BestBound& b) {
  const auto known = [](double value) { return value > 0 ? Json(value) : Json(); };
  Json json = {{"by", bound_name(b.bound.by)}, {"time_ns", b.bound.time_ns}};
  json["flops"] = b.work.flops;
  json["bytes"] = b.work.bytes;
  json["peak_gflops"] = known(b.rates.peak_gflops);
  json["read_gb_s"] = known(b.rates.read_gb_s);
  json["read_from"] = b.level;
  json["arithmetic_ns"] = known(b.bound.arithmetic_ns);
  json["traffic_ns"] = known(b.bound.traffic_ns);
  json["start_ns"] = known(b.bound.start_ns);
  json["rest_ns"] = b.bound.by == BoundBy::kUnknown ? Json() : Json(b.bound.rest_ns());
  json["is_time_of_run"] = b.is_time_of_run;
  json["possible_speedup"] = known(b.bound.possible_speedup());
  json["counters"] = nullptr;
  if (b.counts) {
    json["counters"] = {{"cycles", b.counts->cycles},
                        {"instructions", b.counts->instructions},
                        {"cache_misses", b.counts->cache_misses},
                        {"ns", b.counts->ns}};
  }
  json["why_not_counted"] = b.why_not_counted.empty() ? Json() : Json(b.why_not_counted);
  return json;
}

/// The machine and the compiler that the trials are of.
std::string origin_text(const Explanation& e) {
  const std::string& here = e.context.key().backend;
  return fmt::format("machine   {}{}\ncompiler  {}{}\n", e.recorded.machine,
                     e.match == MatchKind::kOtherMachine ? " (not this machine)" : "", e.recorded.backend,
                     e.recorded.backend == here ? "" : fmt::format(" (not {}, as here)", here));
}

/// Calls `use` for the value of each template that has it.
template <class Use>
void for_each_asked(const Explanation& e, const ConfigEntry& asked, const Use& use) {
  const std::string text = Config({asked}).str().substr(asked.knob.size() + 1);
  for (const TemplateValues& of : e.values) {
    for (const KnobValues& knob : of.knobs) {
      if (knob.knob != asked.knob) continue;
      for (const ValueFinding& value : knob.values) {
        if (value.value == text) use(of, knob, value);
      }
    }
  }
}

}  // namespace

std::string explanation_text(const Explanation& e) {
  const Task& task = e.context.task();
  std::string text = fmt::format("{}workload  {}\ntarget    {}\ncaches    {}\n{}sessions  {}\nfunnel\n{}", e.given,
                                 task.workload.str(), task.target.str(), caches_of(task), origin_text(e),
                                 e.sessions.size(), funnel_text(e.funnel.task));
  text += failures_text(e) + ruled_out_text(e) + other_values_text(e);
  if (!e.best) return printable(text + "best      none: no trial was right\n");
  text += fmt::format("best      {} {}\ntime      {}, {}\n", e.best->point.template_name, e.best->point.config.str(),
                      format_time(e.best->timing), throughput_text(work_of(task.workload), e.best->timing.median_ns));
  if (e.bound) text += bound_text(*e.bound);
  return printable(text);
}

Json explanation_json(const Explanation& e) {
  const Task& task = e.context.task();
  Json json = {{"workload", task.workload.str()}, {"target", task.target.str()}, {"caches", caches_of(task)}};
  json["match"] = match_name(e.match);
  json["machine"] = e.recorded.machine;
  json["backend"] = e.recorded.backend;
  json["funnel"] = stages_json(e.funnel.task);
  Json sessions = Json::list();
  for (const Funnel::OfSession& of : e.funnel.sessions) {
    Json session = {{"session", of.session}};
    const auto listed = std::find_if(e.sessions.begin(), e.sessions.end(),
                                     [&](const ListedSession& each) { return each.id == of.session; });
    session["status"] = listed->status;
    session["reason"] = listed->reason;
    session["funnel"] = stages_json(of.stages);
    sessions.push_back(std::move(session));
  }
  json["sessions"] = std::move(sessions);
  Json failures = Json::list();
  for (const FailureCause& cause : e.causes) failures.push_back(failure_json(e, cause));
  json["failures"] = std::move(failures);
  Json values = Json::list();
  for (const TemplateValues& of : e.values) {
    for (const KnobValues& knob : of.knobs) {
      for (const ValueFinding& value : knob.values) values.push_back(value_json(of, knob, value));
    }
  }
  json["values"] = std::move(values);
  json["best"] = e.best ? record_json(*e.best, task.workload) : Json();
  json["bound"] = e.bound ? bound_json(*e.bound) : Json();
  return json;
}

std::string why_text(const Explanation& e, const ConfigEntry& asked) {
  std::string text;
  for_each_asked(e, asked, [&](const TemplateValues& of, const KnobValues& knob, const ValueFinding& value) {
    text += fmt::format("{} {}={}{}: {}\n", of.source.name, knob.knob, value.value,
                        knob.only_with.empty() ? "" : fmt::format(" (a knob only with {})", knob.only_with),
                        became_text(e, value));
  });
  return printable(text);
}

Json why_json(const Explanation& e, const ConfigEntry& asked) {
  Json list = Json::list();
  for_each_asked(e, asked, [&](const TemplateValues& of, const KnobValues& knob, const ValueFinding& value) {
    list.push_back(value_json(of, knob, value));
  });
  return list;
}

}  // namespace nestwright::cli
