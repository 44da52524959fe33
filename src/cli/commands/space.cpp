#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "cli/options/common_options.h"
#include "cli/options/exit_code.h"
#include "cli/output/record_output.h"
#include "nestwright/lookup.h"
#include "space/branch_points.h"
#include "support/base/caught_message.h"
#include "templates/framework/space/completion.h"

namespace nestwright::cli {
namespace {

constexpr std::size_t kMaxShownCandidates = 12;  // per knob, in text
constexpr std::size_t kMaxShownBranches = 8;     // of those without a legal schedule, in text

std::string candidate_text(const Knob& knob, std::size_t i) {
  if (!knob.labels.empty()) return knob.labels[i];
  const KnobValue& value = knob.candidates[i];
  return value.size() == 1 ? std::to_string(value.front()) : fmt::format("[{}]", fmt::join(value, ","));
}

std::string count_text(const PointCount& count) {
  return fmt::format("{}{:.0f}", count.estimated ? "about " : "", count.points);
}

Json branch_json(const Branch& branch) {
  Json knobs = Json::list();
  for (const Knob& knob : branch.knobs) {
    Json candidates = Json::list();
    for (std::size_t i = 0; i < knob.candidates.size(); ++i) candidates.push_back(candidate_text(knob, i));
    knobs.push_back({{"name", knob.name}, {"candidates", candidates}});
  }
  Json constraints = Json::list();
  for (const Constraint& c : branch.constraints) constraints.push_back({{"knobs", c.knobs}, {"refuses", c.reason}});
  return {{"knobs", knobs}, {"constraints", constraints}};
}

/// A knob, merged over all branches.
struct KnobRow {
  std::string name;
  std::vector<std::string> candidates;  ///< union over the branches
  std::size_t branches = 0;             ///< number of branches that have the knob
  bool same_everywhere = true;          ///< every branch has it, with the same candidates
};

std::vector<KnobRow> rows_of(const ConfigSpace& space) {
  std::vector<KnobRow> rows;
  for (const Branch& branch : space.branches()) {
    for (const Knob& knob : branch.knobs) {
      std::vector<std::string> candidates;
      for (std::size_t i = 0; i < knob.candidates.size(); ++i) candidates.push_back(candidate_text(knob, i));
      const auto row =
          std::find_if(rows.begin(), rows.end(), [&](const KnobRow& other) { return other.name == knob.name; });
      if (row == rows.end()) {
        rows.push_back({knob.name, std::move(candidates), 1});
        continue;
      }
      ++row->branches;
      if (row->candidates != candidates) row->same_everywhere = false;
      for (std::string& candidate : candidates) {
        const bool there =
            std::find(row->candidates.begin(), row->candidates.end(), candidate) != row->candidates.end();
        if (!there) row->candidates.push_back(std::move(candidate));
      }
    }
  }
  for (KnobRow& row : rows) row.same_everywhere &= row.branches == space.branches().size();
  return rows;
}

void print_knobs(const ConfigSpace& space) {
  bool differs = false;
  fmt::print("  {:<18}{:>5}  candidates\n", "knob", "count");
  for (const KnobRow& row : rows_of(space)) {
    const std::size_t shown = std::min(row.candidates.size(), kMaxShownCandidates);
    fmt::print("  {:<18}{:>5}  {}{}\n", row.name + (row.same_everywhere ? "" : " *"), row.candidates.size(),
               fmt::join(row.candidates.begin(), row.candidates.begin() + static_cast<std::ptrdiff_t>(shown), " "),
               row.candidates.size() > shown ? " ..." : "");
    differs |= !row.same_everywhere;
  }
  if (differs) fmt::print("  * a branch has some of these (--json lists every branch with its constraints)\n");
}

/// The branches whose configurations cannot be lowered, judged by one valid configuration of each.
std::vector<LeftOutBranch> branches_not_lowered(const Task& task, const Template& t, const ConfigSpace& space) {
  std::vector<LeftOutBranch> illegal;
  for (const Branch& branch : space.branches()) {
    const std::optional<Config> config = complete_within(ConfigSpace({branch}), Config());
    if (!config) continue;
    try {
      program_of(task, t, *config, kernel_name(task.workload));
    } catch (...) {
      illegal.push_back({choices_of(branch), caught_message()});
    }
  }
  return illegal;
}

/// "1 branch" or "3 branches".
std::string branches_text(std::size_t count) { return fmt::format("{} branch{}", count, count == 1 ? "" : "es"); }

void print_illegal(const std::vector<LeftOutBranch>& illegal, const char* what) {
  if (illegal.empty()) return;
  fmt::print("  {} {}:\n", branches_text(illegal.size()), what);
  for (std::size_t b = 0; b < std::min(illegal.size(), kMaxShownBranches); ++b) {
    const std::string& choices = illegal[b].choices;
    fmt::print("    {}{}{}\n", printable(choices), choices.empty() ? "" : ": ", printable(illegal[b].reason));
  }
  if (illegal.size() > kMaxShownBranches) fmt::print("    ... (--json lists all)\n");
}

Json illegal_json(const std::vector<LeftOutBranch>& illegal) {
  Json list = Json::list();
  for (const LeftOutBranch& branch : illegal) list.push_back({{"choices", branch.choices}, {"reason", branch.reason}});
  return list;
}

int run(const CommonOptions& options) {
  const TaskContext context = options.task(options.registry());
  const Task& task = context.task();
  Json list = Json::list();
  bool any = false;
  if (!options.json) fmt::print("{}\n{}\n", task.workload.str(), task.target.str());
  for (const Template* t : context.templates()) {
    const ConfigSpace& space = context.space(*t);
    const PointCount all = space.count_all(), valid = space.count_valid();
    const std::vector<LeftOutBranch> not_lowered = branches_not_lowered(task, *t, space);
    any |= space.branches().size() > not_lowered.size();
    if (options.json) {
      Json branches = Json::list();
      for (const Branch& branch : space.branches()) branches.push_back(branch_json(branch));
      list.push_back({{"template", t->name},
                      {"version", t->version},
                      {"points", all.points},
                      {"valid", valid.points},
                      {"valid_is_estimate", valid.estimated},
                      {"branches", branches},
                      {"left_out", illegal_json(space.left_out())},
                      {"not_lowered", illegal_json(not_lowered)}});
      continue;
    }
    fmt::print("template {} version {}: {} valid of {} points in {} branches\n", t->name, t->version, count_text(valid),
               count_text(all), space.branches().size());
    print_knobs(space);
    print_illegal(space.left_out(), "left out, without a legal schedule");
    print_illegal(not_lowered, "cannot be lowered, so that their trials fail");
  }
  if (options.json) {
    print_json({{"workload", task.workload.str()}, {"target", task.target.str()}, {"templates", list}});
  }
  if (any) return kDone;
  return print_error(kNoValid, fmt::format("no template has a legal schedule for {} on {}: change the workload or the "
                                           "target",
                                           task.workload.str(), task.target.str()));
}

}  // namespace

void add_space(CommandLine& line, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  Command command =
      line.add_command("space", "print the knobs of a workload, their candidates and the number of valid points");
  add_workload(command, *options);
  add_target(command, *options);
  add_json(command, *options);
  command.on_chosen([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace nestwright::cli
