#include "tests/property/counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/state/scan_parts.h"
#include "tests/property/draw/drawer.h"

namespace nestwright::property {
namespace {

constexpr const char* kReducerNames[] = {"sum", "prod", "min", "max", "any", "all", "tuple", "scan"};

/// The message without the names in it, so that refusals of one kind count together.
std::string kind_of(const std::string& message) {
  const std::size_t colon = message.find(": ");
  std::string kind = message.substr(0, 160);
  if (colon != std::string::npos) kind = message.substr(colon + 2, 120);
  std::erase_if(kind, [](unsigned char c) { return c >= '0' && c <= '9'; });
  return kind;
}

/// Names of the stages that are scans or belong to one.
std::vector<std::string> parts_of_scans(const ScheduleState& state) {
  std::vector<std::string> names;
  for (std::size_t s = 0; !state.states.empty() && s < state.stages.size(); ++s) {
    if (scan_place(state, static_cast<int>(s)).part != ScanPart::kNone) names.push_back(state.stages[s].name);
  }
  return names;
}

/// Whether an argument of the step is one of these stages, or a loop of one, such as "T0.update0.1".
bool names_one_of(const std::vector<std::string>& stages, const TraceStep& step) {
  return std::any_of(step.arguments.begin(), step.arguments.end(), [&](const std::string& argument) {
    return std::any_of(stages.begin(), stages.end(), [&](const std::string& name) {
      return argument == name || argument.substr(0, argument.rfind('.')) == name;
    });
  });
}

}  // namespace

void Counts::add_program(const Schedule& schedule, const Expression& expression, const Depth& depth) {
  ++programs;
  vector_forms += depth.vector || depth.compile ? 1 : 0;
  compiled += depth.compile ? 1 : 0;
  replayed += depth.replay ? 1 : 0;
  std::set<std::size_t> tails, reducers;
  for (const StageState& stage : schedule.state().stages) {
    for (const Relation& relation : stage.relations) {
      if (const auto* split = std::get_if<SplitRelation>(&relation))
        tails.insert(static_cast<std::size_t>(split->tail.kind));
    }
  }
  for (const ir::ReducerKind kind : expression.reducers) reducers.insert(static_cast<std::size_t>(kind));
  std::set<std::string> primitives, of_scans;
  const std::vector<std::string> parts = parts_of_scans(schedule.state());
  for (const TraceStep& step : schedule.trace().steps()) {
    primitives.insert(step.primitive);
    if (names_one_of(parts, step)) of_scans.insert(step.primitive);
  }
  for (const std::string& primitive : primitives) {
    Cells& cells = cells_[primitive];
    for (const std::size_t tail : tails) {
      for (const std::size_t reducer : reducers) ++cells[tail][reducer];
      cells[tail][kReducers - 1] += of_scans.count(primitive) > 0 ? 1 : 0;
    }
  }
}

void Counts::add_verdict(const Outcome& outcome) {
  ++verdicts[outcome.verdict];
  if (outcome.verdict == Verdict::kNotLegal) ++refusals[kind_of(outcome.message)];
}

void Counts::add(const Counts& other) {
  programs += other.programs;
  vector_forms += other.vector_forms;
  compiled += other.compiled;
  refused_primitives += other.refused_primitives;
  replayed += other.replayed;
  for (const auto& [verdict, n] : other.verdicts) verdicts[verdict] += n;
  for (const auto& [kind, n] : other.refusals) refusals[kind] += n;
  for (const auto& [primitive, cells] : other.cells_) {
    Cells& mine = cells_[primitive];
    for (std::size_t t = 0; t < kTails; ++t)
      for (std::size_t r = 0; r < kReducers; ++r) mine[t][r] += cells[t][r];
  }
}

std::string Counts::table() const {
  std::string text = fmt::format("{:<18}{:<11}", "primitive", "tail");
  for (const char* reducer : kReducerNames) text += fmt::format("{:>8}", reducer);
  text += "\n";
  for (const Drawer& drawer : drawers()) {
    const auto it = cells_.find(drawer.primitive);
    for (std::size_t t = 0; t < kTails; ++t) {
      text += fmt::format("{:<18}{:<11}", t == 0 ? drawer.primitive : "", tail_name(static_cast<TailKind>(t)));
      for (std::size_t r = 0; r < kReducers; ++r)
        text += fmt::format("{:>8}", it == cells_.end() ? 0 : it->second[t][r]);
      text += "\n";
    }
  }
  return text;
}

std::vector<std::string> Counts::missing() const {
  std::vector<std::string> result;
  for (const Drawer& drawer : drawers()) {
    const auto it = cells_.find(drawer.primitive);
    for (std::size_t t = 0; t < kTails; ++t)
      for (std::size_t r = 0; r < kReducers; ++r) {
        if (it != cells_.end() && it->second[t][r] > 0) continue;
        // A scan is read by its own steps, and every call runs it: both primitives are refused.
        const std::string_view primitive = drawer.primitive;
        if ((primitive == "stream" || primitive == "prepare") && std::string_view(kReducerNames[r]) == "scan") continue;
        result.push_back(
            fmt::format("{} x {} x {}", drawer.primitive, tail_name(static_cast<TailKind>(t)), kReducerNames[r]));
      }
  }
  return result;
}

std::string Counts::summary() const {
  std::string text = fmt::format(
      "{} programs agreed in the interpreter, {} of them as vector form too, {} compiled, {} replayed; {} primitives "
      "refused\n",
      programs, vector_forms, compiled, replayed, refused_primitives);
  for (const auto& [verdict, n] : verdicts) text += fmt::format("  {:>9}  {}\n", n, verdict_name(verdict));
  std::vector<std::pair<std::int64_t, std::string>> by_number;
  for (const auto& [kind, n] : refusals) by_number.emplace_back(n, kind);
  std::sort(by_number.rbegin(), by_number.rend());
  for (std::size_t n = 0; n < by_number.size() && n < 12; ++n)
    text += fmt::format("  {:>9}  refused: {}\n", by_number[n].first, by_number[n].second);
  return text;
}

}  // namespace nestwright::property
