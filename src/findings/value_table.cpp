#include "findings/value_table.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "findings/session_scope.h"
#include "nestwright/error.h"
#include "space/branch_points.h"
#include "space/feasibility.h"

namespace nestwright {
namespace {

/// A candidate of a knob in one branch.
struct Place {
  std::size_t branch = 0;
  int knob = 0, candidate = 0;
};

/// The places of each value of each knob, in the order of the template.
struct MergedKnob {
  KnobValues finding;
  std::vector<std::vector<Place>> places;    ///< of each value
  std::set<std::size_t> branches;            ///< that have the knob
  std::map<std::string, std::size_t> index;  ///< of a value, by its text
};

std::vector<MergedKnob> merged_knobs(const ConfigSpace& space) {
  std::vector<MergedKnob> merged;
  std::map<std::string, std::size_t> index;
  for (std::size_t b = 0; b < space.branches().size(); ++b) {
    const Branch& branch = space.branches()[b];
    for (std::size_t k = 0; k < branch.knobs.size(); ++k) {
      const Knob& knob = branch.knobs[k];
      const auto [known, is_new] = index.try_emplace(knob.name, merged.size());
      if (is_new) {
        merged.emplace_back();
        merged.back().finding.knob = knob.name;
        merged.back().finding.kind = knob.kind;
      }
      MergedKnob& of = merged[known->second];
      of.branches.insert(b);
      const std::vector<std::string> texts = candidate_texts(knob);
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const auto [value, is_new_value] = of.index.try_emplace(texts[i], of.places.size());
        if (is_new_value) {
          of.places.emplace_back();
          of.finding.values.emplace_back().value = texts[i];
        }
        of.places[value->second].push_back({b, static_cast<int>(k), static_cast<int>(i)});
      }
    }
  }
  return merged;
}

/// The options of each choice among the given branches.
std::map<std::string, std::vector<std::string>> options_of(const ConfigSpace& space,
                                                           const std::set<std::size_t>& branches) {
  std::map<std::string, std::vector<std::string>> options;
  for (const std::size_t b : branches) {
    for (const Knob& knob : space.branches()[b].knobs) {
      if (knob.kind == KnobKind::kChoice) add_missing(options[knob.name], candidate_texts(knob));
    }
  }
  return options;
}

std::string choices_with(const ConfigSpace& space, const MergedKnob& knob) {
  if (knob.branches.size() == space.branches().size()) return {};
  std::set<std::size_t> all;
  for (std::size_t b = 0; b < space.branches().size(); ++b) all.insert(b);
  const auto of_all = options_of(space, all);
  std::string text;
  for (const auto& [choice, options] : options_of(space, knob.branches)) {
    if (choice == knob.finding.knob || options.size() == of_all.at(choice).size()) continue;
    text += (text.empty() ? "" : " ") + choice + "=";
    for (const std::string& option : options) text += (text.ends_with('=') ? "" : "|") + option;
  }
  return text;
}

/// The feasibility of the branches of a space, made when it is first needed.
class SpaceFeasibility {
 public:
  explicit SpaceFeasibility(const ConfigSpace& space) : space_(space), branches_(space.branches().size()) {}

  bool is_possible(const std::vector<Place>& places) {
    return std::any_of(places.begin(), places.end(),
                       [&](const Place& place) { return of(place.branch).is_possible(place.knob, place.candidate); });
  }

  std::vector<std::vector<std::string>> excluded_by(const std::vector<Place>& places) {
    constexpr std::size_t kMaxBranches = 4;  // that are asked: one set of constraints explains it
    std::vector<std::vector<std::string>> sets;
    for (std::size_t i = 0; i < std::min(places.size(), kMaxBranches); ++i) {
      for (auto& set : of(places[i].branch).excluded_by(places[i].knob, places[i].candidate)) {
        if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(std::move(set));
      }
    }
    std::stable_sort(sets.begin(), sets.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return sets;
  }

 private:
  BranchFeasibility& of(std::size_t branch) {
    if (!branches_[branch]) branches_[branch].emplace(space_.branches()[branch]);
    return *branches_[branch];
  }

  const ConfigSpace& space_;
  std::vector<std::optional<BranchFeasibility>> branches_;
};

/// The status of a value that was never proposed, but that some of the considered points have.
std::optional<ValueStatus> considered_status(const ConsideredPoints& points) {
  if (points.ranked > 0) return ValueStatus::kRankedLow;
  if (points.not_lowered > 0) return ValueStatus::kNotLowered;
  return points.sampled > 0 ? std::optional(ValueStatus::kSampled) : std::nullopt;
}

/// Fills in the table of one template.
class TemplateTable {
 public:
  TemplateTable(const ConfigSpace& space, const Template& source, const ValueTableOptions& options)
      : space_(space), source_(source), options_(options), feasibility_(space), knobs_(merged_knobs(space)) {
    if (!options.knob.empty()) {
      std::erase_if(knobs_, [&](const MergedKnob& knob) { return knob.finding.knob != options.knob; });
    }
    for (std::size_t k = 0; k < knobs_.size(); ++k) index_.emplace(knobs_[k].finding.knob, k);
  }

  void add_trials(const TrialColumns& trials, const ComparableTimes& times);
  void add_proposals(std::span<const ListedSession> sessions, std::span<const SessionProposals> proposals);
  void decide(std::span<const ListedSession> sessions);
  TemplateValues take();

 private:
  ValueFinding* find(const std::string& knob, const std::string& value) {
    const auto of = index_.find(knob);
    if (of == index_.end()) return nullptr;
    const auto at = knobs_[of->second].index.find(value);
    return at == knobs_[of->second].index.end() ? nullptr : &knobs_[of->second].finding.values[at->second];
  }
  void add_trial(const TrialColumns& trials, const ComparableTimes& times, std::size_t i, ValueFinding& value) const;
  void decide(const std::vector<SessionScope>& scopes, const MergedKnob& knob, std::size_t v, ValueFinding& value);
  /// What excludes the value in each session; empty: nothing does in one of them, or no session searched.
  std::vector<std::string> excluding_scopes(const std::vector<SessionScope>& scopes, const std::string& knob,
                                            const std::string& value) const;
  /// The share of the sampled points that have one of these candidates.
  double share_of(const std::vector<Place>& places);

  const ConfigSpace& space_;
  const Template& source_;
  const ValueTableOptions& options_;
  std::vector<double> branch_points_;  ///< valid ones; empty: not counted yet
  SpaceFeasibility feasibility_;
  std::vector<MergedKnob> knobs_;
  std::map<std::string, std::size_t> index_;  ///< into knobs_
  std::int64_t trials_ = 0;
  std::optional<ConsideredPoints> considered_;  ///< by the sessions that recorded it
  bool is_all_recorded_ = true;
};

void TemplateTable::add_trial(const TrialColumns& trials, const ComparableTimes& times, std::size_t i,
                              ValueFinding& value) const {
  ++value.trials;
  ++value.outcomes[trials.outcome[i]];
  const double ns = times.ns[i];
  if (ns <= 0 || trials.outcome[i] != static_cast<std::uint8_t>(Outcome::kOk)) return;
  const bool is_rough = !is_sound(trials, i);
  const bool is_first = value.best_ns == 0;
  if (!is_first && is_rough != value.is_rough && is_rough) return;
  if (is_first || (value.is_rough && !is_rough) || ns < value.best_ns) {
    value.best_ns = ns;
    value.is_rough = is_rough;
    value.best_trial = trials.id[i];
  }
}

void TemplateTable::add_trials(const TrialColumns& trials, const ComparableTimes& times) {
  const TemplateVersion version{source_.name, source_.version};
  const auto found = std::find(trials.spaces.begin(), trials.spaces.end(), version);
  if (found == trials.spaces.end()) return;
  const auto space = static_cast<std::size_t>(found - trials.spaces.begin());
  trials_ = std::count(trials.space.begin(), trials.space.end(), space);
  for (const KnobColumn& column : trials.knobs) {
    if (column.space != space) continue;
    std::vector<ValueFinding*> values;
    for (const std::string& text : column.values) values.push_back(find(column.knob, text));
    for (std::size_t i = 0; i < trials.size(); ++i) {
      if (column.value[i] < 0) continue;
      if (ValueFinding* const value = values[static_cast<std::size_t>(column.value[i])]) {
        add_trial(trials, times, i, *value);
      }
    }
  }
}

void TemplateTable::add_proposals(std::span<const ListedSession> sessions,
                                  std::span<const SessionProposals> proposals) {
  const TemplateVersion version{source_.name, source_.version};
  for (const SessionProposals& of : proposals) {
    for (const Point& point : of.unmeasured) {
      if (point.template_name != version.name || point.version != version.version) continue;
      for (const ConfigEntry& entry : point.config.entries()) {
        const std::string text = Config({entry}).str().substr(entry.knob.size() + 1);
        if (ValueFinding* const value = find(entry.knob, text)) value->status = ValueStatus::kPending;
      }
    }
    if (!of.funnel) {
      const auto session = std::ranges::find(sessions, of.session, &ListedSession::id);
      const bool searched = session == sessions.end() || session->strategy != kRevalidateStrategy;
      if (searched && of.proposed > 0) is_all_recorded_ = false;
      continue;
    }
    for (const SearchFunnel::OfTemplate& each : of.funnel->templates) {
      if (each.source != version) continue;
      if (!considered_) considered_.emplace();
      *considered_ += each.points;
      for (const auto& [knob, values] : each.values) {
        for (const auto& [text, points] : values) {
          ValueFinding* const value = find(knob, text);
          if (value == nullptr) continue;
          value->considered += points;
        }
      }
    }
  }
}

std::vector<std::string> TemplateTable::excluding_scopes(const std::vector<SessionScope>& scopes,
                                                         const std::string& knob, const std::string& value) const {
  std::vector<std::string> excluding;
  for (const SessionScope& scope : scopes) {
    const bool is_searched = scope.template_name.empty() || scope.template_name == source_.name;
    if (is_searched) {
      if (scope.restriction.empty()) return {};
      const ConfigSpace part = restrict_space(space_, scope.restriction);
      SpaceFeasibility feasibility(part);
      for (const MergedKnob& of : merged_knobs(part)) {
        if (of.finding.knob != knob) continue;
        const auto at = of.index.find(value);
        if (at != of.index.end() && feasibility.is_possible(of.places[at->second])) return {};
      }
    }
    excluding.push_back(scope.str());
  }
  return excluding;
}

double TemplateTable::share_of(const std::vector<Place>& places) {
  if (branch_points_.empty()) {
    for (const Branch& branch : space_.branches()) {
      branch_points_.push_back(ConfigSpace({branch}).count_valid().points);
    }
  }
  // As SearchSpace::sample() draws: from branches of equal weight for a generic template, else uniformly.
  double share = 0, total = 0;
  for (const double points : branch_points_) total += source_.is_generic ? (points > 0 ? 1 : 0) : points;
  for (const Place& place : places) {
    Branch branch = space_.branches()[place.branch];
    const double all = source_.is_generic ? branch_points_[place.branch] : 1;
    Knob& knob = branch.knobs[static_cast<std::size_t>(place.knob)];
    const auto candidate = static_cast<std::size_t>(place.candidate);
    knob.candidates = {knob.candidates[candidate]};
    if (!knob.labels.empty()) knob.labels = {knob.labels[candidate]};
    if (all > 0) share += ConfigSpace({std::move(branch)}).count_valid().points / all;
  }
  return total > 0 ? share / total : 0;
}

void TemplateTable::decide(const std::vector<SessionScope>& scopes, const MergedKnob& knob, std::size_t v,
                           ValueFinding& value) {
  if (value.trials > 0) {
    value.status = ValueStatus::kTried;
    return;
  }
  if (value.status == ValueStatus::kPending) return;
  if (const std::optional<ValueStatus> status = considered_status(value.considered)) {
    value.status = *status;
    return;
  }
  if (!feasibility_.is_possible(knob.places[v])) {
    value.status = ValueStatus::kRuledOut;
    value.excluded_by = feasibility_.excluded_by(knob.places[v]);
    return;
  }
  value.scopes = excluding_scopes(scopes, knob.finding.knob, value.value);
  if (!value.scopes.empty()) {
    value.status = ValueStatus::kRestricted;
    return;
  }
  value.status = is_all_recorded_ ? ValueStatus::kNotConsidered : ValueStatus::kUnknown;
  if (considered_ && options_.counts_expected) {
    value.expected_samples = static_cast<double>(considered_->sampled) * share_of(knob.places[v]);
  }
}

void TemplateTable::decide(std::span<const ListedSession> sessions) {
  const std::vector<SessionScope> scopes = scopes_of(sessions);
  for (MergedKnob& knob : knobs_) {
    knob.finding.only_with = choices_with(space_, knob);
    for (std::size_t v = 0; v < knob.finding.values.size(); ++v) decide(scopes, knob, v, knob.finding.values[v]);
  }
}

TemplateValues TemplateTable::take() {
  TemplateValues table{{source_.name, source_.version}, trials_, {}};
  for (MergedKnob& knob : knobs_) table.knobs.push_back(std::move(knob.finding));
  return table;
}

}  // namespace

const char* status_name(ValueStatus status) {
  switch (status) {
    case ValueStatus::kTried:
      return "tried";
    case ValueStatus::kPending:
      return "pending";
    case ValueStatus::kRuledOut:
      return "ruled out";
    case ValueStatus::kRestricted:
      return "restricted";
    case ValueStatus::kRankedLow:
      return "ranked low";
    case ValueStatus::kNotLowered:
      return "not lowered";
    case ValueStatus::kSampled:
      return "sampled";
    case ValueStatus::kNotConsidered:
      return "not considered";
    case ValueStatus::kUnknown:
      return "unknown";
  }
  throw InternalError("internal error: status of a value out of range");
}

std::vector<TemplateValues> value_table(const TaskContext& context, std::span<const ListedSession> sessions,
                                        std::span<const SessionProposals> proposals, const TrialColumns& trials,
                                        const ComparableTimes& times, const ValueTableOptions& options) {
  std::vector<TemplateValues> tables;
  for (const Template* source : context.templates()) {
    TemplateTable table(context.space(*source), *source, options);
    table.add_trials(trials, times);
    table.add_proposals(sessions, proposals);
    table.decide(sessions);
    tables.push_back(table.take());
  }
  return tables;
}

}  // namespace nestwright
