// Application: the template runs once more, each knob with its value from a configuration.
#include <algorithm>
#include <set>

#include "nestwright/error.h"
#include "nestwright/template.h"
#include "space/nearest_name.h"
#include "templates/framework/knobs/split_candidates.h"

namespace nestwright {
namespace {

std::string text_of(const ConfigEntry& entry) { return Config({entry}).str(); }

class ApplyingTuning : public Tuning {
 public:
  ApplyingTuning(const Template& t, const Config& config) : template_(t), config_(config) {}

  PartsKnob define_split(const std::string& name, std::int64_t extent, const SplitOptions& options) override {
    const ConfigEntry& entry = take(name);
    // Checked by arithmetic rather than looked up: a split may have many thousands of candidates.
    std::int64_t left = extent;
    bool legal = entry.value.size() == static_cast<std::size_t>(options.parts);
    for (std::size_t i = entry.value.size(); legal && i-- > 1;) {
      legal = entry.value[i] >= 1;
      if (legal) left = (left - 1) / entry.value[i] + 1;
    }
    if (!legal || entry.value[0] != left || (options.filter && !options.filter(entry.value))) {
      refuse(entry, "no split of " + std::to_string(extent) + " into " + std::to_string(options.parts) + " parts");
    }
    return {name, entry.value};
  }

  PartsKnob define_reorder(const std::string& name, const std::vector<std::vector<int>>& candidates) override {
    const ConfigEntry& entry = take(name);
    for (const auto& candidate : candidates) {
      if (std::equal(candidate.begin(), candidate.end(), entry.value.begin(), entry.value.end())) {
        return {name, entry.value};
      }
    }
    refuse(entry, "none of the orders of this template");
  }

  OptionKnob define_annotate(const std::string& name, const std::vector<std::string>& candidates) override {
    return option(name, candidates);
  }

  KnobExpr define_knob(const std::string& name, const std::vector<std::int64_t>& candidates) override {
    const ConfigEntry& entry = take(name);
    if (entry.value.size() != 1 ||
        std::find(candidates.begin(), candidates.end(), entry.value[0]) == candidates.end()) {
      std::vector<std::string> legal;
      for (const std::int64_t candidate : candidates) legal.push_back(std::to_string(candidate));
      refuse(entry, "not one of " + join_names(legal));
    }
    return PartsKnob(name, entry.value)[0];
  }

  OptionKnob choose(const std::string& name, const std::vector<std::string>& options) override {
    return option(name, options);
  }

  /// Throws UsageError for an entry that the template never asked for.
  void check_all_used() const {
    for (const ConfigEntry& entry : config_.entries()) {
      if (used_.count(entry.knob) > 0) continue;
      const std::vector<std::string> names(used_.begin(), used_.end());
      throw UsageError("template " + template_.name + " has no knob '" + entry.knob +
                       "' under these choices; its knobs are " + join_names(names));
    }
  }

 protected:
  /// Constraints keep a search from bad points; a configuration that is asked for by name is built all the same.
  void add(Constraint) override {}

 private:
  const ConfigEntry& take(const std::string& name) {
    const ConfigEntry* entry = config_.find(name);
    if (entry == nullptr) {
      throw UsageError("the configuration for template " + template_.name + " lacks the knob '" + name + "'");
    }
    used_.insert(name);
    return *entry;
  }

  OptionKnob option(const std::string& name, const std::vector<std::string>& options) {
    const ConfigEntry& entry = take(name);
    const bool is_number = entry.label.empty() && entry.value.size() == 1;
    const auto found =
        std::find(options.begin(), options.end(), is_number ? std::to_string(entry.value[0]) : entry.label);
    if (found != options.end()) return {name, options, static_cast<std::size_t>(found - options.begin())};
    const bool indexed = entry.label.empty() && entry.value.size() == 1 && entry.value[0] >= 0 &&
                         entry.value[0] < static_cast<std::int64_t>(options.size());
    if (!indexed) refuse(entry, "not one of " + join_names(options));
    return {name, options, static_cast<std::size_t>(entry.value[0])};
  }

  [[noreturn]] void refuse(const ConfigEntry& entry, const std::string& why) const {
    throw UsageError(text_of(entry) + " for template " + template_.name + " is " + why);
  }

  const Template& template_;
  const Config& config_;
  std::set<std::string> used_;
};

}  // namespace

Instance instantiate(const Template& t, const Workload& workload, const Target& target, const Config& config) {
  Definition definition = *workload.definition;
  ApplyingTuning tuning(t, config);
  Schedule schedule = t.schedule(tuning, workload, definition, target);
  tuning.check_all_used();
  return {std::move(definition), std::move(schedule)};
}

}  // namespace nestwright
