#include "lookup/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "codegen/backend.h"
#include "codegen/fingerprint.h"
#include "nestwright/error.h"
#include "nestwright/target.h"
#include "target/description/machine.h"

namespace nestwright {
namespace {

/// The plugins of the operator and its templates, sorted.
std::vector<std::string> plugins_of(const Operator& op) {
  std::set<std::string> plugins{op.plugin};
  for (const Template& t : op.templates) plugins.insert(t.plugin);
  plugins.erase("");
  return {plugins.begin(), plugins.end()};
}

/// The plugin of the same name, with which an identity begins. nullptr if there is none.
const std::string* find_namesake(const std::string& identity, const std::vector<std::string>& plugins) {
  const std::string name = identity.substr(0, identity.find(' ')) + " ";
  const auto found =
      std::find_if(plugins.begin(), plugins.end(), [&](const std::string& other) { return other.starts_with(name); });
  return found == plugins.end() ? nullptr : &*found;
}

/// What became of a plugin that had a part in a record.
std::string plugin_difference(const std::string& then, const std::vector<std::string>& now) {
  const std::size_t end = then.find(' ');
  const std::string name = then.substr(0, end), version = end == std::string::npos ? "" : then.substr(end + 1);
  if (const std::string* other = find_namesake(then, now)) {
    return fmt::format("the plugin {} was {}, and is {}", name, version, other->substr(name.size() + 1));
  }
  return fmt::format("the plugin {} was {}, and is not loaded", name, version);
}

/// Whether the system that compiled and timed it is this one; its device may be another one.
bool is_recorded_here(const TaskKey& task) {
  static const std::string here = Machine::host().fingerprint();
  return task.machine.starts_with(here);
}

}  // namespace

std::string backend_here(const std::string& target) {
  try {
    return backend_version(Target::parse(target).device);
  } catch (const Error&) {
    return {};
  }
}

RecordProvenance current_provenance(const Operator* op) {
  // Called for each record of a listing, and constant for this process.
  static const Machine machine = Machine::host();
  RecordProvenance now{code_generator_fingerprint(), machine.kernel, machine.microcode, machine.huge_pages, {}};
  if (op != nullptr) now.plugins = plugins_of(*op);
  return now;
}

bool has_plugins(const std::vector<std::string>& now, const std::vector<std::string>& then) {
  return std::all_of(then.begin(), then.end(), [&](const std::string& identity) {
    return std::find(now.begin(), now.end(), identity) != now.end();
  });
}

bool is_any_rebuilt(const std::vector<std::string>& now, const std::vector<std::string>& then) {
  return std::any_of(then.begin(), then.end(), [&](const std::string& plugin) {
    return !has_plugins(now, {plugin}) && find_namesake(plugin, now) != nullptr;
  });
}

bool is_made_alike(const RecordProvenance& now, const SessionUnit& unit) {
  return unit.code_generator == now.code_generator && has_plugins(now.plugins, unit.plugins);
}

std::vector<std::string> plugin_differences(const std::vector<std::string>& now, const std::vector<std::string>& then) {
  std::vector<std::string> differences;
  for (const std::string& plugin : then) {
    if (!has_plugins(now, {plugin})) differences.push_back(plugin_difference(plugin, now));
  }
  return differences;
}

std::string hint_reason(const BestRecord& record, const RecordProvenance& now) {
  std::vector<std::string> reasons;
  if (record.by_old_rule) reasons.emplace_back("scored by an older rule");
  const RecordProvenance& then = record.made_by;
  if (then.code_generator != now.code_generator) {
    reasons.emplace_back("compiled by another version of the code generator");
  }
  for (std::string& clause : plugin_differences(now.plugins, then.plugins)) reasons.push_back(std::move(clause));
  const std::string version = backend_here(record.task.target);
  if (!version.empty() && version != record.task.backend) {
    reasons.push_back(fmt::format("compiled with {}, not {}", record.task.backend, version));
  }
  if (!record.target_now.empty()) {
    reasons.push_back(fmt::format("compiled for {}, not {}", Target::parse(record.task.target).llvm_cpu,
                                  Target::parse(record.target_now).llvm_cpu));
  }
  const auto compare = [&](const char* what, const std::string& was, const std::string& is) {
    if (!was.empty() && was != is) reasons.push_back(fmt::format("{} was {}, and is {}", what, was, is));
  };
  const bool is_near_elsewhere = record.match == MatchKind::kNearest && !is_recorded_here(record.task);
  if (record.match != MatchKind::kOtherMachine && !is_near_elsewhere) {
    compare("the kernel", then.kernel, now.kernel);
    compare("the microcode", then.microcode, now.microcode);
    compare("the mode of huge pages", then.huge_pages, now.huge_pages);
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

}  // namespace nestwright
