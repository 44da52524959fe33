#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstdio>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/report.h"
#include "templates/registry.h"

namespace nestwright::cli {
namespace {

constexpr std::size_t kShown = 12;  // candidates a knob, in text

std::string candidate_text(const Knob& knob, std::size_t i) {
  if (!knob.labels.empty()) return knob.labels[i];
  const KnobValue& value = knob.candidates[i];
  return value.size() == 1 ? std::to_string(value.front()) : fmt::format("[{}]", fmt::join(value, ","));
}

std::string count_text(const PointCount& count) {
  return fmt::format("{}{:.0f}", count.estimated ? "about " : "", count.points);
}

Json branch_json(const Branch& branch) {
  Json knobs = Json::array();
  for (const Knob& knob : branch.knobs) {
    Json candidates = Json::array();
    for (std::size_t i = 0; i < knob.candidates.size(); ++i) candidates.push_back(candidate_text(knob, i));
    knobs.push_back({{"name", knob.name}, {"candidates", candidates}});
  }
  Json constraints = Json::array();
  for (const Constraint& c : branch.constraints) constraints.push_back({{"knobs", c.knobs}, {"refuses", c.reason}});
  return {{"knobs", knobs}, {"constraints", constraints}};
}

/// Knobs that every branch has with the same candidates are shown once.
void print_knobs(const ConfigSpace& space) {
  std::vector<std::string> shown;
  for (const Branch& branch : space.branches()) {
    for (const Knob& knob : branch.knobs) {
      std::string line = fmt::format("  {:<16}{:>6}  ", knob.name, knob.candidates.size());
      for (std::size_t i = 0; i < knob.candidates.size() && i < kShown; ++i) line += candidate_text(knob, i) + " ";
      if (knob.candidates.size() > kShown) line += "...";
      if (std::find(shown.begin(), shown.end(), line) != shown.end()) continue;
      shown.push_back(line);
    }
  }
  std::stable_sort(shown.begin(), shown.end(), [](const std::string& a, const std::string& b) {
    return a.substr(0, a.find(' ', 2)) < b.substr(0, b.find(' ', 2));
  });
  for (const std::string& line : shown) fmt::print("{}\n", line);
}

int run(const CommonOptions& options) {
  const Task task = options.task();
  Json list = Json::array();
  if (!options.json) fmt::print("{}\n{}\n", task.workload.str(), task.target.str());
  for (const Template* t : templates_for(task.workload.op, task.target.device)) {
    const ConfigSpace space = discover_space(*t, task.workload, task.target);
    const PointCount all = space.count_all(), valid = space.count_valid();
    if (options.json) {
      Json branches = Json::array();
      for (const Branch& branch : space.branches()) branches.push_back(branch_json(branch));
      list.push_back({{"template", t->name},
                      {"version", t->version},
                      {"points", all.points},
                      {"valid", valid.points},
                      {"valid_is_estimate", valid.estimated},
                      {"branches", branches}});
      continue;
    }
    fmt::print("template {} version {}: {} valid of {} points in {} branches\n", t->name, t->version, count_text(valid),
               count_text(all), space.branches().size());
    fmt::print("  {:<16}{:>6}  candidates\n", "knob", "count");
    print_knobs(space);
  }
  if (options.json) {
    print_json({{"workload", task.workload.str()}, {"target", task.target.str()}, {"templates", list}});
  }
  return kDone;
}

}  // namespace

void add_space(CLI::App& app, Action& action) {
  auto options = std::make_shared<CommonOptions>();
  CLI::App* command =
      app.add_subcommand("space", "print the knobs of a workload, their candidates and the number of valid points");
  add_workload(*command, *options);
  add_target(*command, *options);
  add_json(*command, *options);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace nestwright::cli
