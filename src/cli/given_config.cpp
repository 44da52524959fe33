#include "cli/given_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/option_checks.h"
#include "cli/report.h"
#include "templates/framework/completion.h"

namespace nestwright::cli {
namespace {

bool has_all_knobs(const ConfigSpace& space, const Config& config) {
  const auto is_there = [&](const ConfigEntry& entry) {
    return std::any_of(space.branches().begin(), space.branches().end(),
                       [&](const Branch& branch) { return find_knob(branch, entry.knob) != nullptr; });
  };
  return std::all_of(config.entries().begin(), config.entries().end(), is_there);
}

}  // namespace

Argument add_config(Command& command, std::string& config) {
  return command
      .add_option("--config", config,
                  "configuration as query prints it, in quotes; knobs that it leaves out stay as close to the "
                  "template's default as its constraints allow")
      .value_name("CONFIG")
      .check(not_empty());
}

Argument add_template(Command& command, std::string& name) {
  return command
      .add_option("--template", name,
                  "template that the configuration belongs to (default: with --config the operator's first that has "
                  "its knobs, else any)")
      .value_name("NAME")
      .check(not_empty());
}

Lookup given_config(const Task& task, const std::string& text, const std::string& only) {
  const Config given = Config::parse(text);
  const std::vector<const Template*> serving = templates_for(task.workload, task.target, only);
  const auto has_them = [&](const Template* t) {
    return has_all_knobs(discover_space(*t, task.workload, task.target), given);
  };
  const auto chosen = serving.size() == 1 ? serving.begin() : std::find_if(serving.begin(), serving.end(), has_them);
  Lookup found;
  found.match = MatchKind::kGiven;
  found.source = chosen == serving.end() ? serving.front() : *chosen;
  found.config = complete_given(*found.source, task.workload, task.target, given);
  return found;
}

std::string config_text(const Lookup& found) {
  return fmt::format("template  {} version {}\nconfig    {}\n", found.source->name, found.source->version,
                     found.config.str());
}

std::string origin_text(const Lookup& found) {
  if (found.match == MatchKind::kDefault) return "default: " + found.why_default;
  std::string text = match_name(found.match);
  if (found.match == MatchKind::kNearest) text += ": recorded for " + found.record->task.workload.text;
  if (found.match == MatchKind::kOtherMachine) text += ": recorded on " + found.record->task.machine;
  return text + hint_text(found.hint);
}

}  // namespace nestwright::cli
