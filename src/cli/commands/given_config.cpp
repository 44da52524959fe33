#include "cli/commands/given_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/options/option_checks.h"
#include "cli/output/record_output.h"
#include "nestwright/config_space.h"
#include "nestwright/error.h"
#include "templates/framework/space/completion.h"

namespace nestwright::cli {
namespace {

bool has_all_knobs(const ConfigSpace& space, const Config& config) {
  const auto is_there = [&](const ConfigEntry& entry) {
    return std::any_of(space.branches().begin(), space.branches().end(),
                       [&](const Branch& branch) { return find_knob(branch, entry.knob) != nullptr; });
  };
  return std::all_of(config.entries().begin(), config.entries().end(), is_there);
}

/// A template in which the given values are possible together, and its points that have them.
struct PossibleTemplate {
  const Template* source;
  ConfigSpace part;

  bool has_points() const { return part.count_valid().points > 0; }
  /// Whether the values are a whole configuration: a branch, all of which have the given knobs, has no other ones.
  bool is_whole(const Config& given) const {
    return std::any_of(part.branches().begin(), part.branches().end(),
                       [&](const Branch& branch) { return branch.knobs.size() == given.entries().size(); });
  }
};

/// Returns the only one with points. If none has any, returns the first, whose constraint is then the refusal.
const Template* only_with_points(const std::vector<PossibleTemplate>& wholes) {
  std::vector<const Template*> valid;
  std::string names;
  for (const PossibleTemplate& whole : wholes) {
    if (!whole.has_points()) continue;
    valid.push_back(whole.source);
    names += (names.empty() ? "" : ", ") + whole.source->name;
  }
  if (valid.size() > 1) {
    throw UsageError(fmt::format("several templates have this configuration: choose one of {} by --template", names));
  }
  return valid.empty() ? wholes.front().source : valid.front();
}

/// Returns the template that given_config() chooses from those that serve the task. If the values are possible in none,
/// returns one that says why not: the first that has all the knobs, else the first.
const Template* template_of(const Config& given, const TaskContext& context,
                            const std::vector<const Template*>& serving) {
  if (serving.size() == 1) return serving.front();
  const Template* with_knobs = nullptr;
  std::vector<PossibleTemplate> possible, wholes;
  for (const Template* t : serving) {
    const ConfigSpace& space = context.space(*t);
    if (with_knobs == nullptr && has_all_knobs(space, given)) with_knobs = t;
    const PossibleTemplate candidate{t, restrict_space(space, {given, {}})};
    if (candidate.part.branches().empty()) continue;
    possible.push_back(candidate);
    if (candidate.is_whole(given)) wholes.push_back(candidate);
  }
  if (possible.empty()) return with_knobs == nullptr ? serving.front() : with_knobs;
  if (!wholes.empty()) return only_with_points(wholes);
  const auto found = std::find_if(possible.begin(), possible.end(), [](const auto& each) { return each.has_points(); });
  return found == possible.end() ? possible.front().source : found->source;
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
                  "these values, one with exactly these knobs before others, else any)")
      .value_name("NAME")
      .check(not_empty());
}

Lookup given_config(const TaskContext& context, const std::string& text, const std::string& only) {
  const Config given = Config::parse(text);
  Lookup found;
  found.match = MatchKind::kGiven;
  found.source = template_of(given, context, context.templates(only));
  found.config = complete_given(*found.source, context.workload(), context.space(*found.source),
                                context.seeds(*found.source), given);
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
